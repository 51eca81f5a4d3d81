import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { momentOf, type OneMass, type Sine, sineResponse, stepResponse } from '../../../simulators/plant/rc.js';
import { type AirAndMass, type TwoMasses, twoMassSine, twoMassStep } from '../../../simulators/plant/rc-two.js';
import { fieldCsv, fieldDataMissing } from '../../support/field-data.js';

const GOLDEN = 'hvac/rc-analytic-golden.csv';
const BOPTEST = 'hvac/boptest/testcase1';
/** BOPTEST testcase1: 0.01 K/W, 1 MJ/K, outdoors 20 + 10·sin(2πt/86400) °C. */
const ROOM: OneMass = { capacityJPerK: 1e6, conductanceWPerK: 100 };
const DAY: Sine = { mean: 20, amplitude: 10, omega: (2 * Math.PI) / 86_400, phase: 0 };
/** The example office of 48 m². */
const OFFICE: TwoMasses = {
  airJPerK: 781_488,
  massJPerK: 7_920_000,
  airToMassWPerK: 1092,
  airToOutdoorWPerK: 54.44,
  massToOutdoorWPerK: 49.725,
};

const room = (fromC: number, heatW: number, from: number, to: number): number =>
  sineResponse(ROOM, fromC, DAY, heatW, momentOf(DAY, from), momentOf(DAY, to));

/** A test that is skipped, by name and with the reason, where the public data is not there. */
function onData(file: string, name: string, body: (rows: Record<string, string>[]) => void): void {
  const missing = fieldDataMissing(file);
  test(missing === undefined ? name : `${name} (skipped: ${missing})`, ({ skip }) => {
    if (missing !== undefined) skip(missing);
    body(fieldCsv(file));
  });
}

describe('the golden numbers', () => {
  onData(GOLDEN, 'of one and of two masses, every row to its last digit', (rows) => {
    for (const row of rows) {
      const [t, air, mass] = [Number(row.t_s), Number(row.T_air_C), Number(row.T_mass_C)];
      const course = courseOf(`${row.model} ${row.case}`, t);
      expect(Math.abs(course.airC - air), `${row.case} at ${t} s`).toBeLessThan(2e-6);
      if (row.model?.startsWith('2R2C')) expect(Math.abs(course.massC - mass)).toBeLessThan(2e-6);
    }
    expect(rows.length).toBeGreaterThanOrEqual(25);
  });
});

function courseOf(name: string, t: number): AirAndMass {
  if (name.startsWith('2R2C')) return twoMassStep(OFFICE, { airC: 0, massC: 0 }, 0, 1000, t);
  if (name.includes('sin')) return { airC: room(20, 0, 0, t), massC: 0 };
  return { airC: stepResponse(ROOM, 0, 0, 1000, t), massC: 0 };
}

describe('BOPTEST testcase1', () => {
  onData(`${BOPTEST}/results_initialize_initial.csv`, 'free float from its first hour, within 2e-5 K', (rows) => {
    for (const { time, TRooAir_y } of rows) {
      expect(Math.abs(room(20, 0, 0, Number(time)) + 273.15 - Number(TRooAir_y))).toBeLessThan(2e-5);
    }
    expect(rows.length).toBeGreaterThan(400);
  });

  onData(`${BOPTEST}/results_initialize_advance.csv`, 'free float from noon until it heats, within 2e-5 K', (all) => {
    const heated = all.findIndex(({ PHeaCoo_y }) => Number(PHeaCoo_y) !== 0);
    const rows = all.slice(0, heated);
    const first = rows[0] as Record<string, string>;
    expect(rows.length).toBeGreaterThan(50);
    const [start, from] = [Number(first.time), Number(first.TRooAir_y) - 273.15];
    for (const { time, TRooAir_y } of rows) {
      expect(Math.abs(room(from, 0, start, Number(time)) + 273.15 - Number(TRooAir_y))).toBeLessThan(2e-5);
    }
  });

  onData(`${BOPTEST}/results_python.csv`, 'closed loop over 48 h within 1.3e-4 K, energy within 2e-4', (rows) => {
    const { worstK, energyKwhPerM2 } = closedLoop(rows);
    expect(worstK).toBeLessThan(1.3e-4);
    const published = Number(fieldCsv(`${BOPTEST}/kpis_python.csv`).find(({ keys }) => keys === 'ener_tot')?.value);
    expect(Math.abs(energyKwhPerM2 - published)).toBeLessThan(2e-4);
  });
});

