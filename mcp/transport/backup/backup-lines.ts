import { createHash } from 'node:crypto';
import type { Log, LogRecord } from '../log.js';

/** Logs of a tenant, in the order in which a backup has them: heads first, so that the log has all they speak of. */
export const BACKUP_STREAMS = ['heads', 'log'] as const;
export type BackupStream = (typeof BACKUP_STREAMS)[number];

export const BACKUP_FORMAT = 'hermes-backup/1';

/** First line of a backup. */
export interface BackupHead {
  readonly format: typeof BACKUP_FORMAT;
  readonly tenant: string;
  /** ISO 8601. */
  readonly at: string;
  /** Id of the master key that opens it. */
  readonly master: string;
}

/** A record as a line: payloads are sealed already. */
export interface BackupLine {
  readonly s: BackupStream;
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  /** Base64. */
  readonly payload: string;
}

/** Last line: without it, the file is cut. */
export interface BackupEnd {
  readonly records: Readonly<Record<BackupStream, number>>;
  /** Of all bytes before this line. */
  readonly sha256: string;
  readonly key_id: string;
  /** Over the digest (Ed25519), base64. */
  readonly signature: string;
}

export interface BackupSource {
  readonly head: BackupHead;
  /** Logs and the patterns of what is read of them. */
  readonly streams: Readonly<Record<BackupStream, { readonly log: Log; readonly pattern: string }>>;
  readonly signer: { readonly id: string; sign(message: Uint8Array): Uint8Array };
}

/**
 * The whole record as lines of JSON, while the site runs: each log as it is when it is come to. A log that is written
 * meanwhile is read to a head that is not older than the call.
 */
export async function* backupLines({ head, streams, signer }: BackupSource): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const counted = { heads: 0, log: 0 };
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line(head);
  for (const s of BACKUP_STREAMS) {
    const { log, pattern } = streams[s];
    for await (const record of log.read(pattern)) {
      counted[s]++;
      yield line(lineOf(s, record));
    }
  }
  const sha256 = digest.digest('hex');
  const signature = Buffer.from(signer.sign(Buffer.from(sha256, 'hex'))).toString('base64');
  const end: BackupEnd = { records: counted, sha256, key_id: signer.id, signature };
  yield `${JSON.stringify(end)}\n`;
}

const lineOf = (s: BackupStream, { seq, at, subject, payload }: LogRecord): BackupLine => ({
  ...{ s, seq, at, subject },
  payload: Buffer.from(payload).toString('base64'),
});
