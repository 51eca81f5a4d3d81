import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Bus } from '../bus.js';
import { createBusCapture } from '../bus-capture.js';
import { type BusHub, createBusHub } from '../in-process-bus.js';
import { createLivenessHub, type LivenessHub } from '../in-process-liveness.js';
import type { Log } from '../log.js';
import { createSequencedLog } from '../sequenced-log.js';
import type { Store } from '../store.js';
import type { Transport } from '../transport.js';
import { guardBus, guardLiveness, guardLog, guardStore } from './component-doors.js';
import { createDelay, type Delay, type LatencyRange } from './latency.js';
import { createMemoryLog } from './memory-log.js';
import { createMemorySlot, type MemorySlot } from './memory-store.js';
import { createRevocation } from './revocation.js';

export interface SimOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Default 0.1 to 1 ms. */
  readonly busLatencyMs?: LatencyRange;
  /** Each way of an append. Default 0.1 to 1 ms. */
  readonly logLatencyMs?: LatencyRange;
  /** Chance that an append still on its way to the log is lost when its component dies. Default 0.5. */
  readonly lostAtCrash?: number;
}

export interface SimControls {
  /** A set of doors for one component. Connecting again after a crash finds the same log and store. */
  connect(component: string): SimConnection;
}

export interface SimConnection {
  readonly transport: Transport;
  /**
   * The process is dead at once: every door throws `instance_lost`, subscriptions and tails end, members expire
   * without goodbye, unsynced batches of its stores are undone.
   */
  crash(): void;
}

interface World {
  readonly options: SimOptions;
  readonly hub: BusHub;
  readonly log: Log;
  readonly heads: Log;
  readonly liveness: LivenessHub;
  readonly logDelay: Delay;
  readonly headsDelay: Delay;
  readonly slots: Map<string, MemorySlot[]>;
  readonly fate: Random;
}

const LATENCY: LatencyRange = { min: 0.1, max: 1 };

/** A whole site in memory on the clock that is handed in: same seed, same order of everything. */
export function openSim(options: SimOptions): Transport & SimControls {
  const { clock, random, logger } = options;
  const busDelay = createDelay(clock, random.stream('bus latency'), options.busLatencyMs ?? LATENCY);
  const choice = random.stream('queue choice');
  const hub = createBusHub({
    logger,
    policy: {
      schedule(publisher, subject, deliver) {
        busDelay.after(`${publisher} ${subject}`, deliver);
      },
      choose: (_queue, members) => choice.int(members),
    },
  });
  const world: World = {
    options,
    hub,
    log: emptyLog(options),
    heads: emptyLog(options),
    liveness: createLivenessHub({ clock, logger }),
    logDelay: createDelay(clock, random.stream('log latency'), options.logLatencyMs ?? LATENCY),
    headsDelay: createDelay(clock, random.stream('heads latency'), options.logLatencyMs ?? LATENCY),
    slots: new Map(),
    fate: random.stream('crash'),
  };
  let connections = 0;
  const connect = (component: string): SimConnection => openDoors(world, component, `${component}#${connections++}`);
  return { ...connect('sim').transport, connect };
}

const emptyLog = ({ clock, logger }: SimOptions): Log =>
  createSequencedLog(createMemoryLog(), { lastSeq: 0, heads: new Map(), ids: new Map() }, { clock, logger });

function openDoors(world: World, component: string, line: string): SimConnection {
  const { options, fate, logDelay, headsDelay } = world;
  const { logger } = options;
  const life = createRevocation(component);
  const bus: Bus = world.hub.connect(line);
  const link = world.liveness.connect();
  const arrives = (): boolean => fate.float() >= (options.lostAtCrash ?? 0.5);
  const doors = { life, component: line, logger, arrives };
  const way = guardLog({ ...doors, log: world.log, delay: logDelay });
  const heads = guardLog({ ...doors, log: world.heads, delay: headsDelay });
  const liveness = guardLiveness(link, life);
  const own = guardBus(bus, life);
  const slots = new Set<MemorySlot>();
  const stores = new Set<Store>();
  let closed = false;
  const transport: Transport = {
    kind: 'sim',
    connected: true,
    away: [],
    bus: own,
    log: way.log,
    heads: heads.log,
    liveness,
    capture: createBusCapture(own, options.clock),
    openStore: (name) =>
      life.hold(async () => {
        if (closed) throw new HermesError('not_ready', 'the transport is closed');
        const slot = freeSlot(world.slots, name);
        const inner = slot.open();
        slots.add(slot);
        const store = guardStore(inner, life, () => {
          slots.delete(slot);
          stores.delete(store);
        });
        stores.add(store);
        return store;
      }),
    close: () =>
      life.hold(async () => {
        closed = true;
        await bus.close();
        await liveness.close();
        for (const store of [...stores]) await store.close();
        await way.log.close();
        await heads.log.close();
      }),
  };
  const crash = (): void => {
    if (life.revoked) return;
    life.revoke();
    bus.close().catch((thrown: unknown) => logger.error({ err: thrown, component }, 'a bus did not close'));
    link.cut();
    way.cut();
    heads.cut();
    for (const slot of slots) slot.crash();
    slots.clear();
  };
  return { transport, crash };
}

/** The first slot that no living instance holds, as on a disk. */
function freeSlot(all: Map<string, MemorySlot[]>, component: string): MemorySlot {
  const slots = all.get(component) ?? [];
  all.set(component, slots);
  const free = slots.find((slot) => !slot.isOpen);
  if (free) return free;
  const slot = createMemorySlot(`sim:${component}/${slots.length}`);
  slots.push(slot);
  return slot;
}
