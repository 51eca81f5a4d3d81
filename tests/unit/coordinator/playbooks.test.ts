import { describe, expect, test } from 'vitest';
import {
  buildPlan,
  checkPlan,
  createSessionEngine,
  newDialogue,
  type PlanSources,
} from '../../../agents/runtime/index.js';
import { checkPlaybooks } from '../../../coordinator/planner/check-playbooks.js';
import {
  checkPlaybook,
  expandPlaybook,
  type Playbook,
  playbookPack,
  playbookSchema,
} from '../../../coordinator/playbooks/index.js';
import { type Discovery, type Manifest, manifestSchema } from '../../../mcp/index.js';
import type { Site } from '../../../shared/site.js';
import { siteFixture } from '../../support/site-fixture.js';

const SELF = 'coordinating';
const site: Site = {
  ...siteFixture,
  agents: [1, 2, 3].map((floor) => ({
    name: `floor${floor}_air`,
    devices: [],
    floors: [floor],
    zones: ['A', 'B', 'C'].map((letter) => `F${floor}-${letter}`),
  })),
};
const method = (name: string, output: object = {}) => ({
  name,
  input_schema: { properties: { zone: { type: 'string' }, findings: {} }, required: ['zone'] },
  output_schema: { properties: output },
  effect_class: name === 'order' ? 'non_idempotent' : 'read',
  risk: 'low',
  timeout_ms: 1_000,
  rollback: { none: 'test' },
});
const manifestOf = (component: string, ...methods: object[]): Manifest =>
  manifestSchema.parse({
    component: `${component}_v1.0`,
    description: { zh: '一', en: 'one' },
    supported_mcp_versions: ['1.2'],
    methods,
  });
const manifests: Record<string, Manifest> = {
  floor3_air: manifestOf('floor3_air', method('diagnose', { findings: {}, supply_suspect: {} })),
  floor2_air: manifestOf('floor2_air', method('diagnose', { findings: {}, supply_suspect: {} })),
  orders: manifestOf('orders', method('order')),
};

const playbook: Playbook = playbookSchema.parse({
  name: 'air_fault',
  title: { zh: '空调故障处理', en: 'air fault' },
  triggers: [{ utterance: ['{zone}空调(故障|坏了)', 'AC (in|at) {zone} (is broken|fails)'] }],
  task_type: 'diagnosis',
  steps: [
    {
      id: 'diagnose',
      agent: { serves: 'zone' },
      method: 'diagnose',
      params: { zone: '{zone}' },
      on_failure: 'continue',
    },
    {
      id: 'order',
      agent: 'orders',
      method: 'order',
      params: { zone: '{zone}' },
      bind: { '/findings': "has(steps.diagnose.result) ? steps.diagnose.result.findings : ['steps.diagnose']" },
      when: "steps.diagnose.state != 'skipped'",
      depends_on: ['diagnose'],
    },
  ],
  conclusions: [{ when: 'has(steps.diagnose.result)', of: 'diagnose', zh: '查过了。', en: 'Looked at.' }],
});

const pack = playbookPack([playbook], site);
const engine = createSessionEngine({ packs: () => [{ component: SELF, pack }], site: () => site });
const understand = (text: string) => engine.understand(text, { context: newDialogue() }).understanding;
const sources: PlanSources = {
  manifest: (component) => manifests[component],
  pack: () => undefined,
  site,
  expand: (action, taken) =>
    action.callee === SELF
      ? expandPlaybook(playbook, action, taken, { manifest: (component) => manifests[component], site })
      : undefined,
};
const planOf = (text: string) => {
  const { actions, language } = understand(text);
  const plan = buildPlan(actions, sources, language);
  checkPlan(plan, (component) => Object.values(manifests).find((one) => one.component === component));
  return plan;
};

