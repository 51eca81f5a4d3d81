import { describe, expect, test } from 'vitest';
import { readCountersignature, signHead } from '../../../agents/runtime/audit/index.js';
import { scopes } from '../../../agents/runtime/record/index.js';
import { packValue, subjects } from '../../../mcp/index.js';
import { auditBench as bench, checker, KEY, MINUTE, scope } from '../../support/audit-bench.js';
import { testSigning } from '../../support/test-signing.js';
import { collect, text } from '../../support/transport-harness.js';

describe('signed heads', () => {
  test('come a minute after a scope has changed, once, and name its newest entry', async () => {
    const { write, clock, headsOf, entries } = await bench();
    await write(1);
    await write(2);
    await clock.advance(MINUTE - 1_000);
    expect(await headsOf()).toEqual([]);
    await clock.advance(2_000);
    const newest = (await entries()).at(-1);
    const found = (await headsOf()).filter((head) => head.scope === scope);
    expect(found).toMatchObject([{ scope, tenant: 'default', component: 'worker', n: 4, hash: newest?.hash }]);
    await clock.advance(10 * MINUTE);
    expect((await headsOf()).filter((head) => head.scope === scope)).toHaveLength(1);
    await write(3);
    await clock.advance(MINUTE + 1_000);
    expect((await headsOf()).filter((head) => head.scope === scope).map(({ n }) => n)).toEqual([4, 6]);
  });

  test('an agent that has nothing new to sign does nothing', async () => {
    const { clock, heads, write } = await bench();
    await write(1);
    await clock.advance(2 * MINUTE);
    const [pending, seq] = [clock.pending, await clock.run(heads.headSeq('>'))];
    await clock.advance(30 * MINUTE);
    expect(await clock.run(heads.headSeq('>'))).toBe(seq);
    expect(clock.pending).toBeLessThanOrEqual(pending);
  });

  test('what a crash left unsigned is signed by the next life, and an end signs what is left', async () => {
    const { write, clock, headsOf, crash, restart, agent } = await bench();
    await write(1);
    crash();
    await restart();
    await clock.advance(2 * MINUTE + 5_000);
    expect((await headsOf()).filter((head) => head.scope === scope).map(({ n }) => n)).toEqual([2]);
    await write(2);
    await clock.run(agent().stop());
    expect((await headsOf()).filter((head) => head.scope === scope).map(({ n }) => n)).toEqual([2, 4]);
  });

  test('a crash in the middle of signing leaves no scope without a head', async () => {
    const { clock, headsOf, crash, restart, agent } = await bench();
    const names = Array.from({ length: 300 }, (_, n) => scopes.alarm(`a-${n}`));
    for (const name of names) await clock.run(agent().cell.record.append(name, { kind: 'alarm', data: {} }));
    const first = async () => new Set((await headsOf()).map((head) => head.scope));
    for (let ms = 0; (await first()).size < 100 && ms < 2 * MINUTE; ms++) await clock.advance(1);
    // One that is older has changed again in the meantime: its head is newer than those that are not written yet.
    const { record } = agent().cell;
    await clock.run(record.append(names[250] as (typeof names)[number], { kind: 'alarm', data: {} }));
    crash();
    const before = await first();
    expect(before.size).toBeLessThan(names.length);
    await restart();
    await clock.advance(3 * MINUTE);
    const signed = await first();
    expect(names.filter((name) => !signed.has(name))).toEqual([]);
    const { n } = (await headsOf()).findLast((head) => head.scope === names[250]) ?? {};
    expect(n).toBe(2);
  });

  test('are countersigned by who has read the entry in the log', async () => {
    const made = await bench();
    const { write, clock, heads } = made;
    await checker(made);
    await write(1);
    await clock.advance(MINUTE + 2_000);
    const pattern = subjects.countersignaturesOf('default', 'worker', scope);
    const found = (await clock.run(collect(heads.read(pattern)))).map(({ payload }) => readCountersignature(payload));
    expect(found).toMatchObject([{ by: 'checker', component: 'worker', scope, n: 2, key: testSigning('checker').id }]);
  });

  test('one that the log does not bear out is not countersigned: an alarm is raised', async () => {
    const made = await bench();
    const { write, clock, heads, entries, complaints } = made;
    const other = await checker(made);
    await write(1);
    const [first, second] = await entries();
    if (!first || !second) throw new Error('no entries');
    const at = Math.round(clock.now());
    const place = { tenant: 'default', component: 'worker' };
    const lies = [
      { ...second, hash: 'f'.repeat(64) },
      { ...second, seq: second.seq + 1, n: 3 },
    ];
    for (const lie of lies) {
      const bytes = Buffer.from(JSON.stringify(signHead(KEY, place, lie, at)));
      await clock.run(heads.append(subjects.head('default', 'worker', scope), bytes));
    }
    await clock.run(heads.append(subjects.head('default', 'worker', scope), packValue({ no: 'head' })));
    await clock.advance(5_000);
    expect(await clock.run(heads.headSeq(subjects.countersignaturesOf('default', 'worker', scope)))).toBe(0);
    expect(complaints.filter((line) => line === 'a signed head and the log do not agree')).toHaveLength(2);
    await clock.run(other.cell.view.catchUp());
    const alarms = (await clock.run(other.cell.view.scopes())).filter((one) => one.startsWith('alarm_'));
    expect(alarms.length).toBeGreaterThan(0);
  });
});

test('heads are plain canonical text: what is signed can be read by whoever has the key alone', async () => {
  const { write, clock, heads } = await bench();
  await write(1);
  await clock.advance(MINUTE + 1_000);
  const [record] = await clock.run(collect(heads.read(subjects.head('default', 'worker', scope))));
  expect(text(record?.payload ?? new Uint8Array())).toMatch(/^\{"at":\d+,"component":"worker","hash":"[0-9a-f]{64}"/);
});
