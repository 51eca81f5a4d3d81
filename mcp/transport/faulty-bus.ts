import { HermesError } from '../../shared/errors.js';
import type { Fault } from '../../shared/fault-plan.js';
import type { Bus, PublishOptions } from './bus.js';
import type { FaultyDoors } from './faulty-doors.js';

/**
 * A bus on which the messages of one component are lost, late, doubled, overtaken or cut short, as the plan says. What
 * is held back when its sender closes or dies is lost with it. A message that was cut short never decodes, as no true
 * prefix of a map does; what a checksum on the wire would let pass is not imitated.
 */
export function faultyBus(bus: Bus, { faults, clock, component, logger }: FaultyDoors): Bus {
  /** When the last message that was held back on a subject leaves, monotonic. */
  const busyUntil = new Map<string, number>();

  const later = (ms: number, subject: string, payload: Uint8Array, options?: PublishOptions): void => {
    clock.timer(ms, () => {
      if ((busyUntil.get(subject) ?? 0) <= clock.monotonic()) busyUntil.delete(subject);
      try {
        bus.publish(subject, payload, options);
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        logger.debug({ subject, component, reason: error.reason }, 'a message died with its sender');
      }
    });
  };

  /** After everything that is held back on its subject. */
  const inOrder = (ms: number, subject: string, payload: Uint8Array, options?: PublishOptions): void => {
    const now = clock.monotonic();
    const at = Math.max(now + ms, busyUntil.get(subject) ?? 0);
    busyUntil.set(subject, at);
    later(at - now, subject, payload, options);
  };

  const suffer = (fault: Fault, subject: string, payload: Uint8Array, options?: PublishOptions): void => {
    const { kind, ms, share } = fault;
    if (kind === 'reorder' || kind === 'duplicate') later(ms, subject, payload, options);
    if (kind === 'delay') inOrder(ms, subject, payload, options);
    if (kind === 'duplicate') pass(subject, payload, options);
    if (kind === 'corrupt') pass(subject, payload.slice(0, Math.floor(share * payload.byteLength)), options);
  };

  const pass = (subject: string, payload: Uint8Array, options?: PublishOptions): void => {
    if (busyUntil.has(subject)) inOrder(0, subject, payload.slice(), options);
    else bus.publish(subject, payload, options);
  };

  return {
    publish(subject, payload, options) {
      const fault = faults.at({ on: 'bus', name: subject, component });
      // What waits is a message already: its sender may change the buffer.
      if (fault) suffer(fault, subject, payload.slice(), options);
      else pass(subject, payload, options);
    },
    subscribe: (pattern, handle, options) => bus.subscribe(pattern, handle, options),
    flush: () => bus.flush(),
    close: () => bus.close(),
  };
}