describe('a playbook', () => {
  test.each(['三楼A区空调故障', '三楼A区空调坏了', 'AC in zone A on floor 3 is broken', 'the AC at F3-A fails'])(
    'is understood as its steps, by who serves the zone: %s',
    (text) => {
      const plan = planOf(text);
      expect(plan.steps.map(({ id, callee, method: called, params }) => [id, callee, called, params])).toEqual([
        ['diagnose', 'floor3_air_v1.0', 'diagnose', { zone: 'F3-A' }],
        ['order', 'orders_v1.0', 'order', { zone: 'F3-A' }],
      ]);
      expect(plan.steps[0]?.on_failure).toBe('continue');
      expect(plan.conclusions).toHaveLength(1);
    },
  );

  test.each([
    '三楼A区空调没有故障',
    '如果三楼A区空调故障怎么办',
    '不要管三楼A区空调故障',
    '昨天三楼A区空调坏过',
    'if the AC in zone A on floor 3 is broken, what happens?',
  ])('does nothing where nobody reports a fault: %s', (text) => {
    expect(understand(text).actions).toEqual([]);
  });

  test('asks for the zone that the site does not have', () => {
    const { outcome, prompt } = understand('九楼A区空调故障');
    expect(outcome).toBe('ask');
    expect(prompt?.reason).toBe('unknown_entity');
  });

  test('of two zones gives two sets of steps that do not wait for one another', () => {
    const plan = planOf('三楼A区和二楼B区空调故障');
    expect(plan.steps.map(({ id, callee }) => [id, callee])).toEqual([
      ['diagnose', 'floor3_air_v1.0'],
      ['order', 'orders_v1.0'],
      ['diagnose_2', 'floor2_air_v1.0'],
      ['order_2', 'orders_v1.0'],
    ]);
    expect(plan.steps[2]?.depends_on).toEqual([]);
    // Names of steps follow their copies; texts stay as they are.
    expect(plan.steps[3]?.bind['/findings']).toBe(
      "has(steps.diagnose_2.result) ? steps.diagnose_2.result.findings : ['steps.diagnose']",
    );
    expect(plan.conclusions?.[1]).toMatchObject({ when: 'has(steps.diagnose_2.result)', of: 'diagnose_2' });
  });

  test('whose agent has never announced itself is still a plan, for a step that it can do without', () => {
    const plan = planOf('一楼A区空调故障');
    expect(plan.steps[0]).toMatchObject({ callee: 'floor1_air_v0.0', effect_class: 'irreversible', risk: 'high' });
  });

  test('with faults is refused as a whole, each fault with its place', () => {
    const broken = playbookSchema.parse({
      name: 'broken',
      triggers: [{ utterance: ['{zone}坏了', '坏了', '{thing}坏了'] }],
      steps: [
        { id: 'a', agent: { serves: 'device' }, method: 'm', params: { x: '{floor}' }, depends_on: ['b'] },
        { id: 'a', agent: 'orders', method: 'm' },
      ],
      conclusions: [{ when: 'true', of: 'z', zh: '一', en: 'one' }],
    });
    expect(checkPlaybook(broken).map(({ path, problem }) => `${path.join('/')}: ${problem}`)).toEqual([
      'triggers: no slot {thing}; there are zone, device, floor, person',
      'triggers: the first utterance does not say {thing}',
      'steps/0/depends_on: no step b',
      'steps/0/agent: no utterance says {device}',
      'steps/0/params: no utterance says {floor}',
      'steps/1/id: a stands twice',
      'conclusions/0/of: no step z',
    ]);
  });

  test('names an example of itself for those who were not understood', () => {
    expect(pack.intents[0]?.example).toEqual({ zh: 'F3-A空调故障', en: 'AC in F3-A is broken' });
  });
});

describe('playbooks of a site', () => {
  const check = (change: (text: string) => string): unknown => {
    const own = playbookSchema.parse(JSON.parse(change(JSON.stringify(playbook))));
    const discovery = {
      manifest: (component: string) => manifests[component],
      manifests: () => Object.values(manifests),
    } as unknown as Discovery;
    try {
      return checkPlaybooks([own], { discovery, site, self: SELF });
    } catch (error) {
      return error;
    }
  };

  test('are whole when they can run for some place', () => {
    expect(check((text) => text)).toBeUndefined();
  });

  test.each([
    ['a method that nobody has', '"method":"order"', '"method":"odrer"', 'has no method odrer'],
    ['a field that no result has', 'result.findings', 'result.findins', 'no field findins'],
    ['an agent that nobody knows', '"agent":"orders"', '"agent":"ordres"', 'ordres'],
  ])('with %s are refused before anything runs', (_what, from, to, said) => {
    expect(check((text) => text.replaceAll(from, to))).toMatchObject({
      reason: 'invalid_params',
      data: { fields: [{ pointer: '/playbooks/air_fault', problem: expect.stringContaining(said) }] },
    });
  });
});
