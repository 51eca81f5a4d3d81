import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Agent, AgentDefinition } from '../../../agents/runtime/index.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { createLateAgents, type LateAgents } from '../../../topology/late-agents.js';

/** Who may join a running site, and what becomes of one that may not. */
const folder = mkdtempSync(join(tmpdir(), 'hermes-late-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A module that exports what stands here. */
function module(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return file;
}
const agent = (made: string): string => `export const defineAgent = (name) => (${made});`;
const GOOD = "{ name, version: '1.0', description: { zh: '样', en: 'sample' }, tools: [] }";

let running: string[] = [];
let left: string[] = [];
let release: () => void;
let announced: () => Promise<void>;
let late: LateAgents;
let clock: VirtualClock;
beforeEach(() => {
  running = [];
  left = [];
  announced = async () => undefined;
  clock = new VirtualClock();
  late = createLateAgents({
    clock,
    rows: new Set(['plc_controller']),
    async start(define: () => AgentDefinition) {
      const definition = define();
      running.push(definition.name);
      const manifest = {
        component: `${definition.name}_v${definition.version}`,
        description: definition.description,
        supported_mcp_versions: ['1.2'],
        methods: definition.tools.map((tool) => tool.manifest),
      };
      return {
        agent: { manifest } as unknown as Agent,
        stop: async () => void running.splice(running.indexOf(definition.name), 1),
      };
    },
    announced: () => announced(),
    hasLeft: (name) => void left.push(name),
  });
});
const slow = (): void => {
  announced = () =>
    new Promise((resolve) => {
      release = resolve;
    });
};

describe('an agent that asks to join', () => {
  test('is given up when its module never finishes loading; its name is free again', async () => {
    const endless = module('endless', 'await new Promise(() => {}); export const defineAgent = () => undefined;');
    const asked = late.join({ name: 'pump', module: endless });
    const refused = expect(asked).rejects.toMatchObject({ data: { fields: [{ pointer: '/module' }] } });
    await clock.advance(10_000);
    await refused;
    await expect(late.join({ name: 'pump', module: module('good', agent(GOOD)) })).resolves.toBeDefined();
  });

  test.each([
    ['Pump', 'in capitals'],
    ['pump-guard', 'with a dash'],
    ['a'.repeat(49), 'too long'],
    ['journal', 'which is the journal'],
    ['production_coordinator', 'which is the coordinator'],
    ['tester', 'which reads from everybody'],
    ['plc_controller', 'of the topology'],
  ])('under the name %s, %s, is refused at /name', async (name) => {
    const asked = late.join({ name, module: module('good', agent(GOOD)) });
    await expect(asked).rejects.toMatchObject({ reason: 'invalid_params', data: { fields: [{ pointer: '/name' }] } });
    expect(running).toEqual([]);
  });

  test.each([
    ['is not there', undefined, 'is not there'],
    ['throws', "throw new Error('no pump');", 'no pump'],
    ['is no code', 'export const = ;', 'cannot be loaded'],
    ['exports nothing', 'export const other = 1;', 'exports no defineAgent'],
    ['throws when it is asked', "export const defineAgent = () => { throw new Error('no oil'); };", 'no oil'],
    ['defines nothing', 'export const defineAgent = () => undefined;', 'defines undefined'],
    ['defines another one', agent(GOOD.replace('name,', "name: 'other',")), 'defines other'],
    ['has no version', agent(GOOD.replace("'1.0'", '1')), 'no version'],
    ['has tools of its own make', agent(GOOD.replace('[]', '[{}]')), 'list of tools'],
    ['has no list of tools', agent(GOOD.replace('[]', '7')), 'list of tools'],
    ['has a bad rule pack', agent(GOOD.replace('tools', 'rulePack: { intents: 7 }, tools')), '/rule_pack/intents'],
  ])('whose module %s is refused, and nothing runs', async (what, text, said) => {
    const file = text === undefined ? join(folder, 'nowhere.mjs') : module(what.replaceAll(' ', '-'), text);
    const asked = late.join({ name: 'pump', module: file });
    await expect(asked).rejects.toMatchObject({ reason: 'invalid_params', message: expect.stringContaining(said) });
    expect(running).toEqual([]);
  });

  test('whose manifest the coordinator would not take is stopped again', async () => {
    const file = module('odd', agent(GOOD.replace("{ zh: '样', en: 'sample' }", '7')));
    await expect(late.join({ name: 'pump', module: file })).rejects.toMatchObject({ reason: 'invalid_params' });
    expect(running).toEqual([]);
  });

  test('bears its name alone, also while it is on its way', async () => {
    slow();
    const file = module('good', agent(GOOD));
    const first = late.join({ name: 'pump', module: file });
    await expect(late.join({ name: 'pump', module: file })).rejects.toThrow('runs already');
    await expect.poll(() => running).toEqual(['pump']);
    release();
    await first;
    await expect(late.join({ name: 'pump', module: file })).rejects.toThrow('runs already');
    expect(running).toEqual(['pump']);
  });

  test('that the coordinator does not come to know is stopped, and may ask again', async () => {
    const file = module('good', agent(GOOD));
    announced = async () => {
      throw new Error('not announced');
    };
    await expect(late.join({ name: 'pump', module: file })).rejects.toThrow('not announced');
    expect(running).toEqual([]);
    announced = async () => undefined;
    await late.join({ name: 'pump', module: file });
    expect(running).toEqual(['pump']);
  });
});

describe('an agent that leaves', () => {
  test('has joined before; one of the topology stays', async () => {
    await late.join({ name: 'pump', module: module('good', agent(GOOD)) });
    await late.leave('pump');
    expect(left).toEqual(['pump']);
    expect(running).toEqual([]);
    await expect(late.leave('pump')).rejects.toMatchObject({ reason: 'not_found' });
    await expect(late.leave('plc_controller')).rejects.toMatchObject({ reason: 'invalid_params' });
  });
});

test('a site that stops waits for who is on the way in, and takes nobody any more', async () => {
  slow();
  const file = module('good', agent(GOOD));
  const joining = late.join({ name: 'pump', module: file });
  const closing = late.close();
  await expect(late.join({ name: 'valve', module: file })).rejects.toMatchObject({ reason: 'not_ready' });
  await expect.poll(() => running).toEqual(['pump']);
  release();
  await closing;
  await joining;
  expect(running).toEqual(['pump']);
});
