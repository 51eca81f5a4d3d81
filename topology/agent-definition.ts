import { type AgentDefinition, checkRulePack } from '../agents/runtime/index.js';
import { HermesError, toHermesError } from '../shared/errors.js';

/** What the module makes under this name. @throws HermesError `invalid_params` for anything that is no agent. */
export function definitionOf(define: (name: string) => unknown, name: string): AgentDefinition {
  const refuse = (problem: string, cause?: unknown): HermesError =>
    new HermesError(
      'invalid_params',
      `agent ${name}: its module ${problem}`,
      { fields: [{ pointer: '/module', problem }] },
      { cause },
    );
  let made: Partial<AgentDefinition> | undefined;
  try {
    made = define(name) as Partial<AgentDefinition> | undefined;
  } catch (cause) {
    throw refuse(`threw in defineAgent: ${toHermesError(cause).message}`, cause);
  }
  if (made?.name !== name) throw refuse(`defines ${String(made?.name)}, not ${name}`);
  if (!/^\d{1,4}\.\d{1,4}$/.test(made.version ?? '')) throw refuse('has no version MAJOR.MINOR');
  if (!Array.isArray(made.tools) || made.tools.some((tool) => typeof tool?.manifest !== 'object')) {
    throw refuse('has a list of tools that defineTool did not make');
  }
  if (made.rulePack !== undefined) checkRulePack(name, made.rulePack);
  return made as AgentDefinition;
}
