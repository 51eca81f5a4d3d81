import { foldScope, parseScope, scopes } from '../agents/runtime/index.js';
import type { Manifest } from '../mcp/index.js';
import { componentName } from '../mcp/index.js';
import { HermesError } from '../shared/errors.js';
import type { Site } from '../shared/site.js';
import { COORDINATOR } from './coordinator.js';

/**
 * The component whose record has a scope: a device's is the agent that serves it; another kind's is the one that
 * announces the kind as its own, of several the one that serves the subject. @throws HermesError `not_found` for a
 * scope without a known home; `?component=` names one.
 */
export function homeOf(scope: string, site: Site, manifests: readonly Manifest[]): string {
  const wanted = foldScope(parseScope(scope));
  const known = site.devices.find(
    ({ id, link }) => foldScope(scopes.device(id)) === wanted || foldScope(scopes.link(link)) === wanted,
  );
  const about = known ?? alarmed(scope, site);
  if (about) return about.home;
  if (/^(goal|user|config)_/.test(scope)) return COORDINATOR;
  // Only those that the site lists: one that joined keeps a record of its own, and nobody else's.
  const keepers = manifests.filter(
    ({ component, homes }) =>
      site.agents.some(({ name }) => name === componentName(component)) &&
      homes.some((kind) => wanted.startsWith(`${kind}_`)),
  );
  const [only, ...more] = keepers.map(({ component }) => componentName(component));
  if (only !== undefined && more.length === 0) return only;
  const serving = site.agents.find(
    ({ name, zones, devices, floors }) =>
      [only, ...more].includes(name) &&
      [...zones, ...devices, ...floors.map((floor) => `floor-${floor}`)].some((id) =>
        wanted.endsWith(`_${foldScope(id)}`),
      ),
  );
  if (serving) return serving.name;
  throw new HermesError('not_found', `nobody is the home of ${scope}`, { suggestion: 'name one: ?component=<agent>' });
}

/** `alarm_<kind>-<device>-<since>`: the device that an alarm is about. */
const alarmed = (scope: string, { devices }: Site) =>
  scope.startsWith('alarm_') ? devices.find(({ id }) => scope.includes(`-${id}-`)) : undefined;
