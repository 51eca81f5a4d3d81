import { createHash } from 'node:crypto';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { LIMITS } from '../../../shared/limits.js';

/**
 * Scopes: what an entry or a snapshot is about, `device_PLC-007`. A scope is one token of a NATS subject; it is made
 * here and nowhere else (a hand-written string does not type-check).
 */
const PATTERN = /^[a-z]+(_[A-Za-z0-9-]+)+$/;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Characters outside the alphabet become `-x<base32>-`, and then, or where the text looks as if they had, so does each
 * `-x` of the text itself: two names never share a token.
 */
function token(text: string): string {
  if (/^[A-Za-z0-9-]+$/.test(text) && !/-x[a-z2-7]+-/.test(text)) return text;
  return text.replace(/[^A-Za-z0-9-]+|-x/gu, (run) => `-x${base32(Buffer.from(run, 'utf8'))}-`);
}

function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let out = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += BASE32[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? out + BASE32[(value << (5 - bits)) & 31] : out;
}

declare const kindOf: unique symbol;
/** A scope that was made as one of this kind: where a device's is wanted, a zone's does not type-check. */
export type ScopeOf<Kind extends string> = Scope & { readonly [kindOf]: Kind };

const make = <Kind extends string>(kind: Kind, ...parts: readonly string[]): ScopeOf<Kind> =>
  parseScope([kind, ...parts.map(token)].join('_')) as ScopeOf<Kind>;

export const scopes = {
  device: (id: string) => make('device', id),
  /** One inspection, one version. */
  inspection: (id: string) => make('device_inspection', id),
  zone: (id: string) => make('zone', id),
  /** How a zone was last seen; what was done to it stands under `zone`. */
  status: (zone: string) => make('status', zone),
  meter: (id: string) => make('meter', id),
  inventory: (id: string) => make('inventory', id),
  /** What was found about a zone or a device. */
  diagnosis: (subject: string) => make('diagnosis', subject),
  supply: (subject: string) => make('supply', subject),
  workOrder: (id: string) => make('work_order', id),
  report: (id: string) => make('report', id),
  goal: (id: string) => make('goal', id),
  session: (id: string) => make('user_session', id),
  /** What is known of a person's wishes. */
  profile: (person: string) => make('user_profile', person),
  link: (id: string) => make('link', id),
  /** What only one instance of a component uses at a time: the timetable of people. */
  resource: (id: string) => make('resource', id),
  timetable: (id: string) => make('timetable', id),
  /** Where a call without an actor key claims; an id that makes too long a scope stands as its SHA-256. */
  request: (id: string): ScopeOf<'request'> => {
    const readable = `request_${token(id.replace(/\./g, '-'))}`;
    if (readable.length <= LIMITS.scopeChars) return parseScope(readable) as ScopeOf<'request'>;
    return make('request', createHash('sha256').update(id).digest('hex'));
  },
  /** What a component notes about its own record: `audit_access`. */
  audit: (id: string) => make('audit', id),
  alarm: (id: string) => make('alarm', id.replace(/:/g, '-')),
  hold: (id: string) => make('hold', id),
  config: (id: string) => make('config', id),
  key: (id: string) => make('key', id),
} as const;

/** @throws HermesError `invalid_params` for anything that is not a scope: crafted scopes end here. */
export function parseScope(text: string): Scope {
  if (text.length <= LIMITS.scopeChars && PATTERN.test(text)) return text as Scope;
  throw new HermesError('invalid_params', `"${text.slice(0, 80)}" is not a scope`, {
    fields: [{ pointer: '/scope', problem: `<kind>_<name>, letters, digits and dashes, at most ${LIMITS.scopeChars}` }],
  });
}

/** Kinds of two words, which begin like one of one word or share their first. */
const LONG_KINDS = ['device_inspection', 'user_session', 'user_profile', 'work_order'];

/** Kind of a scope: `device`, `device_inspection`, `work_order`. */
export const scopeKind = (scope: Scope): string =>
  LONG_KINDS.find((kind) => scope.startsWith(`${kind}_`)) ?? scope.slice(0, scope.indexOf('_'));

/** For look-up: case and dashes do not matter. */
export const foldScope = (scope: string): string => scope.toLowerCase().replace(/-/g, '');
