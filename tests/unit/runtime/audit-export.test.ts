import { beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../../agents/runtime/record/index.js';
import { auditBench as bench, checker, MINUTE, packOf, scope, verify } from '../../support/audit-bench.js';
import { testSigning } from '../../support/test-signing.js';

// Loaded on first use, which virtual time would not wait for.
beforeAll(() => import('pdfkit'));

describe('an export', () => {
  test('verifies with the key of the component alone, and holds the whole scope', async () => {
    const { write, exported } = await bench();
    await write(1);
    await write(2);
    const bytes = await exported();
    expect(verify(bytes)).toMatchObject({ ok: true, findings: [], entries: 4, head: { n: 4 }, countersignatures: [] });
    const pack = packOf(bytes);
    expect(pack.snapshots).toMatchObject([{ version: 1 }, { version: 2 }]);
    expect(pack.about).toMatchObject({ exported_for: 'the_admin', component: 'worker', scope });
    expect(pack.trace).toMatchObject([{ goal_id: 'g-aaaaaaaaaaaaaaaa', stages: [{ name: 'set_value' }, {}] }]);
    expect(Buffer.from(pack.renderings.pdf, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
    expect(Buffer.from(pack.renderings.csv, 'base64').toString('utf8')).toContain('set_value');
  }, 30_000);

  test('carries the countersignature of who is there to give one', async () => {
    const made = await bench();
    await checker(made);
    await made.write(1);
    const bytes = await made.exported();
    expect(verify(bytes).countersignatures).toMatchObject([{ by: 'checker', state: 'not checked' }]);
    expect(verify(bytes, testSigning('checker').publicPem)).toMatchObject({
      ok: true,
      countersignatures: [{ by: 'checker', state: 'valid' }],
    });
  }, 30_000);

  test('of a time holds the piece between, on the hash before it', async () => {
    const { write, clock, exported, entries } = await bench();
    for (let value = 1; value <= 5; value++) {
      await write(value);
      await clock.advance(10_000);
    }
    const all = await entries();
    const [from, to] = [all[2]?.at, all[5]?.at];
    const bytes = await exported({ scope, from, to });
    expect(verify(bytes)).toMatchObject({ ok: true, entries: 4, head: { n: 10 } });
    expect(packOf(bytes).about.range).toMatchObject({ after: { n: 2, hash: all[1]?.hash }, last_n: 6, from, to });
    expect(packOf(bytes).snapshots).toHaveLength(5);
    expect(verify(await exported({ scope, from }))).toMatchObject({ ok: true, entries: 8 });
    await expect(exported({ scope, from: to, to: from })).rejects.toMatchObject({ reason: 'not_found' });
  }, 30_000);

  test('of thousands of entries is made, fetched piece by piece, and verifies', async () => {
    const { agent, clock, exported, write } = await bench();
    await write(1);
    const note = '一条记录'.repeat(20);
    for (let n = 0; n < 3_000; n++) {
      await clock.run(agent().cell.record.append(scope, { kind: 'finished', outcome: 'confirmed', data: { n, note } }));
    }
    const bytes = await exported();
    expect(bytes.byteLength).toBeGreaterThan(2_000_000);
    expect(verify(bytes)).toMatchObject({ ok: true, entries: 3_002 });
  }, 60_000);

  test('is fetched by who asked for it, and not for ever', async () => {
    const { write, ask, clock } = await bench();
    await write(1);
    const { export_id } = await ask('audit_export', { scope });
    await expect(ask('audit_piece', { export_id, index: 0 })).rejects.toMatchObject({ reason: 'not_found' });
    await expect(ask('audit_seal', { export_id }, 'node')).rejects.toMatchObject({ reason: 'not_found' });
    const sealed = await ask('audit_seal', { export_id });
    expect(await ask('audit_seal', { export_id })).toEqual(sealed);
    await expect(ask('audit_piece', { export_id, index: 0 }, 'node')).rejects.toMatchObject({ reason: 'not_found' });
    await expect(ask('audit_piece', { export_id, index: 9 })).rejects.toMatchObject({ reason: 'not_found' });
    await clock.advance(3 * MINUTE);
    await expect(ask('audit_piece', { export_id, index: 0 })).rejects.toMatchObject({ reason: 'not_found' });
  }, 30_000);

  test('takes what the asker knows of its goals: whole approvals, and timelines under the asker’s name', async () => {
    const { write, ask, agent, clock, exported } = await bench();
    await write(1);
    const { cell } = agent();
    const goal = scopes.goal('g-aaaaaaaaaaaaaaaa');
    const approval = await clock.run(cell.record.append(goal, { kind: 'approval', data: { decision: 'approve' } }));
    const { export_id, goals } = await ask('audit_export', { scope });
    expect(goals).toEqual(['g-aaaaaaaaaaaaaaaa']);
    const trace = [{ goal_id: goals?.[0 as never], stages: [{ name: 'goal', start_unix_ms: 1, ms: 2 }] }];
    for (const wrong of [
      { ...approval, at: 1 },
      { ...approval, tenant: 'other' },
      { ...approval, kind: 'finished' },
    ]) {
      const refused = ask('audit_seal', { export_id, approvals: [wrong] });
      await expect(refused).rejects.toMatchObject({ reason: 'invalid_params' });
    }
    const { pieces } = await ask('audit_seal', { export_id, approvals: [approval], trace });
    expect(pieces).toBe(1);
    const { piece } = await ask('audit_piece', { export_id, index: 0 });
    const bytes = Buffer.from(piece as string, 'base64');
    expect(verify(bytes)).toMatchObject({ ok: true });
    expect(packOf(bytes)).toMatchObject({ approvals: [approval], trace: [{ by: 'worker' }, { by: 'tester' }] });
    expect(packOf(await exported()).approvals).toEqual([]);
  }, 30_000);

  test('is refused to who may not see all of it', async () => {
    const { write, exported } = await bench();
    await write(99);
    await expect(exported({ scope }, 'node')).rejects.toMatchObject({ reason: 'scope_denied' });
    await expect(exported({ scope }, 'nothing')).rejects.toMatchObject({ reason: 'scope_denied' });
    await expect(exported({ scope: 'device_PLC-001' })).rejects.toMatchObject({ reason: 'not_found' });
  }, 30_000);
});

describe('reading the record', () => {
  const seen = async ({ entries }: Awaited<ReturnType<typeof bench>>) =>
    (await entries(scopes.audit('access'))).map(({ kind, principal, data }) => [kind, principal?.id, data]);

  test('is on the record: who looked and who was refused, one entry a reading', async () => {
    const made = await bench();
    await made.write(1);
    await made.ask('audit_query', { scope, outcome: 'confirmed' });
    await made.exported();
    await expect(made.ask('audit_query', { scope }, 'nothing')).rejects.toMatchObject({ reason: 'scope_denied' });
    await expect(made.ask('audit_export', { scope }, 'nothing')).rejects.toMatchObject({ reason: 'scope_denied' });
    expect(await seen(made)).toEqual([
      ['finished', 'the_admin', { what: 'audit_query', about: scope, outcome: 'confirmed' }],
      ['finished', 'the_admin', { what: 'audit_export', about: scope, from_n: 1, to_n: 2 }],
      ['refused', 'the_nothing', { what: 'audit_query', about: scope }],
      ['refused', 'the_nothing', { what: 'audit_export', about: scope }],
    ]);
  }, 30_000);

  test('a filter goes on past what does not fit, over a bounded piece of the chain', async () => {
    const { agent, clock, write, ask } = await bench();
    await write(1);
    for (let n = 0; n < 6_000; n++) {
      await clock.run(agent().cell.record.append(scope, { kind: 'finished', outcome: 'failed', data: { n } }));
    }
    await write(2);
    const page = async (from_n: number) =>
      (await ask('audit_query', { scope, outcome: 'confirmed', from_n })) as {
        entries: { n: number }[];
        next?: number;
      };
    const first = await page(1);
    expect(first.entries.map(({ n }) => n)).toEqual([2]);
    expect(first.next).toBe(5_001);
    const second = await page(first.next as number);
    expect(second.entries.map(({ n }) => n)).toEqual([6_004]);
    expect(second.next).toBeUndefined();
    const some = (await ask('audit_query', { scope, outcome: 'failed', limit: 3 })) as typeof second;
    expect([some.entries.map(({ n }) => n), some.next]).toEqual([[3, 4, 5], 6]);
  }, 60_000);

  test('an answer stays within a message, however long the entries are', async () => {
    const { agent, clock, ask } = await bench();
    for (let n = 0; n < 40; n++) {
      await clock.run(agent().cell.record.append(scope, { kind: 'finished', data: { text: 'x'.repeat(50_000) } }));
    }
    let next: number | undefined = 1;
    let count = 0;
    while (next !== undefined) {
      const found = (await ask('audit_query', { scope, from_n: next, limit: 500 })) as {
        entries: unknown[];
        next?: number;
      };
      count += found.entries.length;
      next = found.next;
    }
    expect(count).toBe(40);
  }, 30_000);
});
