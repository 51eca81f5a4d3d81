import { HermesError } from '../../../shared/errors.js';
import { type RulePack, rulePackSchema } from './language/rule-pack.js';
import { parseTemplate, type TemplateNode } from './language/template.js';

/**
 * A rule pack as it came over the wire, checked whole: its shape, and that its templates parse. One bad pack would
 * take every sentence of everybody with it. @throws HermesError `invalid_params` that names what is wrong.
 */
export function checkRulePack(component: string, value: unknown): RulePack {
  const parsed = rulePackSchema.safeParse(value);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path, message }) => ({
      pointer: `/rule_pack/${path.join('/')}`,
      problem: message,
    }));
    const [first] = fields;
    const why = `${first?.pointer}: ${first?.problem}`;
    throw new HermesError('invalid_params', `the rule pack of ${component} is not well formed: ${why}`, { fields });
  }
  checkTemplates(component, parsed.data);
  return parsed.data;
}

/** Words and slots in the templates of one pack; the matcher holds three packs of that size. */
const MAX_NODES = 20_000;

/** Without building the matcher: every agent looks at its pack when it starts. */
function checkTemplates(component: string, { intents, conditions }: RulePack): void {
  const rules = [...intents, ...conditions.map((condition) => ({ ...condition, slots: {} }))];
  let nodes = 0;
  for (const { name, templates, slots } of rules) {
    for (const template of [...templates.zh, ...templates.en]) {
      nodes += count(parseTemplate(template), (slot) => {
        if (!Object.hasOwn(slots, slot))
          throw new HermesError('invalid_params', `${component}: ${name} has no slot ${slot}`);
      });
    }
  }
  if (nodes > MAX_NODES) throw new HermesError('invalid_params', `the rule pack of ${component} is too large`);
}

function count(nodes: readonly TemplateNode[], slot: (name: string) => void): number {
  return nodes.reduce((sum, node) => {
    if (node.is === 'choice') return sum + node.of.reduce((inner, branch) => inner + count(branch, slot), 0);
    if (node.is === 'slot') slot(node.name);
    return sum + 1;
  }, 0);
}
