import { controlAhu, controlBox, glideAhu, glideBox } from './air-handling.js';
import type { PlantLayout } from './plant-layout.js';
import { type AhuState, type Loads, mapped, type PlantState } from './plant-state.js';
import { controlSplit, glideSplit } from './split-unit.js';
import { loadsOf, motorsHold } from './supply.js';
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
    disturbances: state.disturbances,
    live: state.live,
    loads: state.loads,
    energiesJ: mapped(state.energiesJ, (joules, index) => {
      const slot = 3 * (layout.meters[index]?.circuit ?? 0);
      const { watts } = state.loads;
      return joules + ((watts[slot] ?? 0) + (watts[slot + 1] ?? 0) + (watts[slot + 2] ?? 0)) * seconds;
    }),
  };
}

/** What all controllers decide at the instant of the state: by the power that there is, and then what that draws. */
export function decide(layout: PlantLayout, state: PlantState): PlantState {
  const { live } = state;
  const ahus = mapped(state.ahus, (_, index) =>
    controlAhu(layout, state, index, motorsHold(live, layout.ahus[index]?.circuit)),
  );
  const next: PlantState = {
    at: state.at,
    outdoorShiftK: state.outdoorShiftK,
    zones: state.zones,
    boxes: mapped(state.boxes, (box, index) => {
      const place = layout.boxes[index];
      return controlBox(box, state.zones[place?.zone ?? 0] ?? 0, ahus[place?.ahu ?? 0]?.held.staticPa ?? 0);
    }),
    ahus,
    splits: mapped(state.splits, (split, index) => {
      const place = layout.splits[index];
      const roomC = state.zones[place?.zone ?? 0] ?? 0;
      return controlSplit(split, roomC, motorsHold(live, place?.circuit, place?.phase), state.at);
    }),
    circuits: state.circuits,
    disturbances: state.disturbances,
    live,
    loads: state.loads,
    energiesJ: state.energiesJ,
  };
  return withLoads(next, loadsOf(layout, next));
}

const withLoads = (state: PlantState, loads: Loads): PlantState => ({
  at: state.at,
  outdoorShiftK: state.outdoorShiftK,
  zones: state.zones,
  boxes: state.boxes,
  ahus: state.ahus,
  splits: state.splits,
  circuits: state.circuits,
  disturbances: state.disturbances,
  live: state.live,
  loads,
  energiesJ: state.energiesJ,
});
