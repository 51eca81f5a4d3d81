import { createDeviceAccess } from '../agents/drivers/index.js';
import type { AgentDoors, PackShelf } from '../agents/runtime/index.js';
import type { Transport } from '../mcp/transport/index.js';
import type { Clock } from '../shared/clock.js';
import type { OpenLink } from '../shared/device.js';
import type { KeyProvider, NextMaster, SigningKey } from '../shared/keys/index.js';
import type { MailSender } from '../shared/mail.js';
import type { Random } from '../shared/random.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';

import type { AdmissionOptions } from './admission/index.js';

/** The outside of a whole site, before it is dealt out to its components. */
export interface SiteDoors {
  /** The doors of one component; the simulation gives each a set that can be taken away, NATS each its connections. */
  readonly connect: (component: string) => Transport | Promise<Transport>;
  /** Ends what `connect` made for one instance alone. Absent where all share one transport, which its maker closes. */
  readonly disconnect?: (transport: Transport) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: KeyProvider;
  readonly nextMaster?: NextMaster;
  /** The key with which a component signs, the same for all its instances here. */
  readonly signing: (component: string) => SigningKey;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly openLink: OpenLink;
  readonly mail?: MailSender;
  /** Share of the traces whose spans are recorded; see `AgentDoors`. */
  readonly traceRatio?: number;
  /**
   * What one place has for itself: a component, or `<component>#<n>` where several instances run here. Default:
   * `connect`, and the rest as it is here.
   */
  readonly dealTo?: (place: string) => Promise<DealtDoors>;
  /** How agents' tools are admitted. Default: `develop`, without a word. */
  readonly admission?: AdmissionOptions;
  /** Where compiled rule packs are kept; default: with this site. */
  readonly shelf?: PackShelf;
}

/** What one place has of the outside apart from the others. */
export interface DealtDoors extends Pick<SiteDoors, 'clock' | 'openLink' | 'mail'> {
  readonly transport: Transport;
}

/** `plc_controller#2` is the second place of `plc_controller`. */
export const componentIn = (place: string): string => place.split('#')[0] as string;

export async function dealDoors(site: SiteDoors, place: string): Promise<DealtDoors> {
  return site.dealTo ? site.dealTo(place) : { ...site, transport: await site.connect(componentIn(place)) };
}

/** The doors of one instance of a component, and their end. */
export interface ComponentDoors {
  readonly doors: AgentDoors;
  /** Closes links to devices, then the connections that were its alone. */
  close(): Promise<void>;
}

/** @throws HermesError of the transport when it cannot be reached. */
export async function openComponentDoors(
  site: SiteDoors,
  place: string,
  more: Pick<AgentDoors, 'ids' | 'observeLocal' | 'superseded' | 'stuck'>,
): Promise<ComponentDoors> {
  const { random, keys, nextMaster, logger, metrics, traceRatio } = site;
  const { transport, clock, openLink, mail } = await dealDoors(site, place);
  const devices = createDeviceAccess({ openLink, now: () => clock.now() });
  return {
    doors: {
      ...{ transport, clock, random, keys, logger, metrics, devices },
      signing: site.signing(componentIn(place)),
      ...(nextMaster ? { nextMaster } : {}),
      ...(mail ? { mail } : {}),
      ...(traceRatio === undefined ? {} : { traceRatio }),
      ...more,
    },
    async close() {
      await devices.close();
      await site.disconnect?.(transport);
    },
  };
}
