import { describe, expect, test } from 'vitest';
import { type EntryDraft, type StoredEntry, scopes, verifyChain } from '../../../agents/runtime/index.js';
import { createRecord, openVault } from '../../../agents/runtime/record/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';
import { silentMetrics } from '../../support/transport-harness.js';

const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

/** A log whose tails hand on what they have only after a while. */
const lagging = (log: Log, lag: () => Promise<void>): Log => ({
  append: (subject, payload, options) => log.append(subject, payload, options),
  last: (subject) => log.last(subject),
  read: (pattern, options) => log.read(pattern, options),
  tail: (pattern, fromSeq, handle) =>
    log.tail(pattern, fromSeq, async (record) => {
      await lag();
      await handle(record);
    }),
  headSeq: (pattern) => log.headSeq(pattern),
  close: () => log.close(),
});

describe('a scope that somebody else has written to since', () => {
  /** Another instance of the same component, on the same log. */
  const elsewhere = async (bench: Awaited<ReturnType<typeof cellBench>>) => {
    const { log } = bench.sim.connect('worker').transport;
    const { clock, ids } = bench;
    const random = seededRandom('elsewhere');
    const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
    const vault = await clock.run(openVault({ log, keys, random }, 'default'));
    const place = { tenant: 'default', component: 'worker_v1.0', name: 'worker', instance: 'worker-other' };
    return createRecord({ log, vault, clock, ids, metrics: silentMetrics() }, place);
  };

  /** What the bench did first, done there under the other request id. */
  const doneElsewhere = async (bench: Awaited<ReturnType<typeof cellBench>>): Promise<void> => {
    const entries = await bench.entries();
    const other = await elsewhere(bench);
    const redone = ({ kind, tool, params, result, outcome, caller, goal_id }: StoredEntry) =>
      ({ kind, tool, params, result, outcome, caller, goal_id, request_id: requestId }) as EntryDraft;
    for (const entry of entries) await bench.clock.run(other.append(scopes.device('PLC-007'), redone(entry)));
  };

  test('is claimed on its true head: the claim finds out, and the call is done once', async () => {
    const bench = await cellBench({ tools: [toyTool('non_idempotent')] });
    await bench.call({ requestId });
    const other = await elsewhere(bench);
    await bench.clock.run(other.append(scopes.device('PLC-007'), { kind: 'owned', data: {} }));
    await bench.call({ requestId: 'g-aaaaaaaaaaaaaaaa.s2.1' });
    expect(bench.device.writes).toHaveLength(2);
    const entries = await bench.entries();
    expect(entries.map(({ kind }) => kind)).toEqual(['started', 'finished', 'owned', 'started', 'finished']);
    expect(verifyChain(entries)).toBeUndefined();
  });

  test('by a repeat of the same call that ended there: its answer is told, nothing is done again', async () => {
    const bench = await cellBench({ tools: [toyTool('non_idempotent')] });
    await bench.call({ requestId: 'g-aaaaaaaaaaaaaaaa.s0.1' });
    await doneElsewhere(bench);
    const { response } = await bench.call({ requestId });
    expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    expect(bench.device.writes).toHaveLength(1);
  });

  test('by that call too while the view lags and the device has gone away: nothing is refused unasked', async () => {
    let lag = async (): Promise<void> => undefined;
    let away = false;
    const preflight = async (): Promise<void> => {
      if (away) throw new HermesError('tool_failed', 'the device has gone away', { started: false });
    };
    const bench = await cellBench({
      tools: [toyTool('non_idempotent', { preflight })],
      wrap: (transport) => ({ ...transport, log: lagging(transport.log, async () => lag()) }),
    });
    await bench.call({ requestId: 'g-aaaaaaaaaaaaaaaa.s0.1' });
    lag = () => bench.clock.sleep(300);
    await doneElsewhere(bench);
    away = true;
    const { response } = await bench.call({ requestId, retry: { max_attempts: 1 } });
    expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    expect(bench.device.writes).toHaveLength(1);
    const error = await bench.fails({ requestId: 'g-aaaaaaaaaaaaaaaa.s2.1' });
    expect(error.message).toContain('the device has gone away');
  });
});
