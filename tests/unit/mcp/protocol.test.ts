import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatComponentId, manifestSchema, parseComponentId, serves, subjects } from '../../../mcp/index.js';
import { requestSchema } from '../../../mcp/protocol/envelope.js';
import { downgradeRequest, upgradeRequest } from '../../../mcp/protocol/versions.js';
import messages from './seed-messages.json' with { type: 'json' };

/** The literal 1.2 messages of the source documents, as they stand there. */
const SEEDS = messages.map((message) => JSON.stringify(message));
const NOW = Date.UTC(2026, 0, 5, 8);

describe('requests', () => {
  test.each(SEEDS.map((text) => [JSON.parse(text).request_id as string, text]))(
    'the literal message %s of the seeds, with a deadline, is accepted as it stands',
    (_id, text) => {
      const literal = { ...JSON.parse(text), deadline_unix_ms: NOW + 10_000 };
      const { message, deprecated } = upgradeRequest(literal, NOW);
      expect(deprecated).toBeUndefined();
      expect(requestSchema.parse(message)).toMatchObject(literal);
    },
  );

  test('without a deadline a 1.2 request is refused and the field is named', () => {
    const parsed = requestSchema.safeParse(JSON.parse(SEEDS[0] as string));
    expect(parsed.success).toBe(false);
    expect(parsed.error?.issues.map((issue) => issue.path.join('/'))).toEqual(['deadline_unix_ms']);
  });

  test('unknown fields are kept', () => {
    const literal = { ...JSON.parse(SEEDS[1] as string), deadline_unix_ms: NOW, x_site: 'A' };
    expect(requestSchema.parse(literal)).toHaveProperty('x_site', 'A');
  });

  test.each([
    ['request_id', ''],
    ['request_id', 'x'.repeat(129)],
    ['request_id', 7],
    ['caller', 'plc_controller'],
    ['callee', 'PLC_v1.0'],
    ['method', 'getStatus'],
    ['params', [1]],
    ['timeout_ms', -1],
    ['deadline_unix_ms', '2026'],
    ['retry_policy', { max_attempts: 11 }],
    ['retry_policy', { max_attempts: 0 }],
    ['retry_policy', { backoff_factor: 0.5 }],
    ['chain', 'a_v1.0'],
    ['consistency_level', 'sometimes'],
  ])('a wrong %s (%j) is refused', (field, value) => {
    const literal = { ...JSON.parse(SEEDS[1] as string), deadline_unix_ms: NOW, [field]: value };
    const parsed = requestSchema.safeParse(literal);
    expect(parsed.error?.issues[0]?.path[0]).toBe(field);
  });
});

describe('versions', () => {
  const old = (more: object = {}) => ({
    ...JSON.parse(SEEDS[1] as string),
    mcp_version: '1.1',
    max_retries: 2,
    ...more,
  });

  test('1.1 becomes 1.2: retries are attempts, the time-out becomes the deadline; its use is told', () => {
    const { message, deprecated } = upgradeRequest(old(), NOW);
    expect(deprecated).toBe('1.1');
    expect(message).toMatchObject({
      mcp_version: '1.2',
      retry_policy: { max_attempts: 3 },
      deadline_unix_ms: NOW + 3_000,
    });
    expect(message).not.toHaveProperty('max_retries');
    requestSchema.parse(message);
  });

  test.each([
    ['max_retries', -5],
    ['max_retries', 1.5],
    ['max_retries', 1e9],
    ['timeout_ms', 0.5],
    ['timeout_ms', -10],
    ['timeout_ms', 'soon'],
  ])('a 1.1 message with a wrong %s (%j) is a refusal of a field or a lawful request', (field, value) => {
    const { message } = upgradeRequest(old({ [field]: value }), NOW);
    const parsed = requestSchema.safeParse(message);
    if (!parsed.success) return;
    expect(parsed.data.deadline_unix_ms).toBeGreaterThan(NOW);
    expect(parsed.data.retry_policy?.max_attempts ?? 1).toBeGreaterThanOrEqual(1);
  });

  test('down and up again keeps attempts and time left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 86_400_000 }), (max_attempts, left) => {
        const { timeout_ms: _timeout, ...seed } = JSON.parse(SEEDS[2] as string);
        const full = { ...seed, retry_policy: { max_attempts }, deadline_unix_ms: NOW + left, sent_at_unix_ms: NOW };
        const down = downgradeRequest(full);
        expect(down).not.toHaveProperty('deadline_unix_ms');
        expect(down).not.toHaveProperty('retry_policy');
        const { message } = upgradeRequest(down, NOW);
        expect(message).toMatchObject({ deadline_unix_ms: NOW + left, retry_policy: { max_attempts } });
      }),
    );
  });

  test.each(['1.3', '2.0', '', undefined, 1.2, null])(
    'B17: version %j is refused with what is supported',
    (version) => {
      expect(() => upgradeRequest({ mcp_version: version }, NOW)).toThrowError(
        expect.objectContaining({
          reason: 'bad_version',
          data: expect.objectContaining({ supported: ['1.1', '1.2'] }),
        }),
      );
    },
  );
});

