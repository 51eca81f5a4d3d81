import type { Device } from '../../../shared/device.js';
import type { Scope } from '../../../shared/ids.js';
import type { Site } from '../../../shared/site.js';
import { scopes } from '../record/index.js';

/** What one instance of a component owns at a time: a link with the devices behind it, or a resource of its tools. */
export interface OwnedKey {
  readonly id: string;
  /** Where `owned` entries of this key stand. */
  readonly scope: Scope;
  readonly link?: string;
  /** Devices of this component behind the link. */
  readonly devices: readonly Device[];
}

/** What of a tool says which key its calls are about. */
export interface KeyedTool {
  readonly spec: {
    readonly turn?: string | undefined;
    readonly actor_key?: string | undefined;
    readonly side_effects: readonly string[];
  };
}

export interface OwnedKeys {
  readonly all: readonly OwnedKey[];
  ofLink(link: string): OwnedKey | undefined;
  ofResource(resource: string): OwnedKey | undefined;
  /** What a call is about; undefined: any instance may serve it. */
  ofCall(method: string, params: Readonly<Record<string, unknown>>): OwnedKey | undefined;
}

const PARAMETER = 'device_id';

/**
 * The keys of a component. A call belongs to the link of the device or zone that its actor key names (any parameter
 * that names one, where the method has no actor key), a tool with a `turn` to that resource. A tool that reaches for
 * devices and names none belongs to the only link of its component.
 */
export function ownedKeys(
  name: string,
  site: Site,
  links: readonly string[],
  tools: ReadonlyMap<string, KeyedTool>,
  resource?: string,
): OwnedKeys {
  const own = site.devices.filter((device) => device.home === name);
  const linkKeys = new Map(
    links.map((link) => {
      const devices = own.filter((device) => device.link === link);
      return [link, { id: `link:${link}`, scope: scopes.link(link), link, devices } satisfies OwnedKey];
    }),
  );
  const turns = new Map(
    [...tools.values()].flatMap(({ spec: { turn } }) =>
      turn === undefined ? [] : [[turn, resourceKey(turn)] as const],
    ),
  );
  if (resource !== undefined) turns.set(resource, resourceKey(resource));
  const only = linkKeys.size === 1 ? [...linkKeys.values()][0] : undefined;
  const named = (value: unknown): OwnedKey | undefined => {
    const device = own.find(({ id }) => id === value) ?? own.find(({ zone }) => zone !== undefined && zone === value);
    return device && linkKeys.get(device.link);
  };
  return {
    all: [...linkKeys.values(), ...turns.values()],
    ofLink: (link) => linkKeys.get(link),
    ofResource: (resource) => turns.get(resource),
    ofCall(method, params) {
      const spec = tools.get(method)?.spec;
      if (!spec) return method === 'device_read' ? named(params[PARAMETER]) : undefined;
      if (spec.turn !== undefined) return turns.get(spec.turn);
      const values = spec.actor_key ? [params[spec.actor_key]] : Object.values(params);
      for (const value of values) {
        const key = named(value);
        if (key) return key;
      }
      return spec.side_effects.some((effect) => effect.startsWith('modbus.')) ? only : undefined;
    },
  };
}

const resourceKey = (resource: string): OwnedKey => ({
  id: `resource:${resource}`,
  scope: scopes.resource(resource),
  devices: [],
});
