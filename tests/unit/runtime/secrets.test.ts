import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type SnapshotDraft, scopes } from '../../../agents/runtime/index.js';
import { findSecrets, withoutSecrets } from '../../../agents/runtime/record/index.js';
import { HermesError } from '../../../shared/errors.js';
import { ModelText, type Storable, storable } from '../../../shared/model-text.js';
import { loadTopology } from '../../../topology/load.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

/** Put together here, so that no scanner of this repository takes them for real ones. */
const join = (...parts: string[]): string => parts.join('');
const SECRETS: readonly (readonly [what: string, text: string])[] = [
  ['private key', join('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIE')],
  ['private key', join('-----BEGIN PRIVATE', ' KEY-----')],
  ['JSON web token', join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0', '.SflKxwRJSMeKKF2QT4fw')],
  ['AWS access key', join('AKIA', 'IOSFODNN7EXAMPLE')],
  ['GitHub token', join('ghp_', 'a'.repeat(36))],
  ['GitLab token', join('glpat-', 'x'.repeat(20))],
  ['Slack token', join('xoxb-', '1234567890-abc')],
  ['Google API key', join('AIza', 'b'.repeat(35))],
  ['secret key', join('sk-', 'proj-', 'A1b2C3d4E5f6G7h8')],
  ['bearer token', join('Authorization: Bearer ', 'abcdefghij0123456789')],
  ['password in a URL', 'modbus gateway at https://admin:hunter22@10.0.0.7/'],
  ['password in a text', 'pwd=letmein'],
  ['password in a text', 'the password is hunter22'],
  ['password in a text', '网关密码：abc12345'],
  ['password in a text', '口令是 888888'],
];
const HARMLESS: readonly string[] = [
  'the password is required',
  '密码已更改',
  'password: changed by li',
  'secret santa is on Friday',
  'https://example.com/a@b:c',
  'smtp://mail.example.com:587',
  'mem_20260301_120000_a1b2c3d4',
  'op-abcdefghijklmnop',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '2026-03-01T12:00:00.000Z',
  'risk-assessment-2026-of-the-third-floor-and-the-fourth',
  'Basic cooling needs maintenance',
  'the bearer of this work order goes to floor three',
  'sketch-of-the-plan-of-the-cooling-of-floor-3',
  'desk-1234567890123456',
];

describe('what looks like a credential', () => {
  test.each(SECRETS)('%s is found wherever it stands, and the value is not repeated', (what, text) => {
    for (const [data, pointer] of [
      [{ note: text }, '/note'],
      [{ a: [{ 'b/c~d': text }] }, '/a/0/b~1c~0d'],
      [{ [text]: 1 }, '/(a key)'],
    ] as const) {
      const found = findSecrets(data);
      expect(found).toEqual([{ pointer, looks_like: what }]);
      expect(JSON.stringify(found)).not.toContain(text);
      expect(JSON.stringify(withoutSecrets(data))).not.toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  test.each(['password', 'Password', 'db_password', 'smtp-password', 'apiKey', 'api_key', 'client_secret', 'secret'])(
    'text under %s is one, whatever it looks like',
    (name) => {
      expect(findSecrets({ at: { [name]: 'x' } })).toEqual([{ pointer: `/at/${name}`, looks_like: 'named so' }]);
      expect(withoutSecrets({ [name]: ['x'] })).toEqual({ [name]: expect.stringContaining('refused') });
    },
  );

  test.each([
    { password: { kms_key_id: 'projects/plant/keys/gateway' } },
    { password: '' },
    { secret: 7, token: 5, fencing_token: 12, credentials: null },
    { tokens: ['a', 'b'], keyboard: 'us', passwordless: true, monkey: 'x', secretary: 'Li' },
  ])('a reference, and what is no text, is none: %j', (data) => {
    expect(findSecrets(data)).toEqual([]);
  });

  test('a secret in place of a reference is found all the same', () => {
    const data = { password: { kms_key_id: SECRETS[3]?.[1] } };
    expect(findSecrets(data)).toMatchObject([{ pointer: '/password/kms_key_id' }]);
  });

  test.each(HARMLESS)('%j is none', (text) => {
    expect(findSecrets({ note: text, list: [text] })).toEqual([]);
  });

  test('no site that is shipped has any, as it stands and as it is read', () => {
    const folder = new URL('../../../topology/sites/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const { href } = new URL(file, folder);
      expect(findSecrets(readFileSync(new URL(href), 'utf8').split('\n')), file).toEqual([]);
      expect(findSecrets(loadTopology(new URL(href).pathname)), file).toEqual([]);
    }
  });

  test('a long text is looked at in no time, however it is made', () => {
    const worst = ['password '.repeat(7_000), 'a:/'.repeat(20_000), 'eyJ'.repeat(20_000), 'Basic '.repeat(10_000)];
    for (const text of worst) {
      const began = performance.now();
      findSecrets({ text });
      expect(performance.now() - began, text.slice(0, 8)).toBeLessThan(1_000);
    }
  });
});

describe('a snapshot with a credential', () => {
  const key = SECRETS[3]?.[1] as string;
  const output = z.strictObject({ device_id: z.string(), value: z.number(), note: z.string().optional() });
  const leaky = () =>
    toyTool('idempotent_write', {
      output: output as never,
      execute: async (ctx, { device_id, value }) => {
        await ctx.modbus.write(device_id, 'temperature_setpoint', value);
        return { device_id, value, ...(value === 66 ? { note: key } : {}) };
      },
      snapshot: (_input, result) => ({ data: { ...result } }),
    });

  test('is not written; what was done is, with the field that was refused; alarm and entry name it', async () => {
    const { call, entries, device, agent, clock } = await cellBench({ tools: [leaky()] });
    const params = { device_id: 'PLC-007', value: 66 };
    const { response } = await call({ params, requestId: 'r-1' as never });
    expect(response.result).toMatchObject({ value: 66, note: expect.stringContaining('refused') });
    expect(device.value).toBe(66);
    const chain = await entries();
    const refused = [{ pointer: '/note', looks_like: 'AWS access key' }];
    expect(chain.at(-1)).toMatchObject({ kind: 'finished', outcome: 'confirmed', data: { snapshot_refused: refused } });
    expect([chain.at(-1)?.snapshots, chain.at(-1)?.last_version]).toEqual([undefined, 0]);
    await clock.advance(10);
    const noted = await entries(scopes.audit('access'));
    expect(noted.at(-1)).toMatchObject({ kind: 'refused', data: { about: 'device_PLC-007', what: 'set_value' } });
    const all = await clock.run(agent().cell.view.scopes());
    const alarms = all.filter((scope) => scope.startsWith('alarm_'));
    expect(alarms).toHaveLength(1);
    const raised = await entries(alarms[0]);
    expect(raised[0]?.data).toMatchObject({ kind: 'secret_in_snapshot', fields: [{ pointer: '/data/note' }] });
    expect(JSON.stringify([chain, noted, raised])).not.toContain(key);
    // Again, and once more: the next good one is version 1, and no flood of alarms.
    for (let n = 0; n < 5; n++) await call({ params, requestId: `r-again-${n}` as never });
    await call({ params: { device_id: 'PLC-007', value: 20 }, requestId: 'r-2' as never });
    expect((await entries()).at(-1)?.last_version).toBe(1);
    expect((await clock.run(agent().cell.view.scopes())).filter((scope) => scope.startsWith('alarm_'))).toHaveLength(1);
  });

  test('in the parameters is refused before the device hears of it, with the field named', async () => {
    const input = z.strictObject({ device_id: z.string(), value: z.number(), note: z.string().optional() });
    const { fails, entries, device } = await cellBench({
      tools: [toyTool('idempotent_write', { input: input as never })],
    });
    const error = await fails({ params: { device_id: 'PLC-007', value: 30, note: `gateway pwd=letmein` } });
    expect([error.reason, error.data.fields?.[0]?.pointer]).toEqual(['invalid_params', '/params/note']);
    expect(device.writes).toEqual([]);
    expect(await entries()).toEqual([]);
    expect((await entries(scopes.audit('access'))).map(({ kind }) => kind)).toEqual(['refused']);
  });
});

describe('text that a model wrote', () => {
  const text = new ModelText('the fan is probably broken');

  test('is not stored: it does not type-check, at any depth, and a cast is found at run time', () => {
    const drafts: SnapshotDraft[] = [
      { data: { note: text.read(), n: 1 } },
      // @ts-expect-error text of a model is no fact
      { data: { note: text } },
      // @ts-expect-error nor inside of one
      { data: { findings: [{ cause: text }] } },
      // @ts-expect-error nor as the whole of it
      { data: text },
    ];
    expect(drafts).toHaveLength(4);
    // @ts-expect-error no string either
    const asString: string = text;
    expect(() => JSON.stringify({ asString })).toThrow(HermesError);
    const unknowns: Record<string, unknown> = { text };
    // @ts-expect-error what is not known to be a fact is none
    const data: SnapshotDraft['data'] = unknowns;
    expect(() => storable(data)).toThrow(/cannot be stored/);
  });

  test('does not come out of a tool as its snapshot', () => {
    const io = z.strictObject({ x: z.number() });
    const make = () =>
      defineTool({
        ...{ name: 't', version: '1.0.0', description: 't', input: io, output: io, side_effects: [] },
        ...{ effect_class: 'read', risk: 'low', timeout_ms: 1, rollback: { none: 'a read' } },
        execute: async () => ({ x: 1 }),
        // @ts-expect-error a snapshot is made of facts
        snapshot: () => ({ data: { guess: text } }),
      });
    expect(make).not.toThrow();
  });

  test.each([
    [{ a: [1, 'x', null, { b: true }] }, true],
    [{ a: Number.NaN }, false],
    [{ a: new Date(0) }, false],
    [{ a: () => 1 }, false],
    [{ a: text }, false],
  ])('case %# is storable or not, as it says', (value, good) => {
    const check = (): Storable => storable(value);
    if (good) expect(check()).toEqual(value);
    else expect(check).toThrow(/\/a cannot be stored/);
  });
});
