/**
 * Simulators: a factory that answers over real Modbus TCP, takes mails, and breaks when it is told to.
 *
 * Owns the device models, their registers, the faults, the simulated servers and the control endpoint. Knows nothing of
 * agents or of the topology: which devices there are is handed in.
 *
 * 1. A device's state is a function of what was written and of the clock; asking more often changes nothing.
 * 2. The TCP server and the in-process link stand on one world: same registers, same faults, same frames in the log.
 * 3. The effect of a write happens when the frame arrives, whatever becomes of the reply.
 * 4. A stopped PLC still answers: heartbeat frozen, status OFFLINE, error COMM_TIMEOUT; its comm module never stops.
 * 5. The fence pair is one value per device: an older token is refused by exception 3, whatever the connection.
 * 6. Faults are a closed list; what a kind of device cannot show is refused, not ignored.
 * 7. The devices of the building are views of one plant: what one does is seen by all that hang on it.
 * 8. Stopping drops every client and frees every port.
 */
export { COMM_UNIT_OFFSET, FENCE_REGISTER, PLC_DEFAULTS, plcPoints } from './devices/plc.js';
export { RESTART_COMMAND } from './devices/plc-banks.js';
export { PLC_ERROR, PLC_STATUS, type PlcParams, type PlcStatus } from './devices/plc-state.js';
export { FAULT_KINDS, type Fault, type FaultKind, type FaultParams, type FaultRequest } from './faults.js';
export type { SimFrame } from './frame-log.js';
export { type InProcessLinkDeps, type InProcessLinkOptions, openInProcessLink } from './in-process-link.js';
export type { SimDeviceSpec } from './sim-device.js';
export { type SimulatorOptions, type Simulators, startSimulators } from './simulator.js';
export type { ReceivedMail, SmtpReceiver } from './smtp-receiver.js';
export { createWorld, type SimDeviceView, type SimPointView, type World } from './world.js';
