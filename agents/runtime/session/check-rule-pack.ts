import { HermesError } from '../../../shared/errors.js';
import { compilePacks } from './language/compile-packs.js';
import { type RulePack, rulePackSchema } from './language/rule-pack.js';

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
  compilePacks([{ component, pack: parsed.data }], []);
  return parsed.data;
}
