import { HermesError } from '../../shared/errors.js';
import { encodeMessage, type WireFormat } from '../protocol/codec.js';
import { componentName } from '../protocol/component-id.js';
import { kindToken, lastToken, subjects } from '../protocol/subjects.js';
import type { Bus, BusMessage } from '../transport/index.js';

/** Passed on by an instance of this component: only its own instances may publish on that subject. */
export const isForwarded = (subject: string, self: string): boolean =>
  lastToken(subject) === self && kindToken(subject) === 'direct';

/**
 * The first caller of a message that another instance of this component has passed on.
 * @throws HermesError `bad_caller` when it names no `via` or no caller: then it was not passed on.
 */
export function firstCaller(raw: Readonly<Record<string, unknown>>): string {
  const { via, caller } = raw;
  if (Array.isArray(via) && via.length > 0 && typeof caller === 'string') return componentName(caller);
  throw new HermesError('bad_caller', 'a component does not call itself; a message that is passed on names its via');
}

/** The owner that died with a message before it was passed on to this one; undefined for one that comes fresh. */
export function diedWith({ via }: Readonly<Record<string, unknown>>): string | undefined {
  return Array.isArray(via) && typeof via[1] === 'string' ? via[1] : undefined;
}

export interface Forwarding {
  readonly bus: Bus;
  readonly tenant: string;
  readonly component: string;
  readonly instance: string;
}

/**
 * Passes a message on to the instance that owns what it is about, as it came, with `via` and the original reply
 * subject: the owner answers the caller itself. Once only; again when that owner died with it, whom `via` names then.
 * @throws HermesError `owner_moved` for a message that was passed on before.
 */
export function passOn(
  { bus, tenant, component, instance }: Forwarding,
  owner: string,
  message: BusMessage,
  raw: Readonly<Record<string, unknown>>,
  { format, after }: { readonly format: WireFormat; readonly after?: string },
): void {
  const via = Array.isArray(raw.via) ? raw.via : [];
  if (via.length > 0) {
    throw new HermesError('owner_moved', `${instance} does not own this any more`, { started: false, owner });
  }
  bus.publish(
    subjects.direct(tenant, component, owner, component),
    encodeMessage({ ...raw, via: after === undefined ? [instance] : [instance, after] }, format),
    message.reply === undefined ? {} : { reply: message.reply },
  );
}