describe('names', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,47}$/);
  const part = fc.integer({ min: 0, max: 9_999 });

  test('a component id comes back as it was written', () => {
    fc.assert(
      fc.property(name, part, part, (own, major, minor) => {
        const id = { name: own, major, minor };
        expect(parseComponentId(formatComponentId(id))).toEqual(id);
      }),
    );
  });

  test.each(['plc', 'plc_v1', 'plc_v1.', 'Plc_v1.0', 'plc_v1.0 ', 'plc_v1.0\n', 'plc.a_v1.0', '_v1.0', 'a*_v1.0', ''])(
    '%j is not a component id',
    (text) => {
      expect(() => parseComponentId(text)).toThrow(/component id/);
    },
  );

  test('a component serves the same major and at least the minor that is asked', () => {
    fc.assert(
      fc.property(part, part, part, part, (major, minor, askedMajor, askedMinor) => {
        const offered = { name: 'a', major, minor };
        const asked = { name: 'a', major: askedMajor, minor: askedMinor };
        expect(serves(offered, asked)).toBe(major === askedMajor && minor >= askedMinor);
        expect(serves(offered, { ...offered, name: 'b' })).toBe(false);
      }),
    );
  });

  test('one component cannot read another one’s subjects by a longer name', () => {
    expect(subjects.reply('default', 'plc', 'n').startsWith(subjects.replyPrefix('default', 'pl'))).toBe(false);
    expect(subjects.call('t', 'plc', 1, 'a')).toBe('hermes.t.call.plc.v1.a');
  });
});

describe('manifests', () => {
  const method = {
    name: 'restart_device',
    input_schema: {},
    output_schema: {},
    timeout_ms: 1,
    rollback: { none: 'it is a restart' },
  };
  const manifest = {
    component: 'plc_v1.0',
    description: { zh: '控', en: 'c' },
    supported_mcp_versions: ['1.2'],
    methods: [method],
  };

  test('an undeclared effect is irreversible and of high risk', () => {
    expect(manifestSchema.parse(manifest).methods[0]).toMatchObject({ effect_class: 'irreversible', risk: 'high' });
  });

  test.each([
    ['no rollback and no reason', { methods: [{ ...method, rollback: undefined }] }],
    ['no supported version', { supported_mcp_versions: [] }],
    ['a method name with a dot', { methods: [{ ...method, name: 'a.b' }] }],
    ['129 methods', { methods: Array.from({ length: 129 }, () => method) }],
    ['one language', { description: { zh: '控' } }],
  ])('%s is refused', (_what, more) => {
    expect(manifestSchema.safeParse({ ...manifest, ...more }).success).toBe(false);
  });
});
