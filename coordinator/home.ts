import { parseScope, scopes } from '../agents/runtime/index.js';
import { HermesError } from '../shared/errors.js';
import type { Site } from '../shared/site.js';
import { COORDINATOR } from './coordinator.js';

const fold = (text: string): string => text.toLowerCase().replace(/-/g, '');

/**
 * The component whose record has a scope: a device's is the agent that serves it. @throws HermesError `not_found` for
 * a scope without a known home; `?component=` names one.
 */
export function homeOf(scope: string, site: Site): string {
  parseScope(scope);
  const known = site.devices.find(
    ({ id, link }) => fold(scopes.device(id)) === fold(scope) || scopes.link(link) === scope,
  );
  if (known) return known.home;
  if (/^(goal|user)_/.test(scope)) return COORDINATOR;
  throw new HermesError('not_found', `nobody is the home of ${scope}`, { suggestion: 'name one: ?component=<agent>' });
}
