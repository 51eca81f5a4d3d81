import { describe, expect, it } from 'vitest';
import { heat, type ThermalParams } from '../../../simulators/devices/thermal.js';
import { PLC_DEFAULTS } from '../../../simulators/index.js';

const params: ThermalParams = PLC_DEFAULTS.thermal;
const { ambientC, resistanceKPerW: r, capacityJPerK: c, heaterW, gainPerK } = params;

/** Right side of the equation, for a numerical check by small steps. */
function slope(temperature: number, setpointC: number, limit: number): number {
  const hold = (setpointC - ambientC) / (r * heaterW);
  const share = Math.min(limit, Math.max(0, hold + gainPerK * (setpointC - temperature)));
  return ((ambientC - temperature) / r + heaterW * share) / c;
}

function rungeKutta(from: number, setpointC: number, limit: number, seconds: number): number {
  const steps = 20_000;
  const h = seconds / steps;
  let t = from;
  for (let i = 0; i < steps; i++) {
    const k1 = slope(t, setpointC, limit);
    const k2 = slope(t + (h / 2) * k1, setpointC, limit);
    const k3 = slope(t + (h / 2) * k2, setpointC, limit);
    const k4 = slope(t + h * k3, setpointC, limit);
    t += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return t;
}

describe('1R1C oven', () => {
  it('without heat it cools by the closed form', () => {
    const expected = ambientC + (80 - ambientC) * Math.exp(-120 / (r * c));
    expect(heat(params, 80, { setpointC: 45, limit: 0 }, 120)).toBeCloseTo(expected, 12);
  });

  it.each([
    [22, 45, 0.8],
    [22, 45, 1],
    [90, 45, 0.8],
    [45, 60, 0.3],
    [50, 10, 1],
    [20, 22, 0.5],
  ])('from %d °C to %d °C at most %d it follows the equation through every regime', (from, setpointC, limit) => {
    for (const seconds of [5, 60, 300, 1800]) {
      expect(heat(params, from, { setpointC, limit }, seconds)).toBeCloseTo(
        rungeKutta(from, setpointC, limit, seconds),
        5,
      );
    }
  });

  it('does not depend on how the time is cut', () => {
    const demand = { setpointC: 45, limit: 0.8 };
    let cut = 22;
    for (let i = 0; i < 1000; i++) cut = heat(params, cut, demand, 0.6);
    expect(cut).toBeCloseTo(heat(params, 22, demand, 600), 9);
  });

  it('settles at the set-point when the power allows it, below it when it does not', () => {
    expect(heat(params, 22, { setpointC: 45, limit: 0.8 }, 1e6)).toBeCloseTo(45, 9);
    expect(heat(params, 45, { setpointC: 45, limit: 0.2 }, 1e6)).toBeCloseTo(ambientC + 0.2 * r * heaterW, 9);
  });
});
