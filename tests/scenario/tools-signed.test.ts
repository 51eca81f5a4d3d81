import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { type AdmissionOptions, loadAgent } from '../../topology/index.js';
import { startHermes } from '../support/hermes-process.js';
import { keyNumber, makeAgent, type SignedAgent, textOf } from '../support/signed-agent.js';

const KEY = keyNumber(1);
const enforce: AdmissionOptions = { mode: 'enforce', known: [KEY.publicPem], logger: silentLogger() };

let agent: SignedAgent;
beforeEach(() => {
  agent = makeAgent();
});
afterEach(() => rmSync(agent.folder, { recursive: true, force: true }));

const load = (options: AdmissionOptions = enforce) => loadAgent('signed', agent.entry, options);
const refusal = (problem: string) => ({ reason: 'not_allowed', message: expect.stringContaining(problem) });

describe('enforce', () => {
  test('tools that a known key signed run, and say by whom', async () => {
    await agent.sign(KEY);
    const { admission, tools } = (await load())('signed');
    expect(admission).toEqual({ mode: 'enforce', signed_by: KEY.id });
    expect(tools.map((tool) => tool.manifest.name)).toEqual(['look']);
  });

  test('unsigned tools are refused', async () => {
    await expect(load()).rejects.toMatchObject(refusal('nobody signed these tools'));
  });

  test('a key that is not known is named and refused', async () => {
    await agent.sign(keyNumber(2));
    await expect(load()).rejects.toMatchObject(refusal(keyNumber(2).id));
  });

  test('a file that was changed is refused by its name, before anything of it runs', async () => {
    await agent.sign(KEY);
    agent.append('tools.ts', "throw new Error('this ran');\n");
    await expect(load()).rejects.toMatchObject(refusal('tools.ts was changed after it was signed'));
  });

  test('a file that came after signing is refused', async () => {
    await agent.sign(KEY);
    writeFileSync(join(agent.folder, 'more.ts'), 'export const more = 1;\n');
    agent.append('index.ts', "export { more } from './more.js';\n");
    await expect(load()).rejects.toMatchObject(refusal('more.ts is not signed'));
  });

  test('a manifest that is not the one that was signed is refused', async () => {
    await agent.sign(KEY, 'another');
    const define = await load();
    expect(() => define('signed')).toThrow('the manifest of look is not the one that was signed');
  });

  test.each([
    ['a tool’s digest', (lock: string) => lock.replace(/"manifest":"[0-9a-f]/, (text) => flipped(text))],
    ['a file’s digest', (lock: string) => lock.replace(/"tools.ts":"[0-9a-f]/, (text) => flipped(text))],
    ['a tool’s name', (lock: string) => lock.replace('"look"', '"Look"')],
    ['its end', (lock: string) => lock.slice(0, -20)],
    ['everything', () => 'no lock'],
  ])('a lock in which %s was changed is refused', async (_what, tamper) => {
    await agent.sign(KEY);
    const lock = textOf(agent.lockFile);
    const tampered = tamper(lock);
    expect(tampered).not.toBe(lock);
    writeFileSync(agent.lockFile, tampered);
    await expect(load()).rejects.toMatchObject({ reason: 'not_allowed' });
  });
});

describe('develop', () => {
  test('unsigned tools run, and those whose signature does not hold with a warning', async () => {
    const said: object[] = [];
    const logger = {
      ...silentLogger(),
      info: (fields: object) => void said.push({ level: 'info', ...fields }),
      warn: (fields: object) => void said.push({ level: 'warn', ...fields }),
    };
    const admission = async () => (await load({ mode: 'develop', known: [KEY.publicPem], logger }))('signed').admission;
    expect(await admission()).toEqual({ mode: 'develop', signed_by: null });
    await agent.sign(KEY);
    agent.append('tools.ts', '// changed\n');
    expect(await admission()).toEqual({ mode: 'develop', signed_by: null });
    expect(said).toMatchObject([
      { level: 'info', problems: [expect.stringContaining('nobody signed')] },
      { level: 'warn', problems: [expect.stringContaining('tools.ts was changed')] },
    ]);
  });
});

test('hermes tools sign makes what a site that enforces takes, and hermes tools scan finds nothing', async () => {
  const data = { HERMES_DATA_DIR: join(agent.folder, 'data') };
  const run = async (...args: string[]): Promise<string> => {
    const hermes = startHermes(['tools', ...args], data);
    expect(await hermes.exited, hermes.output()).toBe(0);
    return hermes.output();
  };
  expect(await run('scan', agent.entry)).toContain('2 files, nothing found');
  const signed = JSON.parse(await run('sign', agent.entry, '--json'));
  const known = [textOf(join(agent.folder, 'data', 'keys', 'tools.pub.pem'))];
  const { admission } = (await load({ ...enforce, known }))('signed');
  expect(admission).toEqual({ mode: 'enforce', signed_by: signed.key_id });
});

const flipped = (text: string): string => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
