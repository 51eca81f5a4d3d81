import type { Point } from '../../shared/device.js';
import { EXCEPTION, isRefusal, type Refusal } from '../modbus-pdu.js';
import type { DeviceModel } from './device-model.js';
import { plcBanks } from './plc-banks.js';
import {
  advancePlc,
  holdBoot,
  initialPlc,
  type PlcParams,
  type PlcState,
  restartPlc,
  statusOf,
  stopPlc,
} from './plc-state.js';
import { readBank, writeBank } from './register-bank.js';

/** Unit of the comm module, counted from the PLC's own. */
export const COMM_UNIT_OFFSET = 100;
/** High word of the fence pair, in both units. */
export const FENCE_REGISTER = 200;

/** A plausible small controller; 1 kW on 6 kJ/K and 0.05 K/W has a time constant of 300 s. */
export const PLC_DEFAULTS: PlcParams = {
  bootMs: 1500,
  model: 1207,
  serial: 0,
  ip: 0,
  voltage: 24,
  thermal: { ambientC: 22, resistanceKPerW: 0.05, capacityJPerK: 6000, heaterW: 1000, gainPerK: 0.1 },
  temperatureC: 45,
  setpointC: 45,
  heatingPercent: 80,
  speed: 1450,
  heartbeat: 0,
  initially: 'online',
};

/** Register map of a PLC and of its comm module, for the topology. */
export function plcPoints(): { readonly main: Point[]; readonly comm: Point[] } {
  const banks = plcBanks(PLC_DEFAULTS);
  return { main: banks.main.map(({ point }) => point), comm: banks.comm.map(({ point }) => point) };
}

/**
 * A PLC as unit `unit` with its comm module as unit 100 + `unit`.
 *
 * A stopped processor still answers: heartbeat frozen, status OFFLINE, error COMM_TIMEOUT. The comm module is always
 * alive; its restart command is refused by exception 4 while the emergency stop is pressed or the device is locked
 * out.
 */
export function createPlc(unit: number, params: PlcParams, at: number): DeviceModel {
  const banks = plcBanks(params);
  const comm = unit + COMM_UNIT_OFFSET;
  const bankOf = (asked: number) => (asked === comm ? banks.comm : banks.main);
  const entries = [...banks.main.map((e) => ({ unit, ...e })), ...banks.comm.map((e) => ({ unit: comm, ...e }))];
  const named = (name: string) => entries.find(({ point }) => point.name === name);
  let state: PlcState = initialPlc(params, at);
  const advance = (to: number): PlcState => {
    state = advancePlc(params, state, to);
    return state;
  };
  return {
    units: [unit, comm],
    fenceRegister: FENCE_REGISTER,
    stuckPoints: [],
    faultKinds: ['offline', 'reboot_never_ends', 'silent_write', 'delay', 'exception', 'half_open'],
    points: entries.filter((entry) => entry.unit === unit || entry.point.name !== 'fence'),
    read: (asked, part, now) => readBank(bankOf(asked), advance(now), part),
    write(asked, part, now) {
      const next = writeBank(bankOf(asked), advance(now), part);
      if (isRefusal(next)) return next;
      state = next;
      return undefined;
    },
    fence: (now) => advance(now).fence,
    setFence(epoch, now) {
      state = { ...advance(now), fence: epoch };
    },
    get: (name, now) => named(name)?.get(advance(now)) ?? Number.NaN,
    put(name, value, now) {
      const next: PlcState | Refusal = named(name)?.set?.(advance(now), value) ?? {
        exception: EXCEPTION.illegalAddress,
      };
      if (isRefusal(next)) return false;
      state = next;
      return true;
    },
    fault(kind, active, now) {
      const current = advance(now);
      if (kind === 'reboot_never_ends') state = holdBoot(params, current, active);
      if (kind !== 'offline') return;
      if (active) state = stopPlc(current);
      else if (current.phase === 'stopped') state = restartPlc(params, current);
    },
    overcome: (now) => (statusOf(advance(now)) === 'OFFLINE' ? [] : ['offline']),
    state: (now) => statusOf(advance(now)),
    reset(now) {
      state = initialPlc(params, now);
    },
  };
}
