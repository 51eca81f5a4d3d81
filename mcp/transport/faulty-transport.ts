import { faultyBus } from './faulty-bus.js';
import type { FaultyDoors } from './faulty-doors.js';
import { faultyLiveness } from './faulty-liveness.js';
import { faultyLog } from './faulty-log.js';
import type { Transport } from './transport.js';

/** The transport of one component with the faults of a plan on its bus, log and liveness. */
export function faultyTransport(transport: Transport, doors: FaultyDoors): Transport {
  return {
    ...transport,
    get connected() {
      return transport.connected;
    },
    get away() {
      return transport.away;
    },
    bus: faultyBus(transport.bus, doors),
    log: faultyLog(transport.log, doors),
    heads: faultyLog(transport.heads, doors),
    liveness: faultyLiveness(transport.liveness, doors),
  };
}
