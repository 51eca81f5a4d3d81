/**
 * Memory: snapshots of state by scope, versioned, permissioned, expiring.
 *  1. Rights are checked on the whole scope string, deny by default, inside reads too.
 *  2. `strong` waits until the view has applied the log's last entry of the scope; `eventual` answers from the view.
 *  3. Nothing is written here: snapshots come with their operation's entry.
 */
export { checkReaders, checkScope, type RoleRights, type Roles, reaches } from './access.js';
export { type Consistency, createMemory, type FieldChange, type Memory, type ReadHow } from './memory.js';
