import type { JetStreamClient } from '@nats-io/jetstream';
import { HermesError } from '../../../shared/errors.js';
import { readFailure } from './failure.js';
import type { Jet } from './jet.js';

/**
 * What makes compare-and-swap safe on a replicated stream. There a server (measured: 2.9.10) compares the expected last
 * sequence of a subject with what its leader has applied, and not with what is on its way: of two appends at once with
 * one expectation both went through, 97 times of 200. The last sequence of the whole stream is compared when a message
 * is applied. So an append on a replicated stream expects that too: nothing at all was written since the subject was
 * looked at. Whoever is told that something was looks again and goes on. (The first record of a subject is compared
 * when it is applied on any stream.)
 */
export interface StreamTip {
  /** False for a stream that is not replicated. */
  isNeeded(): Promise<boolean>;
  /** One such append of this process at a time: they would only refuse each other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Sequence to expect of the whole stream. */
  readonly last: number;
  saw(seq: number): void;
  /**
   * After a refusal: true when the subject holds what was expected, so that it was only the stream that had grown and
   * the append may be tried again.
   * @throws HermesError `log_unavailable`, `unknown: false`, also after `TRIES`.
   */
  hasMoved(subject: string, expected: number, tries: number): Promise<boolean>;
}

/** Each failed one means that somebody else has written. */
const TRIES = 200;

export function createStreamTip(jet: Jet, stream: string): StreamTip {
  let tip = 0;
  /** Asked once for each connection: a stream may be given more replicas later. */
  let asked: { readonly client: JetStreamClient; readonly replicated: boolean } | undefined;

  let turn: Promise<unknown> = Promise.resolve();

  const isReplicated = async (): Promise<boolean> => {
    const client = jet.client();
    if (asked?.client === client) return asked.replicated;
    try {
      const { config } = await (await jet.manager()).streams.info(stream);
      asked = { client, replicated: config.num_replicas > 1 };
      return asked.replicated;
    } catch (thrown) {
      throw readFailure(thrown);
    }
  };

  const lastOf = async (pattern: string): Promise<number> => {
    try {
      return (await (await jet.manager()).streams.getMessage(stream, { last_by_subj: pattern }))?.seq ?? 0;
    } catch (thrown) {
      throw readFailure(thrown);
    }
  };

  return {
    isNeeded: isReplicated,
    inTurn(work) {
      const mine = turn.then(work);
      turn = mine.catch(() => undefined);
      return mine;
    },
    get last() {
      return tip;
    },
    saw(seq) {
      tip = Math.max(tip, seq);
    },
    async hasMoved(subject, expected, tries) {
      // The stream first: what the subject holds afterwards is no older than that.
      tip = Math.max(tip, await lastOf('>'));
      if ((await lastOf(subject)) !== expected) return false;
      if (tries < TRIES) return true;
      throw new HermesError('log_unavailable', `others write to ${stream} all the time`, { unknown: false });
    },
  };
}
