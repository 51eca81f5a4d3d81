import { HermesError } from '../../shared/errors.js';
import type { Serving } from '../../shared/site.js';
import type { ToolContext } from '../runtime/index.js';

/** What a call is about, as the parameters of the tools name it. */
export interface Subject {
  readonly zone?: string | undefined;
  readonly device_id?: string | undefined;
  readonly floor?: number | undefined;
}

const FIELDS: readonly (readonly [keyof Subject, (agent: Serving) => readonly (string | number)[]])[] = [
  ['zone', ({ zones }) => zones],
  ['device_id', ({ devices }) => devices],
  ['floor', ({ floors }) => floors],
];

/**
 * A call about what another agent of the site serves goes there. What nobody serves, and an agent that has no row at
 * the site, is not refused here. @throws HermesError `unknown_entity` that names the field and the agent.
 */
export function checkServed({ site, self }: Pick<ToolContext, 'site' | 'self'>, subject: Subject): void {
  const own = site.agents.find((agent) => agent.name === self);
  if (!own) return;
  for (const [field, served] of FIELDS) {
    const value = subject[field];
    if (value === undefined || served(own).includes(value)) continue;
    const other = site.agents.find((agent) => served(agent).includes(value));
    if (!other) continue;
    const problem = `${field === 'floor' ? `floor ${value}` : value} is served by ${other.name}`;
    throw new HermesError('unknown_entity', problem, {
      fields: [{ pointer: `/params/${field}`, problem }],
      [field]: value,
      suggestion: `call ${other.name}`,
    });
  }
}
