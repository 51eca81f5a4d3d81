import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scopes } from '../../agents/runtime/record/index.js';
import { times } from '../support/full-counts.js';
import { openRecordBench } from '../support/record-bench.js';
import { checkSurvivors } from '../support/record-survivors.js';
import { tortureRecord } from '../torture/record-torture.js';

/** The long form: npm run torture -- --record --rounds 200. */
test('a writer of the record is killed at ten random moments: nothing acknowledged is lost, nothing is torn', {
  timeout: 1_800_000,
}, async () => {
  const lines: string[] = [];
  const rounds = times(200, 10);
  const { acknowledged, violations } = await tortureRecord({ rounds, seed: 5, say: (line) => lines.push(line) });
  expect(violations, lines.join('\n')).toEqual([]);
  expect(acknowledged).toBeGreaterThan(rounds * 20);
});

test('the check of survivors finds a lost entry, a lost row of the view', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hermes-survivors-'));
  try {
    const { record, transport, openViewOf } = await openRecordBench(dataDir);
    const scope = scopes.device('PLC-001');
    const { n, last_version, hash } = await record.append(scope, {
      kind: 'finished',
      snapshots: [{ data: { on: 1 } }],
    });
    const { store, view } = await openViewOf();
    await view.catchUp();
    await store.batch([{ type: 'del', key: `s/${scope}/0000000001` }]);
    await store.batch([{ type: 'del', key: `c/${scope}` }]);
    await view.close();
    await transport.close();
    const line = `${scope} ${n} ${last_version} ${hash}`;
    const { wrong } = await checkSurvivors(dataDir, new Set([line, `${scope} 2 2 ${hash}`]));
    expect(wrong.sort()).toEqual(
      [
        `acknowledged and not there: ${scope} 2 2 ${hash}`,
        `row s/${scope}/0000000001: the view lacks what is in the log`,
        `row c/${scope}: the view lacks what is in the log`,
      ].sort(),
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
