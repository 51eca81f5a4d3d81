import type { Principal } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { LIMITS } from '../../../shared/limits.js';

/**
 * Rights on scopes. A role holds leaves (a whole scope) or nodes (a prefix that ends in `_*`); `*` is everything. The
 * comparison is on the whole scope string, letter by letter; deny by default.
 */
export interface RoleRights {
  readonly read: readonly string[];
  readonly write: readonly string[];
}
export type Roles = Readonly<Record<string, RoleRights>>;
export type Right = keyof RoleRights;

/** What a site that says nothing about a role gives it; a row of the topology takes the place of the whole role. */
export const DEFAULT_ROLES: Roles = {
  admin: { read: ['*'], write: ['*'] },
  engineer: { read: ['*'], write: ['device_*', 'zone_*', 'work_order_*'] },
  auditor: { read: ['*'], write: [] },
  approver: {
    read: ['device_*', 'zone_*', 'status_*', 'meter_*', 'diagnosis_*', 'supply_*', 'work_order_*', 'goal_*', 'alarm_*'],
    write: ['device_*', 'zone_*', 'work_order_*'],
  },
  operator: {
    read: ['device_*', 'zone_*', 'status_*', 'meter_*', 'diagnosis_*', 'supply_*', 'work_order_*', 'goal_*', 'alarm_*'],
    write: ['device_*', 'zone_*', 'work_order_*'],
  },
  viewer: { read: ['device_*', 'zone_*', 'status_*', 'meter_*'], write: [] },
};

const LEAF = /^[a-z]+(_[A-Za-z0-9-]+)+$/;
const NODE = /^[a-z]+(_[A-Za-z0-9-]+)*_\*$/;

/** Why this is neither `*`, nor a leaf, nor a node; undefined when it is one. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '*') return undefined;
  if (pattern.length > LIMITS.scopeChars) return `a scope has at most ${LIMITS.scopeChars} characters`;
  if (LEAF.test(pattern) || NODE.test(pattern)) return undefined;
  return `${JSON.stringify(pattern)} is neither a scope, nor a prefix that ends in _*, nor *`;
}

/** A pattern that is none reaches nothing. */
export function reaches(pattern: string, scope: Scope): boolean {
  if (pattern === '*') return true;
  if (pattern === scope) return LEAF.test(pattern);
  return NODE.test(pattern) && scope.startsWith(pattern.slice(0, -1));
}

/** @throws HermesError `scope_denied`. A role that the site does not name has no rights. */
export function checkScope(roles: Roles, principal: Principal, scope: Scope, right: Right): void {
  const granted = principal.roles.some(
    (role) => Object.hasOwn(roles, role) && roles[role]?.[right].some((pattern) => reaches(pattern, scope)),
  );
  if (granted) return;
  throw new HermesError('scope_denied', `${principal.id} may not ${right} ${scope}`, {
    scope,
    right,
    suggestion: `a role with the right to ${right} ${scope} is needed`,
  });
}

/**
 * The snapshot's own readers or writers narrow further, where it names any: ids of people, roles, or components
 * without their version.
 */
export function checkNamed(named: readonly string[], principal: Principal, scope: Scope, right: Right): void {
  if (named.length === 0 || principal.roles.includes('admin')) return;
  if (named.some((one) => one === principal.id || principal.roles.includes(one))) return;
  const who = right === 'read' ? 'readers' : 'writers';
  throw new HermesError('scope_denied', `${principal.id} is not one of the ${who} of ${scope}`, {
    scope,
    right,
    suggestion: `its newest snapshot names who its ${who} are`,
  });
}

/** A component that acts for nobody: allow-lists and grants say what it may, not roles. */
export const isComponent = ({ id, roles }: Principal): boolean => id.startsWith('component:') && roles.length === 0;
