import type { Draft } from './draft.js';
import type { IntendedAction, Prompt } from './understanding.js';

/** Deeper stacks lose their oldest nodes; IDLE stays. */
const MAX_STACK = 64;

/** What a question waits for: the drafts of its sentence, and where the answer goes. */
export interface OpenPrompt {
  readonly prompt: Prompt;
  readonly drafts: readonly Draft[];
  readonly gap:
    | {
        readonly is: 'slot';
        readonly draft: number;
        readonly slot: string;
        readonly kind: string;
        readonly value: number;
      }
    | { readonly is: 'order' };
}

/**
 * All that a session remembers of its conversation: JSON, handed in with each sentence and handed back changed.
 * References such as 刚才 or "that device" resolve in here and nowhere else.
 */
export interface DialogueContext {
  readonly version: 1;
  /** Bottom is IDLE. */
  readonly stack: readonly string[];
  /** Actions of the last plan, for 再查一遍. */
  readonly last_actions: readonly IntendedAction[];
  readonly last_entities: {
    /** Devices and zones of the last sentence that named any of them. */
    readonly devices: readonly string[];
    readonly zones?: readonly string[];
    readonly persons: readonly string[];
  };
  readonly open?: OpenPrompt;
}

export const newDialogue = (): DialogueContext => ({
  version: 1,
  stack: ['IDLE'],
  last_actions: [],
  last_entities: { devices: [], persons: [] },
});

/** After a plan: its nodes on the stack, its objects for the next pronoun; an open question is closed. */
export function afterPlan(
  context: DialogueContext,
  actions: readonly IntendedAction[],
  nodes: readonly string[],
  named: DialogueContext['last_entities'],
): DialogueContext {
  const things = named.devices.length + (named.zones?.length ?? 0) > 0 ? named : context.last_entities;
  const grown = [...context.stack.slice(1), ...nodes].slice(-MAX_STACK);
  return {
    version: 1,
    stack: ['IDLE', ...grown],
    last_actions: actions,
    last_entities: {
      devices: things.devices,
      ...(things.zones && things.zones.length > 0 ? { zones: things.zones } : {}),
      persons: named.persons.length > 0 ? named.persons : context.last_entities.persons,
    },
  };
}

export const withPrompt = (context: DialogueContext, open: OpenPrompt): DialogueContext => ({ ...context, open });

export function withoutPrompt({ open: _open, ...context }: DialogueContext): DialogueContext {
  return context;
}

/** Pops one node; touches nothing but the stack. */
export const popped = (context: DialogueContext): DialogueContext => ({
  ...withoutPrompt(context),
  stack: context.stack.length > 1 ? context.stack.slice(0, -1) : context.stack,
});
