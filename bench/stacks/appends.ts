import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { openTransport } from '../../mcp/transport/index.js';
import { doors, folder } from './doors.js';
import type { Client, Stack } from './stack.js';

/** Bytes of the claim and of the end. */
type Sizes = readonly [claim: number, end: number];

const STREAM = 'BENCH_APPENDS';
/** As many subjects as a recorded write has scopes, so that no two that are under way meet. */
const SUBJECTS = 64;

/**
 * The least that two entries on the record can be: two appends by compare-and-swap on one subject, one after the other,
 * of as many bytes as the claim and the end of a recorded write have.
 */
export const appends = (bytes: Sizes): Stack => ({
  openWorker: () => Promise.resolve(),
  async openClient(url) {
    const connection = await connect({ servers: url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: STREAM, subjects: ['bench.appends.*'] });
    const js = jetstream(connection);
    return clientOf(bytes, async (subject, payload, lastSubjectSequence) => {
      const { seq } = await js.publish(subject, payload, { expect: { lastSubjectSequence } });
      return seq;
    });
  },
});

/** The same on the embedded log, each append synced to the disk. */
export const appendsEmbedded = (bytes: Sizes): Stack => ({
  openWorker: () => Promise.resolve(),
  async openClient() {
    const { log } = await openTransport('embedded', { ...doors, dataDir: folder() });
    return clientOf(bytes, async (subject, payload, expectedLastSeq) => {
      const { seq } = await log.append(subject, payload, { expectedLastSeq });
      return seq;
    });
  },
});

/** @param append answers the sequence. */
function clientOf(
  bytes: Sizes,
  append: (subject: string, payload: Uint8Array, last: number) => Promise<number>,
): Client {
  const payloads = bytes.map((size) => new Uint8Array(size));
  const free = Array.from({ length: SUBJECTS }, (_, index) => ({ subject: `bench.appends.s${index}`, last: 0 }));
  return {
    async call() {
      const scope = free.pop() as (typeof free)[number];
      for (const payload of payloads) scope.last = await append(scope.subject, payload, scope.last);
      free.unshift(scope);
    },
  };
}
