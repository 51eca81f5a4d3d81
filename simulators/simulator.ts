import type { Clock } from '../shared/clock.js';
import type { LinkAddress } from '../shared/device.js';
import type { Random } from '../shared/random.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { openControl } from './control.js';
import { type ModbusServer, openModbusServer } from './modbus-server.js';
import type { SimDeviceSpec } from './sim-device.js';
import { openSmtpReceiver, type SmtpReceiver } from './smtp-receiver.js';
import { createWorld, type World } from './world.js';

export interface SimulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly devices: readonly SimDeviceSpec[];
  /** Links to open, also those without a device; the devices' own are added. */
  readonly links?: readonly string[];
  /** Port of the control endpoint; 0 takes a free one. */
  readonly controlPort: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

export interface Simulators {
  readonly controlUrl: string;
  /** Where each link listens; `smtp` is the mail receiver. */
  links(): Readonly<Record<string, LinkAddress>>;
  readonly world: World;
  readonly mail: SmtpReceiver;
  stop(): Promise<void>;
}

/** Starts every link on a free port, the mail receiver and the control endpoint; what fails takes the rest down. */
export async function startSimulators(options: SimulatorOptions): Promise<Simulators> {
  const { clock, random, logger, devices, controlPort, host = '127.0.0.1' } = options;
  const world = createWorld({ clock, random, devices });
  const opened: { close(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((part) => part.close()));
  };
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  try {
    const servers = new Map<string, ModbusServer>();
    for (const link of new Set([...(options.links ?? []), ...world.links])) {
      servers.set(link, keep(await openModbusServer({ clock, logger, world }, { link, host, port: 0 })));
    }
    const mail = keep(await openSmtpReceiver({ clock, logger }, { host, port: 0 }));
    const links = (): Record<string, LinkAddress> => ({
      ...Object.fromEntries([...servers].map(([link, server]) => [link, { host: server.host, port: server.port }])),
      smtp: { host: mail.host, port: mail.port },
    });
    const control = keep(await openControl({ logger, world, mail, links }, { host, port: controlPort }));
    return { controlUrl: control.url, links, world, mail, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
