import type { Principal } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';

/**
 * Rights on scopes. A role holds leaves (a whole scope) or nodes (a prefix that ends in `_*`); `*` is everything. The
 * comparison is on the whole scope string; deny by default.
 */
export interface RoleRights {
  readonly read: readonly string[];
  readonly write: readonly string[];
}
export type Roles = Readonly<Record<string, RoleRights>>;

export function reaches(pattern: string, scope: Scope): boolean {
  if (pattern === '*' || pattern === scope) return true;
  return pattern.endsWith('_*') && scope.startsWith(pattern.slice(0, -1));
}

/** @throws HermesError `scope_denied`. Components read and write their own scopes; people by their roles. */
export function checkScope(roles: Roles, principal: Principal, scope: Scope, right: 'read' | 'write'): void {
  const granted = principal.roles.some((role) => roles[role]?.[right].some((pattern) => reaches(pattern, scope)));
  if (granted) return;
  throw new HermesError('scope_denied', `${principal.id} may not ${right} ${scope}`, {
    scope,
    suggestion: `a role with the right to ${right} ${scope} is needed`,
  });
}

/** The snapshot's own readers narrow further, where it names any. */
export function checkReaders(readers: readonly string[], principal: Principal, scope: Scope): void {
  if (readers.length === 0 || principal.roles.includes('admin')) return;
  if (readers.some((reader) => reader === principal.id || principal.roles.includes(reader))) return;
  throw new HermesError('scope_denied', `${principal.id} is not a reader of ${scope}`, { scope });
}
