import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { subjects } from '../../protocol/subjects.js';
import { apiCode, isDenied, messageOf } from './failure.js';

/** The contract asks for two minutes. */
const DEDUPE_MS = 150_000;
const JOURNAL_AGE_MS = 7 * 24 * 3_600_000;
const JOURNAL_BYTES = 2 * 1_024 ** 3;
/** A cluster that has just started has no leader yet. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 250;
const STREAM_NOT_FOUND = 10_059;

export type StreamPlan = Partial<StreamConfig> & { readonly name: string };

export const logStream = (tenant: string): string => `HERMES_LOG_${tenant}`;
export const headsStream = (tenant: string): string => `HERMES_HEADS_${tenant}`;
export const liveBucket = (tenant: string): string => `HERMES_LIVE_${tenant}`;
export const liveStream = (tenant: string): string => `KV_${liveBucket(tenant)}`;
export const journalStream = (tenant: string): string => `HERMES_JOURNAL_${tenant}`;
/** Where the beat of one instance is kept. */
export const liveKey = (tenant: string, component: string, instance: string): string =>
  `$KV.${liveBucket(tenant)}.live.${component}.${instance}`;
export const liveKeys = (tenant: string): string => `$KV.${liveBucket(tenant)}.>`;

/** One record for ever: last entries are read from the leader alone, so never `allow_direct`. */
const forEver = (name: string, subject: string, replicas: number): StreamPlan => ({
  name,
  subjects: [subject],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  num_replicas: replicas,
  duplicate_window: nanos(DEDUPE_MS),
  allow_direct: false,
  deny_delete: true,
  deny_purge: true,
});

export const logPlan = (tenant: string, replicas = 1): StreamPlan =>
  forEver(logStream(tenant), subjects.logs(tenant), replicas);

/** Signed heads of the log, apart from it. */
export const headsPlan = (tenant: string, replicas = 1): StreamPlan =>
  forEver(headsStream(tenant), subjects.heads(tenant), replicas);

/** A KV bucket. Keys of the dead fall out after twice the time to live, long after their watchers knew. */
export const livePlan = (tenant: string, replicas = 1, ttlMs: number = LIMITS.livenessTtlMs): StreamPlan => ({
  name: liveStream(tenant),
  subjects: [liveKeys(tenant)],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  num_replicas: replicas,
  max_msgs_per_subject: 1,
  max_age: nanos(2 * ttlMs),
  duplicate_window: nanos(2 * ttlMs),
  discard: DiscardPolicy.New,
  allow_direct: false,
  allow_rollup_hdrs: true,
  deny_delete: true,
});

/** Without acknowledgement, or a requester would take the stream's answer for its callee's. */
export const journalPlan = (tenant: string, replicas = 1): StreamPlan => ({
  name: journalStream(tenant),
  subjects: [...subjects.journal(tenant)],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  num_replicas: replicas,
  no_ack: true,
  max_age: nanos(JOURNAL_AGE_MS),
  max_bytes: JOURNAL_BYTES,
  discard: DiscardPolicy.Old,
  allow_direct: false,
});

/**
 * Makes sure that a stream is there: makes it where that is permitted, else only looks.
 * @throws HermesError `log_unavailable` when it is not there and may not be made, or JetStream does not answer in 15 s.
 */
export async function ensureStream(jsm: JetStreamManager, plan: StreamPlan, make: boolean, clock: Clock) {
  const until = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      await lookOrMake(jsm, plan, make);
      return;
    } catch (thrown) {
      if (thrown instanceof HermesError) throw thrown;
      if (isDenied(thrown)) throw missing(plan.name, 'this identity may not see it', thrown);
      if (clock.monotonic() >= until) throw missing(plan.name, messageOf(thrown), thrown);
      await clock.sleep(RETRY_MS);
    }
  }
}

async function lookOrMake(jsm: JetStreamManager, plan: StreamPlan, make: boolean): Promise<void> {
  try {
    const { config } = await jsm.streams.info(plan.name);
    if (config.allow_direct !== true) return;
    const problem = 'has allow_direct: any replica would answer, also one that lags';
    throw new HermesError('log_unavailable', `stream ${plan.name} ${problem}`, {
      unknown: false,
      suggestion: `nats stream edit ${plan.name} --no-allow-direct`,
    });
  } catch (thrown) {
    if (apiCode(thrown) !== STREAM_NOT_FOUND) throw thrown;
    if (!make) throw missing(plan.name, 'it does not exist', thrown);
  }
  await jsm.streams.add(plan);
}

function missing(name: string, detail: string, cause: unknown): HermesError {
  const suggestion = 'check that the server runs with JetStream; make the streams with: hermes nats init';
  return new HermesError('log_unavailable', `stream ${name}: ${detail}`, { suggestion, unknown: false }, { cause });
}
