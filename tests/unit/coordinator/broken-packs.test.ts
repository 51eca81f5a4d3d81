import { expect, test } from 'vitest';
import { plcRulePack } from '../../../agents/plc/intents.js';
import type { RulePackInput } from '../../../agents/runtime/index.js';
import { createPlanner } from '../../../coordinator/planner/planner.js';
import type { Discovery, Manifest } from '../../../mcp/index.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { siteFixture } from '../../support/site-fixture.js';

const manifest = (component: string, rule_pack: unknown): Manifest => ({
  component,
  description: { zh: '样', en: 'sample' },
  supported_mcp_versions: ['1.2'],
  methods: [],
  rule_pack,
  homes: [],
  may_speak_for_people: false,
});
const intents = (template: string): RulePackInput['intents'] => [
  {
    name: 'PUMP',
    method: 'pump',
    effect: 'read',
    templates: { zh: [], en: [template] },
    verbs: { zh: [], en: ['pump'] },
    example: { zh: '泵', en: 'pump' },
  },
];

test.each([
  ['has another shape', { intents: 7 }],
  ['has a template that does not parse', { intents: intents('pump (a|b') }],
  ['names a slot that it does not declare', { intents: intents('pump {oil}') }],
])('a rule pack that %s costs its own sentences, not those of the others', (_what, broken) => {
  const manifests = [manifest('broken_v1.0', broken), manifest('plc_controller_v1.2', plcRulePack)];
  const refused: string[] = [];
  const logger = { ...silentLogger(), warn: (fields: object) => void refused.push((fields as Manifest).component) };
  const discovery = { manifests: () => manifests } as unknown as Discovery;
  const planner = createPlanner({ discovery, site: siteFixture, logger, self: 'coordinator', playbooks: [] });
  for (const text of ['查PLC-003状态', 'restart PLC-003']) {
    expect(planner.understand(text, undefined, {}).understanding).toMatchObject({
      outcome: 'plan',
      actions: [{ callee: 'plc_controller' }],
    });
  }
  expect(refused).toEqual(['broken_v1.0']);
});
