import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config.js';

const folder = mkdtempSync(join(tmpdir(), 'hermes-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (content: string): string => {
  const path = join(folder, 'hermes.yaml');
  writeFileSync(path, content);
  return path;
};
const none = join(folder, 'none.yaml');

describe('the configuration', () => {
  test('default, file, environment, flag, in rising order, and each says where it came from', () => {
    const path = file('http_port: 1\nsim_port: 1\nlog_level: info\n');
    const { values, sources } = loadConfig({ http_port: 3 }, { HERMES_HTTP_PORT: '2', HERMES_SIM_PORT: '2' }, path);
    expect(values).toMatchObject({ http_port: 3, sim_port: 2, log_level: 'info', http_host: '127.0.0.1' });
    expect(sources).toMatchObject({
      http_port: 'flag',
      sim_port: 'environment',
      log_level: 'file',
      http_host: 'default',
    });
  });

  test('an empty variable is no value; a foreign variable is nobody’s business', () => {
    const { values } = loadConfig({}, { HERMES_HTTP_PORT: '', PATH: '/bin' }, none);
    expect(values.http_port).toBe(7070);
  });

  test.each([
    ['the file', () => loadConfig({}, {}, file('htp_port: 1\n')), 'http_port'],
    ['the environment', () => loadConfig({}, { HERMES_HTP_PORT: '1' }, none), 'HERMES_HTTP_PORT'],
  ])('an unknown key of %s is an error with the nearest known one', (_where, load, suggestion) => {
    expect(load).toThrowError(
      expect.objectContaining({
        reason: 'invalid_params',
        data: expect.objectContaining({ suggestion: expect.stringContaining(suggestion) }),
      }),
    );
  });

  test.each([
    ...['HERMES_TOKEN', 'HERMES_AUTH_TOKENS', 'HERMES_AUTH_JWKS_URL', 'HERMES_AUTH_PUBLIC_KEY'],
    'HERMES_HTTP_RATE_LIMIT',
    ...['HERMES_MODEL_BASE_URL', 'HERMES_MODEL', 'HERMES_MODEL_API_KEY'],
    ...['HERMES_MODEL_PRICE_INPUT', 'HERMES_MODEL_PRICE_OUTPUT', 'HERMES_MODEL_PRICE_CURRENCY'],
  ])('%s is not in this release, and says so instead of guessing', (name) => {
    const load = () => loadConfig({}, { [name]: 'my-secret' }, none);
    expect(load).toThrowError(
      expect.objectContaining({
        reason: 'invalid_params',
        message: `${name} is not in this release`,
        data: expect.objectContaining({ suggestion: expect.not.stringContaining('did you mean') }),
      }),
    );
    expect(load).not.toThrow(/my-secret/);
  });

  test.each([
    ['http_port', '70000'],
    ['http_port', 'many'],
    ['log_level', 'loud'],
    ['tenant', 'Big Tenant'],
    ['url', 'nowhere'],
    ['nats_url', 'http://127.0.0.1:4222'],
    ['nats_url', 'site.yaml'],
    ['health_port', '-1'],
    ['trace_ratio', '1.5'],
    ['trace_ratio', 'all'],
  ])('a wrong %s (%s) names key and source', (key, value) => {
    const variable = `HERMES_${key.toUpperCase()}`;
    expect(() => loadConfig({}, { [variable]: value }, none)).toThrow(new RegExp(`${key} \\(environment\\)`));
  });

  test.each(['nats://127.0.0.1:4222', 'tls://a.example:4222,tls://b.example:4222', '127.0.0.1:4222'])(
    'the network is where nats_url says: %s',
    (url) => {
      expect(loadConfig({}, { HERMES_NATS_URL: url }, none).values.nats_url).toBe(url);
      expect(loadConfig({}, {}, none).values.nats_url).toBeUndefined();
    },
  );

  test('one trace in ten has spans, unless trace_ratio says another share', () => {
    expect(loadConfig({}, {}, none).values.trace_ratio).toBe(0.1);
    expect(loadConfig({}, { HERMES_TRACE_RATIO: '0.25' }, none).values.trace_ratio).toBe(0.25);
  });

  test('a wrong secret is not told', () => {
    const secret = 'my-secret-master-key-value';
    const load = () => loadConfig({}, {}, file(`master_key: [${secret}]\n`));
    expect(load).toThrow(/master_key/);
    expect(load).not.toThrow(new RegExp(secret));
  });

  test.each(['[]', '7', 'text'])('a file of %j is refused', (content) => {
    expect(() => loadConfig({}, {}, file(content))).toThrow(/not a map/);
  });
});
