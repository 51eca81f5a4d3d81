import type { DeviceModel } from './devices/device-model.js';
import type { PlcParams } from './devices/plc-state.js';

/** What the simulators are told about one device. */
export interface SimDeviceSpec {
  readonly id: string;
  readonly kind: 'plc';
  readonly link: string;
  /** Unit id on the link, 1–99; a PLC’s comm module is 100 more. */
  readonly unit: number;
  readonly initially?: 'online' | 'offline';
  readonly params?: Partial<PlcParams>;
}

export interface SimDevice {
  readonly spec: SimDeviceSpec;
  readonly model: DeviceModel;
}
