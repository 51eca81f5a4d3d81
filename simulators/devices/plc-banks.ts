import { EXCEPTION } from '../modbus-pdu.js';
import {
  commHeartbeatOf,
  errorOf,
  heartbeatOf,
  lastHeartbeatOf,
  PLC_ERROR,
  PLC_STATUS,
  type PlcParams,
  type PlcState,
  restartPlc,
  statusOf,
  stopPlc,
} from './plc-state.js';
import { coil, discrete, holding, input, labelsOf } from './points.js';
import type { Bank, BankPoint } from './register-bank.js';

/** Value of the comm module's restart register that restarts the PLC; any other is refused. */
export const RESTART_COMMAND = 0xa5a5;

type Entry = BankPoint<PlcState>;

/** The register map: which address means what. Addresses are PDU offsets. */
export function plcBanks(params: PlcParams): { readonly main: Bank<PlcState>; readonly comm: Bank<PlcState> } {
  return { main: [...inputs(params), ...settings(), ...bits(), fence()], comm: [...commands(params), fence()] };
}

function inputs(params: PlcParams): Entry[] {
  const online = (state: PlcState): number => (state.phase === 'running' ? params.ip : 0);
  return [
    { point: input('heartbeat', 0), get: heartbeatOf },
    {
      point: input('status', 1, { labels: labelsOf(PLC_STATUS) }),
      get: (state) => PLC_STATUS[statusOf(state)],
      set: (state, value) => forceStatus(params, state, value),
    },
    {
      point: input('error_code', 2, { labels: labelsOf(PLC_ERROR) }),
      get: errorOf,
      set: (state, value) => ({
        ...state,
        deviceFault: value === PLC_ERROR.DEVICE_FAULT,
        estop: value === PLC_ERROR.ESTOP,
      }),
    },
    {
      point: input('mode', 3, { labels: { 0: 'STOP', 1: 'RUN' } }),
      get: (state) => (state.run ? 1 : 0),
      set: (state, value) => ({ ...state, run: value !== 0 }),
    },
    {
      point: input('last_heartbeat', 4, { type: 'uint32', unit: 's' }),
      get: (state) => seconds(lastHeartbeatOf(state)),
    },
    { point: input('boot_count', 6), get: (state) => state.bootCount },
    { point: input('boot_time', 7, { type: 'uint32', unit: 's' }), get: (state) => seconds(state.bootedAt) },
    {
      point: input('temperature', 9, { type: 'int16', scale: 0.1, unit: '°C' }),
      get: (state) => state.temperatureC,
      set: (state, value) => ({ ...state, temperatureC: value }),
    },
    {
      point: input('voltage', 10, { scale: 0.1, unit: 'V' }),
      get: (state) => state.voltage,
      set: (state, value) => ({ ...state, voltage: value }),
    },
    { point: input('model', 11), get: () => params.model },
    { point: input('serial', 12, { type: 'uint32' }), get: () => params.serial },
    { point: input('ip_high', 14), get: (state) => online(state) >>> 16 },
    { point: input('ip_low', 15), get: (state) => online(state) & 0xffff },
  ];
}

function settings(): Entry[] {
  return [
    {
      point: holding('temperature_setpoint', 0, { type: 'int16', scale: 0.1, unit: '°C', min: 5, max: 90 }),
      get: (state) => state.setpointC,
      set: (state, value) => ({ ...state, setpointC: value }),
    },
    {
      point: holding('heating_power', 1, { unit: '%', min: 0, max: 100 }),
      get: (state) => state.heatingPercent,
      set: (state, value) => ({ ...state, heatingPercent: value }),
    },
    {
      point: holding('speed_setpoint', 2, { type: 'float32', word_order: 'CDAB', unit: 'rpm', min: 0, max: 3000 }),
      get: (state) => state.speed,
      set: (state, value) => ({ ...state, speed: value }),
    },
    {
      point: holding('mode_command', 10, { min: 0, max: 1, labels: { 0: 'STOP', 1: 'RUN' } }),
      get: (state) => (state.run ? 1 : 0),
      set: (state, value) => ({ ...state, run: value !== 0 }),
      refuse: (state) => (state.estop || state.lockedOut ? { exception: EXCEPTION.deviceFailure } : undefined),
    },
  ];
}

function bits(): Entry[] {
  return [
    {
      point: coil('output_enable', 0),
      get: (state) => Number(state.outputEnable),
      set: (state, value) => ({ ...state, outputEnable: value !== 0 }),
    },
    {
      point: discrete('estop', 0),
      get: (state) => Number(state.estop),
      set: (state, value) => ({ ...state, estop: value !== 0 }),
    },
    {
      point: discrete('locked_out', 1),
      get: (state) => Number(state.lockedOut),
      set: (state, value) => ({ ...state, lockedOut: value !== 0 }),
    },
  ];
}

function commands(params: PlcParams): Entry[] {
  return [
    { point: input('comm_heartbeat', 0), get: commHeartbeatOf },
    {
      point: holding('restart_command', 100, { min: RESTART_COMMAND, max: RESTART_COMMAND }),
      get: () => 0,
      set: (state) => restartPlc(params, state),
      refuse: (state) => (state.estop || state.lockedOut ? { exception: EXCEPTION.deviceFailure } : undefined),
    },
  ];
}

/** Written through the world, which knows connections; see `createWorld`. */
const fence = (): Entry => ({
  point: holding('fence', 200, { type: 'uint32' }),
  get: (state) => state.fence,
  set: (state, value) => ({ ...state, fence: value }),
});

/** Brings about the cause of a status: what a person at the cabinet would do. */
function forceStatus(params: PlcParams, state: PlcState, value: number): PlcState {
  if (value === PLC_STATUS.OFFLINE) return stopPlc(state);
  if (value === PLC_STATUS.BOOTING) return restartPlc(params, state);
  const flags = {
    maintenance: value === PLC_STATUS.MAINTENANCE,
    deviceFault: value === PLC_STATUS.FAULT,
    estop: value === PLC_STATUS.FAULT && state.estop,
  };
  if (state.phase === 'running') return { ...state, ...flags };
  return { ...state, ...flags, phase: 'running', phaseSince: state.at, lastHeartbeatAt: state.at };
}

const seconds = (unixMs: number): number => Math.floor(unixMs / 1000);
