import type { PlantSpec } from '../sim-device.js';
import { initialPlant } from './initial-plant.js';
import { type PlantLayout, plantLayout } from './plant-layout.js';
import type { PlantState } from './plant-state.js';
import { decide, glide } from './plant-step.js';
import { energized } from './supply.js';

/** Controllers decide on a grid of this step from the start, and at every event. */
export const CONTROL_STEP_MS = 10_000;

/**
 * The building behind the registers: one state for all its devices. It is kept as it was decided last, and carried to
 * the instant that is asked for without being changed by that: who asks when makes no difference, to the last bit.
 */
export interface Plant {
  readonly layout: PlantLayout;
  view(at: number): PlantState;
  /** An event: something is commanded, breaks or is repaired, and the controllers decide anew. */
  change(at: number, change: (state: PlantState) => PlantState): void;
  reset(at: number): void;
}

export function createPlant(specs: readonly PlantSpec[], at: number): Plant {
  const layout = plantLayout(specs);
  let start = at;
  let held = initialPlant(layout, at);
  let seen = held;
  const settle = (to: number): void => {
    for (let next = boundaryAfter(start, held.at); next <= to; next += CONTROL_STEP_MS) {
      held = decide(layout, glide(layout, held, next));
      seen = held;
    }
  };
  const view = (to: number): PlantState => {
    settle(to);
    if (seen.at !== to) seen = glide(layout, held, to);
    return seen;
  };
  return {
    layout,
    view,
    change(to, change) {
      held = decide(layout, energized(layout, change(view(to))));
      seen = held;
    },
    reset(to) {
      start = to;
      held = initialPlant(layout, to);
      seen = held;
    },
  };
}

const boundaryAfter = (start: number, at: number): number =>
  start + (Math.floor((at - start) / CONTROL_STEP_MS) + 1) * CONTROL_STEP_MS;
