import { describe, expect, test } from 'vitest';
import { type EntryDraft, type StoredEntry, scopes, verifyChain } from '../../../agents/runtime/index.js';
import { createRecord, openVault } from '../../../agents/runtime/record/index.js';
import { softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';
import { silentMetrics } from '../../support/transport-harness.js';

const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

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
    const [started, finished] = await bench.entries();
    const other = await elsewhere(bench);
    const scope = scopes.device('PLC-007');
    const redone = ({ kind, tool, params, result, outcome, caller, goal_id }: StoredEntry) =>
      ({ kind, tool, params, result, outcome, caller, goal_id, request_id: requestId }) as EntryDraft;
    for (const entry of [started, finished]) await bench.clock.run(other.append(scope, redone(entry as StoredEntry)));
    const { response } = await bench.call({ requestId });
    expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    expect(bench.device.writes).toHaveLength(1);
  });
});
