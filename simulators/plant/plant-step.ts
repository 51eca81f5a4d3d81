import { controlAhu, controlBox, glideAhu, glideBox } from './air-handling.js';
import type { PlantLayout } from './plant-layout.js';
import { type AhuState, type CircuitState, mapped, type Phases, type PlantState } from './plant-state.js';
import { controlSplit, glideSplit } from './split-unit.js';
import { liveCircuits, loadCircuits, SUPPLY } from './supply.js';
import { glideZones } from './zone.js';

/** The state at a later instant, while everything that was decided is held: exact, however the time is cut. */
export function glide(layout: PlantLayout, state: PlantState, to: number): PlantState {
  const seconds = (to - state.at) / 1000;
  if (seconds <= 0) return state;
  return {
    at: to,
    outdoorShiftK: state.outdoorShiftK,
    zones: glideZones(layout, state, to),
    boxes: mapped(state.boxes, (box, index) => {
      const place = layout.boxes[index];
      const ahu = state.ahus[place?.ahu ?? 0] as AhuState;
      return glideBox(box, ahu, state.zones[place?.zone ?? 0] ?? 0, seconds);
    }),
    ahus: mapped(state.ahus, (ahu) => glideAhu(ahu, seconds)),
    splits: mapped(state.splits, (split, index) =>
      glideSplit(split, state.zones[layout.splits[index]?.zone ?? 0] ?? 0, seconds),
    ),
    circuits: state.circuits,
    meters: mapped(state.meters, ({ energyJ, sag, lostPhases }, index) => {
      const [a, b, c] = (state.circuits[layout.meters[index]?.circuit ?? 0] as CircuitState).activeW;
      return { energyJ: energyJ + (a + b + c) * seconds, sag, lostPhases };
    }),
  };
}

/** What all controllers decide at the instant of the state: power first, then air, then what that draws. */
export function decide(layout: PlantLayout, state: PlantState): PlantState {
  const live = liveCircuits(layout, state);
  const ahus = mapped(state.ahus, (_, index) =>
    controlAhu(layout, state, index, holds(live, layout.ahus[index]?.circuit)),
  );
  const next: PlantState = {
    at: state.at,
    outdoorShiftK: state.outdoorShiftK,
    zones: state.zones,
    boxes: mapped(state.boxes, (box, index) => {
      const place = layout.boxes[index];
      return controlBox(box, state.zones[place?.zone ?? 0] ?? 0, ahus[place?.ahu ?? 0]?.staticPa ?? 0);
    }),
    ahus,
    splits: mapped(state.splits, (split, index) => {
      const place = layout.splits[index];
      const roomC = state.zones[place?.zone ?? 0] ?? 0;
      return controlSplit(split, roomC, holds(live, place?.circuit, place?.phase), state.at);
    }),
    circuits: state.circuits,
    meters: state.meters,
  };
  return { ...next, circuits: loadCircuits(layout, next, live) };
}

/** Whether motors run on a circuit: on one phase of it, or on all. */
function holds(live: readonly Phases[], circuit: number | undefined, phase?: number): boolean {
  if (circuit === undefined) return true;
  const shares = live[circuit] ?? [0, 0, 0];
  return (phase === undefined ? Math.min(...shares) : (shares[phase] ?? 0)) >= SUPPLY.motorHolds;
}