/** Proportional at 2000 W/K outside of 20–23 °C, decided every 300 s from what was measured last, at most 10 kW. */
function closedLoop(rows: readonly Record<string, string>[]): { worstK: number; energyKwhPerM2: number } {
  const [step, efficiency, floorM2] = [300, 0.99, 10];
  let [celsius, heatW, t, worstK, joules] = [20, 0, 0, 0, 0];
  const left = rows.map(({ time, TRooAir_y }) => ({ at: Number(time), celsius: Number(TRooAir_y) - 273.15 }));
  while (left.length > 0) {
    while (left[0] && left[0].at <= t + step) {
      const row = left.shift() as { at: number; celsius: number };
      worstK = Math.max(worstK, Math.abs(room(celsius, heatW, t, row.at) - row.celsius));
    }
    celsius = room(celsius, heatW, t, t + step);
    t += step;
    joules += (Math.abs(heatW) / efficiency) * step;
    const error = celsius < 20 ? 20 - celsius : Math.min(0, 23 - celsius);
    heatW = Math.min(10_000, Math.max(-10_000, 2000 * error));
  }
  return { worstK, energyKwhPerM2: joules / 3.6e6 / floorM2 };
}

describe('time', () => {
  const cuts = fc.array(fc.double({ min: 0.1, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 40 });

  it('may be cut anyhow: one mass, two masses held, two masses under a sine', () => {
    fc.assert(
      fc.property(cuts, (pieces) => {
        let [t, one] = [0, 31];
        let held: AirAndMass = { airC: 30, massC: 10 };
        let swung: AirAndMass = { airC: 30, massC: 10 };
        for (const piece of pieces) {
          one = room(one, 700, t, t + piece);
          held = twoMassStep(OFFICE, held, 5, 900, piece);
          swung = twoMassSine(OFFICE, swung, DAY, 900, t, t + piece);
          t += piece;
        }
        expect(one).toBeCloseTo(room(31, 700, 0, t), 9);
        const [whole, wave] = [
          twoMassStep(OFFICE, { airC: 30, massC: 10 }, 5, 900, t),
          twoMassSine(OFFICE, { airC: 30, massC: 10 }, DAY, 900, 0, t),
        ];
        for (const [cut, uncut] of [[held, whole] as const, [swung, wave] as const]) {
          expect(cut.airC).toBeCloseTo(uncut.airC, 9);
          expect(cut.massC).toBeCloseTo(uncut.massC, 9);
        }
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it('goes by the equations: two masses under a sine against small steps', () => {
    const outdoor: Sine = { mean: 12, amplitude: 8, omega: DAY.omega, phase: 1.1 };
    const slope = ({ airC, massC }: AirAndMass, t: number): AirAndMass => {
      const to = outdoor.mean + outdoor.amplitude * Math.sin(outdoor.omega * t + outdoor.phase);
      const { airToMassWPerK: am, airToOutdoorWPerK: ao, massToOutdoorWPerK: mo } = OFFICE;
      return {
        airC: (am * (massC - airC) + ao * (to - airC) + 600) / OFFICE.airJPerK,
        massC: (am * (airC - massC) + mo * (to - massC)) / OFFICE.massJPerK,
      };
    };
    const moved = (from: AirAndMass, by: AirAndMass, h: number): AirAndMass => ({
      airC: from.airC + h * by.airC,
      massC: from.massC + h * by.massC,
    });
    let state: AirAndMass = { airC: 25, massC: 19 };
    const h = 10;
    for (let t = 0; t < 50_000; t += h) {
      const a = slope(state, t);
      const b = slope(moved(state, a, h / 2), t + h / 2);
      const c = slope(moved(state, b, h / 2), t + h / 2);
      const d = slope(moved(state, c, h), t + h);
      for (const [by, weight] of [[a, 1] as const, [b, 2] as const, [c, 2] as const, [d, 1] as const]) {
        state = moved(state, by, (h * weight) / 6);
      }
    }
    const exact = twoMassSine(OFFICE, { airC: 25, massC: 19 }, outdoor, 600, 0, 50_000);
    expect(exact.airC).toBeCloseTo(state.airC, 6);
    expect(exact.massC).toBeCloseTo(state.massC, 6);
  });

  it('two masses without a wall between them decay each by itself', () => {
    const apart: TwoMasses = { ...OFFICE, massJPerK: OFFICE.airJPerK, airToMassWPerK: 0, massToOutdoorWPerK: 54.44 };
    const { airC, massC } = twoMassStep(apart, { airC: 10, massC: 4 }, 0, 0, 5_000);
    const decay = Math.exp((-5_000 * 54.44) / OFFICE.airJPerK);
    expect(airC).toBeCloseTo(10 * decay, 12);
    expect(massC).toBeCloseTo(4 * decay, 12);
  });
});
