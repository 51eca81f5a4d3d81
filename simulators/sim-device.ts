import type { DeviceModel } from './devices/device-model.js';
import type { PlcParams } from './devices/plc-state.js';

/** What every simulated device has. */
interface Placed {
  readonly id: string;
  readonly link: string;
  /** Unit id on the link, 1–99; a PLC’s comm module is 100 more. */
  readonly unit: number;
}

export interface PlcSpec extends Placed {
  readonly kind: 'plc';
  readonly initially?: 'online' | 'offline';
  readonly params?: Partial<PlcParams>;
}

/** An air handler; without `powered_by` its supply never fails. */
export interface AhuSpec extends Placed {
  readonly kind: 'ahu';
  readonly powered_by?: string;
}

/** A terminal box: lets the air of an air handler into a zone. */
export interface VavSpec extends Placed {
  readonly kind: 'vav';
  readonly zone: string;
  readonly fed_by: string;
}

/** An air conditioner of one room; without `powered_by` its supply never fails. */
export interface SplitUnitSpec extends Placed {
  readonly kind: 'split_unit';
  readonly zone: string;
  readonly powered_by?: string;
}

/** A meter on the load side of a breaker. */
export interface MeterSpec extends Placed {
  readonly kind: 'meter';
  readonly measures: string;
}

/** A breaker; without `powered_by` it stands at the grid. */
export interface BreakerSpec extends Placed {
  readonly kind: 'breaker';
  readonly powered_by?: string;
  /** Load that hangs on it beside the simulated devices. Default none. */
  readonly load_kw?: number;
  /** Power factor of that load. Default 0.95. */
  readonly power_factor?: number;
}

/** A device that lives in the plant. */
export type PlantSpec = AhuSpec | VavSpec | SplitUnitSpec | MeterSpec | BreakerSpec;

/** What the simulators are told about one device. */
export type SimDeviceSpec = PlcSpec | PlantSpec;

export interface SimDevice {
  readonly spec: SimDeviceSpec;
  readonly model: DeviceModel;
}
