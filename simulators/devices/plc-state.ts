import { heat, type ThermalParams } from './thermal.js';

/**
 * A PLC as pure transitions. `advancePlc` carries a state to any later instant exactly; every other function expects
 * a state that has been advanced to the instant of the event.
 */
export interface PlcParams {
  readonly bootMs: number;
  readonly model: number;
  readonly serial: number;
  /** IPv4 address, as one unsigned number. */
  readonly ip: number;
  readonly voltage: number;
  readonly thermal: ThermalParams;
  readonly temperatureC: number;
  readonly setpointC: number;
  readonly heatingPercent: number;
  readonly speed: number;
  /** Heartbeat counter at the start. */
  readonly heartbeat: number;
  readonly initially: 'online' | 'offline';
}

export interface PlcState {
  /** Instant that the state is true for, Unix milliseconds. */
  readonly at: number;
  readonly phase: 'running' | 'stopped' | 'booting';
  readonly phaseSince: number;
  /** While it holds, booting does not end. */
  readonly bootHeld: boolean;
  readonly bootEndsAt: number;
  /** Counter when the phase began; it moves only while running. */
  readonly heartbeatBase: number;
  readonly lastHeartbeatAt: number;
  readonly startedAt: number;
  readonly bootCount: number;
  readonly bootedAt: number;
  readonly temperatureC: number;
  readonly voltage: number;
  readonly setpointC: number;
  readonly heatingPercent: number;
  readonly speed: number;
  readonly outputEnable: boolean;
  readonly estop: boolean;
  readonly lockedOut: boolean;
  readonly maintenance: boolean;
  readonly deviceFault: boolean;
  readonly run: boolean;
  readonly fence: number;
}

export const PLC_STATUS = { OFFLINE: 0, ONLINE: 1, FAULT: 2, MAINTENANCE: 3, BOOTING: 4 } as const;
export const PLC_ERROR = { NONE: 0, COMM_TIMEOUT: 1, DEVICE_FAULT: 2, ESTOP: 3 } as const;
export type PlcStatus = keyof typeof PLC_STATUS;

const HEARTBEAT_MS = 1000;

export function initialPlc(params: PlcParams, at: number): PlcState {
  const running: PlcState = {
    at,
    phase: 'running',
    phaseSince: at,
    bootHeld: false,
    bootEndsAt: at,
    heartbeatBase: params.heartbeat,
    lastHeartbeatAt: at,
    startedAt: at,
    bootCount: 1,
    bootedAt: at,
    temperatureC: params.temperatureC,
    voltage: params.voltage,
    setpointC: params.setpointC,
    heatingPercent: params.heatingPercent,
    speed: params.speed,
    outputEnable: true,
    estop: false,
    lockedOut: false,
    maintenance: false,
    deviceFault: false,
    run: true,
    fence: 0,
  };
  return params.initially === 'offline' ? stopPlc(running) : running;
}

export function advancePlc(params: PlcParams, state: PlcState, at: number): PlcState {
  if (at <= state.at) return state;
  if (state.phase !== 'booting' || state.bootHeld || state.bootEndsAt > at) return warm(params, state, at);
  const ended = warm(params, state, Math.max(state.at, state.bootEndsAt));
  const running: PlcState = {
    ...ended,
    phase: 'running',
    phaseSince: ended.at,
    heartbeatBase: 0,
    lastHeartbeatAt: ended.at,
    bootCount: (state.bootCount + 1) & 0xffff,
    bootedAt: ended.at,
    deviceFault: false,
  };
  return warm(params, running, at);
}

/** The processor stops: the heartbeat freezes, the outputs fall. */
export const stopPlc = (state: PlcState): PlcState => ({
  ...state,
  phase: 'stopped',
  phaseSince: state.at,
  heartbeatBase: heartbeatOf(state),
  lastHeartbeatAt: lastHeartbeatOf(state),
});

/** A restart begins; an emergency stop refuses it before (see the comm module). */
export const restartPlc = (params: PlcParams, state: PlcState): PlcState => ({
  ...stopPlc(state),
  phase: 'booting',
  bootEndsAt: state.at + params.bootMs,
});

/** Booting is held, or let go: then it takes its usual time from now. */
export const holdBoot = (params: PlcParams, state: PlcState, held: boolean): PlcState => ({
  ...state,
  bootHeld: held,
  bootEndsAt: state.phase === 'booting' && !held ? state.at + params.bootMs : state.bootEndsAt,
});

export const heartbeatOf = (state: PlcState): number =>
  state.phase === 'running' ? (state.heartbeatBase + beats(state)) & 0xffff : state.heartbeatBase;

export const lastHeartbeatOf = (state: PlcState): number =>
  state.phase === 'running' ? state.phaseSince + beats(state) * HEARTBEAT_MS : state.lastHeartbeatAt;

export const commHeartbeatOf = (state: PlcState): number =>
  Math.floor((state.at - state.startedAt) / HEARTBEAT_MS) & 0xffff;

export function statusOf(state: PlcState): PlcStatus {
  if (state.phase === 'stopped') return 'OFFLINE';
  if (state.phase === 'booting') return 'BOOTING';
  if (state.estop || state.deviceFault) return 'FAULT';
  return state.maintenance ? 'MAINTENANCE' : 'ONLINE';
}

export function errorOf(state: PlcState): number {
  if (state.estop) return PLC_ERROR.ESTOP;
  if (state.phase === 'stopped') return PLC_ERROR.COMM_TIMEOUT;
  return state.deviceFault ? PLC_ERROR.DEVICE_FAULT : PLC_ERROR.NONE;
}

const beats = (state: PlcState): number => Math.floor((state.at - state.phaseSince) / HEARTBEAT_MS);

function warm(params: PlcParams, state: PlcState, at: number): PlcState {
  const heats = state.phase === 'running' && state.run && state.outputEnable && !state.estop && !state.deviceFault;
  const demand = { setpointC: state.setpointC, limit: heats ? state.heatingPercent / 100 : 0 };
  return { ...state, at, temperatureC: heat(params.thermal, state.temperatureC, demand, (at - state.at) / 1000) };
}
