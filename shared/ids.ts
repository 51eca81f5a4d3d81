import type { Clock } from './clock.js';
import type { Random } from './random.js';

declare const brand: unique symbol;
/** A string that only its own maker or parser can produce. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

export type GoalId = Branded<'GoalId'>;
export type SessionId = Branded<'SessionId'>;
export type RequestId = Branded<'RequestId'>;
export type OperationId = Branded<'OperationId'>;
export type SnapshotId = Branded<'SnapshotId'>;
export type TraceId = Branded<'TraceId'>;
export type SpanId = Branded<'SpanId'>;
export type InstanceId = Branded<'InstanceId'>;
export type Scope = Branded<'Scope'>;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

const letters = (alphabet: string, random: Random, length: number): string =>
  Array.from(random.bytes(length), (byte) => alphabet[byte % alphabet.length]).join('');

const hex = (random: Random, bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');

/** The only door to identity: every id of the system is made here. */
export interface Ids {
  goal(): GoalId;
  session(): SessionId;
  operation(): OperationId;
  /** Of a question to people. */
  approval(): string;
  event(): string;
  /** `mem_YYYYMMDD_HHMMSS_` and 8 base-36 characters, UTC. */
  snapshot(): SnapshotId;
  /** 16 bytes, hex (W3C trace context). */
  trace(): TraceId;
  /** 8 bytes, hex (W3C trace context). */
  span(): SpanId;
  instance(component: string): InstanceId;
  request(prefix: string): RequestId;
  /** ≥ 96 random bits, lower-case base 32: nobody guesses a reply subject. */
  nonce(): string;
}

export function createIds(clock: Clock, random: Random): Ids {
  const source = random.stream('ids');
  return {
    goal: () => `g-${letters(BASE32, source, 16)}` as GoalId,
    session: () => `s-${letters(BASE32, source, 16)}` as SessionId,
    approval: () => `ap-${letters(BASE32, source, 16)}`,
    operation: () => `op-${letters(BASE32, source, 16)}` as OperationId,
    event: () => `ev-${letters(BASE32, source, 16)}`,
    snapshot() {
      const stamp = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
      return `mem_${stamp}_${letters(BASE36, source, 8)}` as SnapshotId;
    },
    trace: () => hex(source, 16) as TraceId,
    span: () => hex(source, 8) as SpanId,
    instance: (component) => `${component}-${letters(BASE32, source, 8)}` as InstanceId,
    request: (prefix) => `${prefix}-${letters(BASE32, source, 16)}` as RequestId,
    nonce: () => letters(BASE32, source, 20),
  };
}

/** The id of a goal's step: the same step asks under the same id however often it is sent; `n` grows on a redo. */
export const stepRequestId = (goal: string, step: string, n: number): RequestId => `${goal}.${step}.${n}` as RequestId;
