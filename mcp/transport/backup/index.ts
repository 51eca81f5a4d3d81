/**
 * A backup: the whole record of a tenant in one file, made while the site runs.
 *  1. It holds what the logs hold, sealed as it is there; views are built again, and no key is in it.
 *  2. A file that was changed or cut is refused before anything is made of it.
 */
export { BACKUP_FORMAT, type BackupEnd, type BackupHead, type BackupStream, backupLines } from './backup-lines.js';
export { type BackupPart, readBackup } from './read-backup.js';
