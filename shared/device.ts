/**
 * Words about devices that drivers, simulators, agents and topology share, and the contract of a device driver.
 * Addresses are PDU offsets, zero-based (Modbus Application Protocol V1.1b3 §4.4), never 4xxxx notation.
 */
export type PointTable = 'coil' | 'discrete' | 'input' | 'holding';
export type PointType = 'bool' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32';
/** Order of the bytes of a two-register value: ABCD is big-endian, CDAB has the low word first. */
export type WordOrder = 'ABCD' | 'CDAB' | 'BADC' | 'DCBA';

export interface Point {
  readonly name: string;
  readonly table: PointTable;
  readonly address: number;
  readonly type: PointType;
  /** Default ABCD. */
  readonly word_order?: WordOrder;
  /** Engineering value = raw × scale. Default 1. */
  readonly scale?: number;
  readonly unit?: string;
  /** Modbus unit that holds the point, where it is not the device's own (a communication module). */
  readonly unit_id?: number;
  readonly access: 'r' | 'rw';
  /** Limits of the engineering value for a write. */
  readonly min?: number;
  readonly max?: number;
  /** Meaning of a register's numbers: `{0: 'OFFLINE', 1: 'ONLINE'}`. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** OPC-style quality: a value that is not good says why. */
export type Quality = { readonly status: 'good' } | { readonly status: 'uncertain' | 'bad'; readonly reason: string };

export interface PointValue {
  readonly point: string;
  readonly value: number | boolean | null;
  readonly quality: Quality;
  /** When the device said so, Unix milliseconds. */
  readonly source_time_unix_ms: number;
}

/** Where a link is: one TCP connection, many units behind it. */
export interface LinkAddress {
  readonly host: string;
  readonly port: number;
}

export interface LinkRequest {
  /** Modbus unit id, 1–247, an argument of each request, never client state. */
  readonly unit: number;
  readonly table: PointTable;
  readonly address: number;
}

export interface LinkCallOptions {
  readonly signal?: AbortSignal;
  /** Time for this request alone. Default 1 000 ms. */
  readonly timeoutMs?: number;
  /** Called when the request's turn has come, before it is sent; what it throws, the request fails with, unsent. */
  readonly guard?: () => void;
}

/**
 * One connection to one link, shared by the devices behind it; at most one request in flight.
 *
 * `read` is retried once after a reconnect, `write` never. Every failure is a HermesError whose `data.cause` is one
 * of CONNECTION_CAUSES; a write that timed out after it was sent has `data.sent: true`: its outcome is unknown.
 */
export interface LinkDriver {
  /** Registers as 16-bit unsigned numbers; coils and discrete inputs as 0 or 1. */
  read(request: LinkRequest & { readonly count: number }, options?: LinkCallOptions): Promise<number[]>;
  /**
   * Writes registers (FC6 for one, FC16 for more) or coils (FC5, FC15). `function_code` as sent is returned for the
   * record.
   */
  write(
    request: LinkRequest & { readonly values: readonly number[] },
    options?: LinkCallOptions,
  ): Promise<{ readonly function_code: 5 | 6 | 15 | 16 }>;
  /**
   * Declares the fencing token of the link's owner to one unit, by a write to its fence register pair, before the
   * first write of that token on this connection. Returns what it wrote, or nothing when it was declared already.
   */
  fence(unit: number, register: number, epoch: number, options?: LinkCallOptions): Promise<FenceWrite | undefined>;
  readonly state: 'connected' | 'connecting' | 'closed';
  close(): Promise<void>;
}

export interface FenceWrite {
  readonly unit: number;
  readonly address: number;
  readonly values: readonly [number, number];
  readonly function_code: 16;
}

/** Why a request to a link failed. */
export const CONNECTION_CAUSES = [
  'refused',
  'closed',
  'timeout',
  'bad_frame',
  'exception_permanent',
  'exception_busy',
  'exception_device',
  'gateway_target_silent',
  'cancelled',
] as const;
export type ConnectionCause = (typeof CONNECTION_CAUSES)[number];

/** Opens the driver of a link; how the address is found is the opener's business. */
export type OpenLink = (link: string) => LinkDriver;

/** Status of a controller as its agent reports it. */
export type DeviceStatus = 'ONLINE' | 'OFFLINE' | 'FAULT' | 'MAINTENANCE';

/** How a device is restarted: by itself, by a management unit on its link, or by a relay that feeds it. */
export interface RestartPath {
  readonly via: 'self' | 'management_unit' | 'power_relay';
  /** The device that does it, where it is another one. */
  readonly device?: string;
  readonly point: string;
  /** Value that starts the restart, in engineering units. */
  readonly value: number;
}

export interface Device {
  readonly id: string;
  readonly kind: string;
  readonly names: readonly string[];
  readonly link: string;
  readonly unit: number;
  readonly zone?: string;
  /** Floor that the device serves or stands on, where it is not one zone's. */
  readonly floor?: number;
  /** Device that gives it its air: a terminal unit's air handler. */
  readonly fed_by?: string;
  /** Breaker through which it gets its power. */
  readonly powered_by?: string;
  /** Breaker whose circuit a meter measures. */
  readonly measures?: string;
  readonly criticality: 1 | 2 | 3;
  readonly points: readonly Point[];
  readonly restart?: RestartPath;
  /** Points that tell this device from every other, and what they say: `{model: 300, serial: 700007}`. */
  readonly identity?: Readonly<Record<string, number>>;
  /** Holding register of the fence pair (high word first), where the device has one. */
  readonly fence_register?: number;
  /** Component that serves the device; its record is the device's home. */
  readonly home: string;
}

/** Registers of one write, as they go over the wire. */
export interface RegisterWrite {
  readonly link: string;
  readonly unit: number;
  readonly function_code: number;
  readonly address: number;
  readonly values: readonly number[];
}

/** What a write did, the declaration of the fencing token included when this write needed one. */
export interface WriteReceipt {
  readonly write: RegisterWrite;
  readonly fence?: RegisterWrite;
}

/**
 * Devices by their points, in engineering units. Reads answer every point asked for: one that could not be read has
 * quality `bad` and a reason, unless nothing of the device could be read, which throws.
 */
export interface DeviceAccess {
  read(device: Device, points: readonly string[], options?: LinkCallOptions): Promise<PointValue[]>;
  /**
   * @throws HermesError; `data.write` (or `data.fence`, when it stuck there) are the registers of the request that
   * failed, `data.sent: true` when it went out and no answer came; `data.fence_written` is a declaration that had gone
   * well before.
   */
  write(
    device: Device,
    point: string,
    value: number | boolean,
    options: LinkCallOptions & { readonly epoch?: number },
  ): Promise<WriteReceipt>;
  /** Tells each unit of the device that has a fence register the token of its owner. */
  fence(device: Device, epoch: number, options?: LinkCallOptions): Promise<void>;
  /** Closes the connection of a link; the next request opens it again. */
  release(link: string): Promise<void>;
}
