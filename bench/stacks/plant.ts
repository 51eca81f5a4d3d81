import { z } from 'zod';
import { type AgentDefinition, type AgentPolicy, defineTool, scopes, type Tool } from '../../agents/runtime/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Device, DeviceAccess, WriteReceipt } from '../../shared/device.js';
import { createLines } from '../../shared/lines.js';
import type { Site } from '../../shared/site.js';

/** A plant of so many links with one device behind each, and the agent that owns them. */
export interface Plant {
  readonly tenant: string;
  readonly links: number;
  /** How long a device takes for one request; a link serves one at a time. */
  readonly deviceMs: number;
}

export const AGENT = 'plant_agent';
const GRANTS = ['modbus.write:*', 'modbus.read:*'];
const POINT = 'setpoint';

export const deviceId = (index: number): string => `PLC-${String(index + 1).padStart(4, '0')}`;
const linkId = (index: number): string => `line-${index + 1}`;

const device = (index: number): Device => ({
  id: deviceId(index),
  kind: 'plc',
  names: [],
  link: linkId(index),
  unit: 1,
  criticality: 2,
  points: [{ name: POINT, table: 'holding', address: 0, type: 'uint16', access: 'rw', min: 0, max: 65_535 }],
  home: AGENT,
});

const siteOf = ({ links }: Plant): Site => ({
  id: 'bench',
  name: { zh: '基准', en: 'bench' },
  timezone: 'UTC',
  floors: [],
  links: [],
  devices: Array.from({ length: links }, (_, index) => device(index)),
  people: [],
  groups: [],
  calendars: {},
  agents: [],
  channels: {},
});

export const policyOf = (plant: Plant): AgentPolicy => ({
  tenant: plant.tenant,
  site: siteOf(plant),
  roles: { admin: { read: ['*'], write: ['*'] } },
  grants: GRANTS,
  allow: { '*': ['production_coordinator'] },
  maySpeakForPeople: new Set(['production_coordinator']),
  links: Array.from({ length: plant.links }, (_, index) => linkId(index)),
});

const asked = z.strictObject({ device_id: z.string() });
const wanted = z.strictObject({ device_id: z.string(), value: z.number() });

const common = { version: '1.0.0', risk: 'low', actor_key: 'device_id', timeout_ms: 5_000 } as const;

const readValue: Tool = defineTool<typeof asked, typeof wanted>({
  ...common,
  name: 'read_value',
  description: 'reads the set-point',
  input: asked,
  output: wanted,
  side_effects: ['modbus.read:*'],
  effect_class: 'read',
  rollback: { none: 'a read changes nothing' },
  execute: async (ctx, { device_id }) => {
    const read = await ctx.modbus.read(device_id, [POINT]);
    return { device_id, value: Number(read[POINT]?.value) };
  },
});

const writeValue: Tool = defineTool<typeof wanted, typeof wanted>({
  ...common,
  name: 'write_value',
  description: 'writes the set-point',
  input: wanted,
  output: wanted,
  side_effects: ['modbus.write:*'],
  effect_class: 'idempotent_write',
  scope: ({ device_id }) => scopes.device(device_id),
  rollback: { none: 'the old value is of no interest to a bench' },
  execute: async (ctx, { device_id, value }) => {
    await ctx.modbus.write(device_id, POINT, value);
    return { device_id, value };
  },
});

export const definition: AgentDefinition = {
  name: AGENT,
  version: '1.0',
  description: { zh: '基准', en: 'bench' },
  tools: [readValue, writeValue],
};

/** Devices that answer after their time, one request at a time a link. */
export function devicesOf({ deviceMs }: Plant, clock: Clock): DeviceAccess {
  const lines = createLines();
  const values = new Map<string, number>();
  const turn = <T>({ link }: Device, work: () => T): Promise<T> =>
    lines.inLine(link, async () => {
      if (deviceMs > 0) await clock.sleep(deviceMs);
      return work();
    });
  return {
    read: (one, points) =>
      turn(one, () =>
        points.map((point) => ({
          point,
          value: values.get(one.id) ?? 0,
          quality: { status: 'good' },
          source_time_unix_ms: clock.now(),
        })),
      ),
    write: (one, _point, value, options) =>
      turn(one, (): WriteReceipt => {
        options.guard?.();
        values.set(one.id, Number(value));
        return { write: { link: one.link, unit: 1, function_code: 6, address: 0, values: [Number(value)] } };
      }),
    fence: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}
