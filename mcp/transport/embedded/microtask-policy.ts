import type { BusPolicy } from '../in-process-bus.js';

/** Delivery through the microtask queue, in the order of publishing; queue groups take turns. */
export function microtaskPolicy(): BusPolicy {
  let pending: (() => void)[] = [];
  const turns = new Map<string, number>();
  const drain = (): void => {
    const batch = pending;
    pending = [];
    for (const deliver of batch) deliver();
  };
  return {
    schedule(_publisher, _subject, deliver) {
      // `deliver` guards its handlers and does not throw.
      if (pending.push(deliver) === 1) void Promise.resolve().then(drain);
    },
    choose(queue, members) {
      const turn = (turns.get(queue) ?? -1) + 1;
      turns.set(queue, turn);
      return turn % members;
    },
  };
}
