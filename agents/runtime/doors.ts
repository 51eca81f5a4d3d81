import type { AllowList, LocalCall } from '../../mcp/index.js';
import type { Transport } from '../../mcp/transport/index.js';
import type { Clock } from '../../shared/clock.js';
import type { DeviceAccess } from '../../shared/device.js';
import type { Ids } from '../../shared/ids.js';
import type { KeyProvider, NextMaster, SigningKey } from '../../shared/keys/index.js';
import type { MailSender } from '../../shared/mail.js';
import type { Random } from '../../shared/random.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import type { ApprovalPolicy } from './approval/index.js';
import type { Roles } from './memory/index.js';
import type { RetentionPolicy } from './record/index.js';

/** Everything that an agent has of the outside. One set for each agent: it can be taken away from it alone. */
export interface AgentDoors {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly keys: KeyProvider;
  /** The master key that is to come, where the operator has given one. */
  readonly nextMaster?: NextMaster;
  /** Signs what this component says of its record. */
  readonly signing: SigningKey;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly devices: DeviceAccess;
  readonly mail?: MailSender;
  /**
   * Share of the traces whose spans are recorded, 0 to 1; ids they have all. Absent: those of goals all, and a call
   * outside of any goal begins no trace.
   */
  readonly traceRatio?: number;
  /** Told when another instance has taken what only one may have: this one was held for dead and has to end. */
  readonly superseded?: () => void;
  /** Told of a key (undefined: of none) on which a call does not end: whatever holds it may hold the next one too. */
  readonly stuck?: (key: string | undefined) => void;
  /** Told of each call inside the agent. */
  readonly observeLocal?: (call: LocalCall) => void;
}

/** What the topology says about this agent and the place it works in. */
export interface AgentPolicy {
  readonly tenant: string;
  readonly site: Site;
  readonly roles: Roles;
  /** Capabilities that the operator grants: `modbus.write:PLC-*`. */
  readonly grants: readonly string[];
  readonly allow: AllowList;
  /** Components that may call whatever only reads. */
  readonly readers?: readonly string[];
  /** Components that may set another principal. */
  readonly maySpeakForPeople: ReadonlySet<string>;
  /** Which calls need a person. Default: those of high risk. */
  readonly approvals?: ApprovalPolicy;
  /** Lives of snapshots that the site wants otherwise, by prefix of scope. */
  readonly retention?: RetentionPolicy;
  /** Only methods that read: an agent without a row in the topology. */
  readonly readsOnly?: boolean;
  /** Links that this agent owns. */
  readonly links: readonly string[];
}
