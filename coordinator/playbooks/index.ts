/**
 * Playbooks: what is done about known situations.
 *  1. A playbook is data of the site; it is checked as a whole when the site is loaded, and as a plan before it runs.
 *  2. It is understood as a sentence of the coordinator's own rule pack, never by a matcher of its own.
 *  3. Its steps become steps of the plan and nothing else: deadlines, record and recovery know no playbooks.
 */
export { type ExpandSources, expandPlaybook } from './expand-playbook.js';
export {
  checkPlaybook,
  type Playbook,
  type PlaybookProblem,
  playbookSchema,
  slotsOf,
  utterancesOf,
} from './playbook.js';
export { playbookPack, valuesIn } from './playbook-pack.js';
