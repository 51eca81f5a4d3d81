import { HermesError } from '../../shared/errors.js';

/** Who may call what: method (or `*`) → callers by component name (or `*`). Deny by default. */
export type AllowList = Readonly<Record<string, readonly string[]>>;

export function checkAllowed(list: AllowList, method: string, caller: string): void {
  const callers = [...(list[method] ?? []), ...(list['*'] ?? [])];
  if (callers.includes(caller) || callers.includes('*')) return;
  throw new HermesError('not_allowed', `${caller} may not call ${method}`, {
    suggestion: `add ${caller} to the allow-list of ${method} in the topology`,
  });
}
