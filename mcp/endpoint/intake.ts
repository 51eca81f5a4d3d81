import { LIMITS } from '../../shared/limits.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { decodeMessage, type WireFormat } from '../protocol/codec.js';
import { type ComponentId, componentName } from '../protocol/component-id.js';
import { MCP_VERSION, type Request } from '../protocol/envelope.js';
import { lastToken } from '../protocol/subjects.js';
import type { Bus, BusMessage } from '../transport/index.js';
import type { VersionUse } from '../version-use.js';
import { admit, checkAge, checkReply } from './admission.js';
import { createAdmittedPrefixes } from './admitted-prefixes.js';
import type { AllowList } from './allow-list.js';
import { comesBack } from './call-cycle.js';
import { diedWith, firstCaller, isForwarded, passOn } from './forward.js';
import type { PassedOn } from './passed-on.js';

export interface IntakeOptions {
  readonly self: ComponentId;
  readonly instance: string;
  readonly tenant: string;
  readonly allow: AllowList;
  readonly maySpeakForPeople: ReadonlySet<string>;
  readonly ownerOf?: (request: Request) => string | undefined;
  /** Looks at a call that has its own component in its chain. @throws HermesError `call_cycle`. */
  readonly checkCycle: (request: Request) => void;
}

/** What is known of a message, also of one that is refused half-way: enough to answer it. */
export interface Seen {
  format: WireFormat;
  requestId: string;
  /** The reply address belongs to whom the transport says is speaking: whatever is wrong, the answer may go there. */
  lawful: boolean;
  request: Request | undefined;
  /** The protocol version that an admitted message was written in. */
  version: string;
  /** The owner that died with the message: it may have begun it, long ago. */
  after: string | undefined;
  /** Its own component stands in its chain. */
  comesBack: boolean;
}

/** From a message to an admitted request of this instance. */
export interface Intake {
  /** Undefined: passed on to the instance that owns what it is about. @throws HermesError 400, 403 or 408. */
  admit(message: BusMessage, now: number, seen: Seen): Request | undefined;
}

export function createIntake(
  deps: { bus: Bus; metrics: Metrics; passedOn: PassedOn; versions?: VersionUse | undefined },
  options: IntakeOptions,
): Intake {
  const { self, tenant, ownerOf, instance } = options;
  const policy = { ...options, metrics: deps.metrics };
  const forwarding = { bus: deps.bus, tenant, component: self.name, instance };
  const prefixes = createAdmittedPrefixes();

  /** The message as a map, its speaker made out and its reply address checked. */
  const open = (message: BusMessage, seen: Seen): { raw: Record<string, unknown>; speaker: string } => {
    const forwarded = isForwarded(message.subject, self.name);
    let speaker = lastToken(message.subject);
    seen.format = 'json';
    if (!forwarded) seen.lawful = checkReply(message.reply, speaker, tenant);
    const { format, message: raw } = decodeMessage(message.payload);
    seen.format = format;
    if (typeof raw.request_id === 'string') seen.requestId = raw.request_id;
    if (forwarded) {
      speaker = firstCaller(raw);
      const died = diedWith(raw);
      if (died !== undefined) seen.after = died;
      seen.lawful = checkReply(message.reply, speaker, tenant);
    }
    return { raw, speaker };
  };

  const known = (message: BusMessage, now: number, seen: Seen): Request | undefined => {
    if (message.payload.byteLength > LIMITS.messageBytes) return undefined;
    const request = prefixes.find(message.subject, message.payload);
    if (request === undefined) return undefined;
    seen.requestId = request.request_id;
    seen.lawful = checkReply(message.reply, lastToken(message.subject), tenant);
    if (seen.after === undefined) checkAge(request, now);
    return request;
  };

  const first = (message: BusMessage, now: number, seen: Seen): Request => {
    const { raw, speaker } = open(message, seen);
    const request = admit(raw, speaker, now, seen.after === undefined ? policy : { ...policy, anyAge: true });
    seen.version = raw.mcp_version as string;
    seen.comesBack = comesBack(request.chain, self.name);
    // What comes back is looked at each time.
    const plain = raw.mcp_version === MCP_VERSION && raw.via === undefined && !seen.comesBack;
    if (plain && speaker === lastToken(message.subject)) prefixes.learn(message.subject, message.payload, request);
    return request;
  };

  return {
    admit(message, now, seen) {
      const request = known(message, now, seen) ?? first(message, now, seen);
      seen.request = request;
      deps.versions?.count(seen.version, componentName(request.caller));
      const owner = ownerOf?.(request);
      if (owner === undefined || owner === instance) {
        if (seen.comesBack) options.checkCycle(request);
        return request;
      }
      const raw = decodeMessage(message.payload).message;
      passOn(forwarding, owner, message, raw, seen);
      deps.passedOn.keep(owner, message, request);
      return undefined;
    },
  };
}
