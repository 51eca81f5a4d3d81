import type { Point } from '../../shared/device.js';
import type { FaultKind, FaultParams } from '../faults.js';
import type { ReadPart, Refusal, WritePart } from '../modbus-pdu.js';

/** A simulated device: one or more Modbus units over one state, true for the instant it is asked about. */
export interface DeviceModel {
  /** Unit ids it answers as; the first is the device itself. */
  readonly units: readonly number[];
  /** Where the fence pair is, the same in every unit. */
  readonly fenceRegister: number;
  /** Fault kinds that this kind of device can show. */
  readonly faultKinds: readonly FaultKind[];
  /** Every point once, with the unit that has it. */
  readonly points: readonly { readonly unit: number; readonly point: Point }[];
  read(unit: number, part: ReadPart, at: number): number[] | Refusal;
  write(unit: number, part: WritePart, at: number): Refusal | undefined;
  fence(at: number): number;
  setFence(epoch: number, at: number): void;
  /** Engineering value of a point. */
  get(name: string, at: number): number;
  /** Sets the cause behind a point, from outside of Modbus. False: nothing outside can set this point. */
  put(name: string, value: number, at: number): boolean;
  /** Points that the fault `stuck` can name. */
  readonly stuckPoints: readonly string[];
  /** A fault that changes the device's own state begins or ends; the same params object both times. */
  fault(kind: FaultKind, active: boolean, at: number, params: FaultParams): void;
  /** Faults that the device has got over by now, whether they act or not: a restart ends `offline`. */
  overcome(at: number): readonly FaultKind[];
  /** One word for people. */
  state(at: number): string;
  reset(at: number): void;
}
