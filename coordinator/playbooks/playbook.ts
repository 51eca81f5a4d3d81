import { z } from 'zod';
import { compileCondition } from '../../agents/runtime/index.js';
import { TOPICS } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { TASK_TYPES } from '../goals/goal.js';

/**
 * A playbook: what is done about a known situation, as data. Utterances are templates like those of a rule pack:
 * `(a|b)` alternatives, `[x]` optional, `{zone}` a slot named like the entity that fills it.
 */
export const PLAYBOOK_SLOTS = ['zone', 'device', 'floor', 'person'] as const;
export type PlaybookSlot = (typeof PLAYBOOK_SLOTS)[number];

const name = z.string().regex(/^[a-z][a-z0-9_]{0,47}$/, 'snake_case');
const stepId = z.string().regex(/^[a-z][a-z0-9_]{0,27}$/, 'snake_case, at most 28 characters');
const text = z.string().min(1).max(400);
const cel = z.string().min(1).max(1_000);

const playbookStep = z.strictObject({
  id: stepId,
  /** An agent by its name, or whichever serves the value of a slot. */
  agent: z.union([name, z.strictObject({ serves: z.enum(['zone', 'device', 'floor']) })]),
  method: name,
  /** Literal; `{zone}` stands for the slot's value. */
  params: z.record(z.string(), z.unknown()).default({}),
  /** JSON pointer of a parameter → CEL over `steps`, `goal`, `site`. */
  bind: z.record(z.string().regex(/^\/[a-z][a-z0-9_]*$/, 'a JSON pointer of one parameter'), cel).default({}),
  when: cel.optional(),
  depends_on: z.array(stepId).default([]),
  on_failure: z.enum(['stop', 'continue']).default('stop'),
  /** Share of the time that is left when the step begins, 0–1. */
  deadline_share: z.number().positive().max(1).optional(),
});

/** Said before everything else when its condition holds: what the steps together mean. The first that holds counts. */
const conclusion = z.strictObject({
  when: cel,
  /** Step whose parameters and result fill the templates. */
  of: stepId,
  zh: text,
  en: text,
});

const trigger = z.union([
  /** The first names every slot; what another does not name is asked for. */
  z.strictObject({ utterance: z.array(z.string().min(1).max(600)).min(1).max(64) }),
  /** Slots are filled by the event's data: `zone`, `device_id`, `floor`, `person`. `when` is CEL over `event`. */
  z.strictObject({ event: z.enum(TOPICS), when: cel.optional() }),
]);

export const playbookSchema = z.strictObject({
  name,
  /** What people call it; default: its name. */
  title: z.strictObject({ zh: text, en: text }).optional(),
  triggers: z.array(trigger).min(1),
  task_type: z.enum(TASK_TYPES).optional(),
  steps: z.array(playbookStep).min(1).max(LIMITS.planSteps),
  conclusions: z.array(conclusion).max(16).default([]),
});

export type Playbook = z.output<typeof playbookSchema>;
export type PlaybookStep = Playbook['steps'][number];

export const utterancesOf = ({ triggers }: Playbook): readonly string[] =>
  triggers.flatMap((trigger) => ('utterance' in trigger ? trigger.utterance : []));

/** Slots that the utterances name. */
export function slotsOf(playbook: Playbook): readonly string[] {
  const named = utterancesOf(playbook).flatMap((template) => [...template.matchAll(/\{([^{}]*)\}/g)]);
  return [...new Set(named.map(([, slot]) => slot as string))];
}

export interface PlaybookProblem {
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/** What a schema cannot see: slots that nothing fills, steps that nobody knows. All faults at once. */
export function checkPlaybook(playbook: Playbook): PlaybookProblem[] {
  const slots = slotsOf(playbook);
  const ids = playbook.steps.map(({ id }) => id);
  const known = (slot: string): boolean => PLAYBOOK_SLOTS.some((one) => one === slot);
  const strange = slots
    .filter((slot) => !known(slot))
    .map((slot) => ({ path: ['triggers'], problem: `no slot {${slot}}; there are ${PLAYBOOK_SLOTS.join(', ')}` }));
  const [first = ''] = utterancesOf(playbook);
  const missing = slots
    .filter((slot) => !first.includes(`{${slot}}`))
    .map((slot) => ({ path: ['triggers'], problem: `the first utterance does not say {${slot}}` }));
  const said = utterancesOf(playbook).length > 0 ? [] : [{ path: ['triggers'], problem: 'no utterance says it' }];
  const events = playbook.triggers.flatMap((one, index) => ('event' in one ? checkWhen(one.when, index) : []));
  const steps = playbook.steps.flatMap((step, index) => checkStep(playbook, step, index, slots));
  const conclusions = playbook.conclusions.flatMap(({ of }, index) =>
    ids.includes(of) ? [] : [{ path: ['conclusions', index, 'of'], problem: `no step ${of}` }],
  );
  return [...strange, ...missing, ...said, ...events, ...steps, ...conclusions];
}

function checkWhen(when: string | undefined, index: number): PlaybookProblem[] {
  if (when === undefined) return [];
  try {
    compileCondition(when, '/when', 'event');
    return [];
  } catch (error) {
    return [{ path: ['triggers', index, 'when'], problem: toHermesError(error).message }];
  }
}

function checkStep(
  { steps }: Playbook,
  step: PlaybookStep,
  index: number,
  slots: readonly string[],
): PlaybookProblem[] {
  const problems: PlaybookProblem[] = [];
  const say = (key: string, problem: string): void => void problems.push({ path: ['steps', index, key], problem });
  if (steps.findIndex(({ id }) => id === step.id) < index) say('id', `${step.id} stands twice`);
  for (const id of step.depends_on) if (!steps.some((other) => other.id === id)) say('depends_on', `no step ${id}`);
  if (typeof step.agent !== 'string' && !slots.includes(step.agent.serves)) {
    say('agent', `no utterance says {${step.agent.serves}}`);
  }
  for (const [, slot] of textsIn(step.params).flatMap((text) => [...text.matchAll(/\{([a-z_]+)\}/g)])) {
    if (!slots.includes(slot as string)) say('params', `no utterance says {${slot}}`);
  }
  return problems;
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
