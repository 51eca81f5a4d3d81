import type { GoalState, StepState } from './contract.js';

const PATHS = {
  pending: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  idle: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  waiting: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.6',
  running: 'M5 3l8 5-8 5z',
  paused: 'M5.5 3v10M10.5 3v10',
  completed: 'M3 8.5l3.5 3.5L13 4.5',
  failed: 'M4 4l8 8M12 4l-8 8',
  skipped: 'M2.5 4l4.5 4-4.5 4M8.5 4L13 8l-4.5 4',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.6v.3',
  rolled_back: 'M6 3L3 6l3 3M3 6h6a3.5 3.5 0 0 1 0 7H6',
} as const satisfies Record<StepState | GoalState, string>;

/** The shape of a state; the word always stands beside it. */
export function Icon({ state }: { readonly state: StepState | GoalState }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[state] ?? PATHS.unknown} />
    </svg>
  );
}

export function StateBadge({ state, label }: { readonly state: StepState | GoalState; readonly label: string }) {
  return (
    <span className="badge" data-state={state}>
      <Icon state={state} />
      {label}
    </span>
  );
}
