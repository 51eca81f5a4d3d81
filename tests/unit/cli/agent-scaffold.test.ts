import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentNames, findCheckout, scaffoldAgent } from '../../../cli/agent-scaffold.js';
import { ROOT } from '../../support/arch-source.js';

/** What `hermes new agent` makes of a name, and what it refuses. */
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'hermes-scaffold-'));
  for (const file of ['package.json', 'biome.json', '.gitignore', 'agents/template']) {
    cpSync(join(ROOT, file), join(checkout, file), { recursive: true });
  }
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

describe('a name', () => {
  test('is spoken, written and typed in its own way', () => {
    expect(agentNames('pump-guard', '泵卫')).toEqual({
      kebab: 'pump-guard',
      snake: 'pump_guard',
      camel: 'pumpGuard',
      constant: 'PUMP_GUARD',
      spoken: 'pump guard',
      zh: '泵卫',
    });
    expect(agentNames('pump_guard')).toMatchObject({ kebab: 'pump-guard', zh: 'pump guard' });
  });

  test.each([
    ['', 'is empty'],
    ['Pump', 'has capitals'],
    ['pump guard', 'has a blank'],
    ['pump2', 'has a digit, which a sentence would hear as a number'],
    ['-pump', 'begins with a dash'],
    ['pump--guard', 'has two dashes'],
    ['../pump', 'leads elsewhere'],
    ['a'.repeat(25), 'is too long'],
    ['template', 'is the template itself'],
    ['runtime', 'is a room'],
    ['drivers', 'is a room'],
    ['journal', 'is a part of the product'],
    ['production-coordinator', 'is the coordinator'],
  ])('%s is refused: it %s', (name) => {
    expect(() => agentNames(name)).toThrow(
      expect.objectContaining({
        reason: 'invalid_params',
        data: { fields: [{ pointer: '/name', problem: expect.any(String) }], suggestion: expect.any(String) },
      }),
    );
  });

  test.each(['', '泵|阀', '{device}', '泵 卫', '一二三四五六七八九', '泵2'])('a Chinese word %j is refused', (word) => {
    expect(() => agentNames('pump', word)).toThrow(expect.objectContaining({ reason: 'invalid_params' }));
  });
});

describe('the folder', () => {
  test('has all that the template has, under the new name and nothing of the old one', () => {
    const made = scaffoldAgent(checkout, agentNames('pump-guard', '泵卫'));
    const template = readdirSync(join(ROOT, 'agents/template'), { recursive: true, withFileTypes: true });
    expect(made.length).toBe(template.filter((entry) => entry.isFile()).length);
    expect(made).toContain('agents/pump-guard/tools/pump-guard-overview.ts');
    for (const file of made) {
      const text = readFileSync(join(checkout, file), 'utf8');
      expect(text, file).not.toMatch(/sample[-_ ]?agent|agents\/template|样板/i);
    }
    expect(readFileSync(join(checkout, 'agents/pump-guard/intents.ts'), 'utf8')).toContain('查看PLC-003的泵卫概况');
  });

  test.each(['x', 'coolant', 'maintenance-window-planx'])('is well formed, however long the name: %s', (name) => {
    scaffoldAgent(checkout, agentNames(name));
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const { status, stderr } = spawnSync(biome, ['ci', `agents/${name}`], { cwd: checkout, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('Checked 7 files')]);
    for (const file of readdirSync(join(checkout, 'agents', name), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const lines = readFileSync(join(checkout, 'agents', name, file), 'utf8').split('\n');
      expect(lines.filter((line) => line.length > 120)).toEqual([]);
    }
  });

  test('is not written over', () => {
    mkdirSync(join(checkout, 'agents/pump'));
    expect(() => scaffoldAgent(checkout, agentNames('pump'))).toThrow('agents/pump is there already');
    expect(readdirSync(join(checkout, 'agents/pump'))).toEqual([]);
  });
});

describe('the checkout', () => {
  test('is found from any folder in it', () => {
    expect(findCheckout(checkout)).toBe(checkout);
    expect(findCheckout(join(checkout, 'agents/template/tools'))).toBe(checkout);
  });

  test('is missed with a next step, also in an installed package and in another one', () => {
    const outside = expect.objectContaining({
      reason: 'not_found',
      message: expect.stringContaining('in no checkout'),
      data: { suggestion: expect.any(String) },
    });
    expect(() => findCheckout(tmpdir())).toThrow(outside);
    rmSync(join(checkout, 'agents/template'), { recursive: true });
    expect(() => findCheckout(checkout)).toThrow(outside);
    cpSync(join(ROOT, 'agents/template'), join(checkout, 'agents/template'), { recursive: true });
    writeFileSync(join(checkout, 'package.json'), '{"name":"other"}');
    expect(() => findCheckout(checkout)).toThrow(outside);
    expect(existsSync(join(checkout, 'agents/template/index.ts'))).toBe(true);
  });
});
