import type { SimDeviceSpec } from '../../simulators/index.js';

/** Two PLCs on one link and one on another; the second is offline at the start. */
export const SIM_DEVICES: readonly SimDeviceSpec[] = [
  { id: 'PLC-001', kind: 'plc', link: 'line-1', unit: 1, params: { bootMs: 150, heartbeat: 65_530 } },
  { id: 'PLC-007', kind: 'plc', link: 'line-1', unit: 7, initially: 'offline', params: { bootMs: 150 } },
  { id: 'PLC-009', kind: 'plc', link: 'line-2', unit: 9, params: { bootMs: 150 } },
];
