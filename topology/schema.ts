import { z } from 'zod';
import { RETENTION } from '../agents/runtime/index.js';
import type { Playbook } from '../coordinator/index.js';
import { RISKS } from '../mcp/index.js';

/** The site file: everything an operator says about a place, its people, its devices and its agents. */
const id = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,47}$/, 'letters, digits, dashes; begins with a letter');
const names = z.strictObject({
  zh: z.array(z.string().min(1)).default([]),
  en: z.array(z.string().min(1)).default([]),
});
const bilingual = z.strictObject({ zh: z.string().min(1), en: z.string().min(1) });

export const pointSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,47}$/, 'snake_case'),
  table: z.enum(['coil', 'discrete', 'input', 'holding']),
  address: z.number().int().min(0).max(65_535),
  type: z.enum(['bool', 'uint16', 'int16', 'uint32', 'int32', 'float32']),
  word_order: z.enum(['ABCD', 'CDAB', 'BADC', 'DCBA']).optional(),
  scale: z.number().positive().optional(),
  unit: z.string().max(16).optional(),
  /** Modbus unit relative to the device's own: a communication module 100 above it. */
  unit_offset: z.number().int().min(-246).max(246).optional(),
  access: z.enum(['r', 'rw']).default('r'),
  min: z.number().optional(),
  max: z.number().optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

const deviceKind = z.strictObject({
  points: z.array(pointSchema).min(1),
  restart: z
    .strictObject({
      via: z.enum(['self', 'management_unit', 'power_relay']),
      device: id.optional(),
      point: z.string(),
      value: z.number(),
    })
    .optional(),
  fence_register: z.number().int().min(0).max(65_534).optional(),
});

const device = z.strictObject({
  id,
  kind: z.string(),
  names: z.array(z.string().min(1)).default([]),
  link: id,
  unit: z.number().int().min(1).max(247),
  zone: id.optional(),
  /** Floor, where it is not one zone's. */
  floor: z.number().int().optional(),
  /** Device that gives it its air. */
  fed_by: id.optional(),
  /** Breaker through which it gets its power. */
  powered_by: id.optional(),
  /** Breaker whose circuit a meter measures. */
  measures: id.optional(),
  criticality: z.union([z.literal(1), z.literal(2), z.literal(3)]).default(2),
  /** Points that tell it from every other, and what they say; looked at before it is written to. */
  identity: z.record(z.string(), z.number().int()).optional(),
  /** What the simulated twin begins as, and what hangs on a simulated breaker beside the site's devices. */
  simulate: z
    .strictObject({
      initially: z.enum(['online', 'offline']).default('online'),
      load_kw: z.number().min(0).optional(),
      power_factor: z.number().min(0.1).max(1).default(0.95),
    })
    .optional(),
});

const person = z.strictObject({
  id,
  names,
  email: z.email().optional(),
  wecom: z.string().optional(),
  skills: z.array(z.string()).default([]),
  roles: z.array(z.string()).default([]),
  /** Working hours: a name of `calendars`. */
  calendar: z.string().optional(),
});

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM');
const calendar = z.strictObject({
  days: z.array(z.number().int().min(1).max(7)).min(1),
  from: timeOfDay,
  to: timeOfDay,
});

const serves = z
  .strictObject({
    devices: z.array(z.string()).default([]),
    floors: z.array(z.number().int()).default([]),
    zones: z.array(z.string()).default([]),
  })
  .prefault({});

const agent = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,47}$/, 'snake_case'),
  kind: z.string().min(1),
  /** Module that defines it; default `agents/<kind>`. */
  module: z.string().optional(),
  instances: z.number().int().min(1).max(64).default(1),
  /** What calls about these devices, floors and zones are routed by. */
  serves,
  grants: z.array(z.string()).default([]),
  /** Method (or *) → components that may call it, beside coordinators. */
  allow: z.record(z.string(), z.array(z.string())).default({}),
});

const rights = z.strictObject({ read: z.array(z.string()).default([]), write: z.array(z.string()).default([]) });

const MINUTE = 60_000;
const minutes = (standard: number) => z.number().positive().max(525_600).default(standard);
/** Which calls wait for a person, and for how long. */
const approvals = z
  .strictObject({
    ask: z.array(z.enum(RISKS)).default(['high']),
    methods: z.record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.enum(['ask', 'run'])).default({}),
    expire_min: z.strictObject({ low: minutes(5), medium: minutes(30), high: minutes(24 * 60) }).prefault({}),
  })
  .prefault({})
  .transform(({ expire_min, ...rest }) => ({
    ...rest,
    expires_ms: {
      low: expire_min.low * MINUTE,
      medium: expire_min.medium * MINUTE,
      high: expire_min.high * MINUTE,
    },
  }));

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR };
/** Prefix of scopes → how long their snapshots stay in the hot view. */
const retention = z
  .partialRecord(
    z.enum(Object.keys(RETENTION).map((prefix) => `${prefix}*`)),
    z.union([
      z.literal('never'),
      z.string().regex(/^[1-9]\d{0,4}[hd]$/, 'a whole number of hours or days, 36h or 30d'),
    ]),
  )
  .default({})
  .transform((rows) =>
    Object.fromEntries(
      Object.entries(rows).map(([pattern, life = 'never']) => {
        const ms = life === 'never' ? null : Number(life.slice(0, -1)) * (UNITS[life.slice(-1)] as number);
        return [pattern.slice(0, -1), ms];
      }),
    ),
  );

export const topologySchema = z.strictObject({
  site: z.strictObject({ id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), name: bilingual, timezone: z.string() }),
  tenant: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .default('default'),
  floors: z
    .array(z.strictObject({ floor: z.number().int(), zones: z.array(z.strictObject({ id, name: z.string() })) }))
    .default([]),
  links: z.array(z.strictObject({ id, address: z.string().min(1), poll_ms: z.number().int().min(50).default(1_000) })),
  device_kinds: z.record(z.string(), deviceKind),
  devices: z.array(device),
  people: z.array(person).default([]),
  groups: z.array(z.strictObject({ id, names, members: z.array(id) })).default([]),
  calendars: z.record(z.string(), calendar).default({}),
  agents: z.array(agent).min(1),
  /** Files of playbooks, relative to this one. */
  playbooks: z.array(z.string().min(1)).default([]),
  roles: z.record(z.string(), rights).default({}),
  policies: z.strictObject({ approvals, retention }).prefault({}),
  channels: z
    .strictObject({ email: z.strictObject({ url: z.string().min(1), from: z.email() }).optional() })
    .default({}),
});

/** The site file as it stands. */
export type SiteFile = z.output<typeof topologySchema>;

/** The site file with the playbooks that it names. */
export type Topology = Omit<SiteFile, 'playbooks'> & { readonly playbooks: readonly Playbook[] };
