import { createMachine, transition } from 'xstate';

/** Life of one goal. The last three are final. */
export const STATES = ['idle', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type State = (typeof STATES)[number];

/** What a running goal is busy with; there is none in any other state. */
export const PHASES = ['thinking', 'tool_use', 'finalizing'] as const;
export type Phase = (typeof PHASES)[number];

/** The one table of legal transitions. */
export const TRANSITIONS: Readonly<Record<State, readonly State[]>> = {
  idle: ['running', 'cancelled'],
  running: ['paused', 'completed', 'failed', 'cancelled'],
  paused: ['running', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};

/** What is persisted of a life, as log entries. */
export interface Life {
  readonly id: string;
  readonly state: State;
  readonly phase?: Phase;
  /** Why it failed. */
  readonly last_error?: string;
}

/** A transition that the table does not hold. A defect of the caller, never of an operator. */
export class InvalidStateTransition extends Error {
  readonly from: State;
  readonly to: State;
  readonly id: string;

  constructor(from: State, to: State, id: string) {
    super(`no transition from ${from} to ${to} (${id})`);
    this.name = 'InvalidStateTransition';
    this.from = from;
    this.to = to;
    this.id = id;
  }
}

type ToEvent = { readonly type: `to_${State}` };

const edges = (targets: readonly State[]) => Object.fromEntries(targets.map((to) => [`to_${to}`, { target: to }]));

const machine = createMachine({
  types: {} as { events: ToEvent },
  id: 'goal',
  initial: 'idle',
  states: Object.fromEntries(
    STATES.map((state) => [
      state,
      TRANSITIONS[state].length === 0 ? { type: 'final' as const } : { on: edges(TRANSITIONS[state]) },
    ]),
  ),
});

export const isFinal = (state: State): boolean => TRANSITIONS[state].length === 0;

export const newLife = (id: string): Life => ({ id, state: 'idle' });

/**
 * The only way from one state to another. XState ignores an illegal event silently; here it is thrown as
 * InvalidStateTransition. Entering `running` begins in phase `thinking`; `failed` keeps `lastError`.
 */
export function moveTo(life: Life, to: State, lastError?: string): Life {
  const at = machine.resolveState({ value: life.state });
  const [next] = transition(machine, at, { type: `to_${to}` });
  if (next.value !== to || life.state === to) throw new InvalidStateTransition(life.state, to, life.id);
  return {
    id: life.id,
    state: to,
    ...(to === 'running' ? { phase: 'thinking' as const } : {}),
    ...(to === 'failed' && lastError !== undefined ? { last_error: lastError } : {}),
  };
}

/** Sets the phase of a running life; outside running it changes nothing. */
export function setPhase(life: Life, phase: Phase): Life {
  return life.state === 'running' ? { ...life, phase } : life;
}
