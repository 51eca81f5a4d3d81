import { useCallback, useEffect, useState } from 'react';
import { useConsole } from './console-context.js';
import { asProblem, type Problem } from './problem.js';

export interface Polled<Value> {
  readonly value?: Value;
  readonly problem?: Problem;
}

/** Asks at once and then every `everyMs`, again when `key` changes; keeps the last value through a failure. */
export function usePolled<Value>(read: () => Promise<Value>, key: string, everyMs: number): Polled<Value> {
  const { clock } = useConsole();
  const [polled, setPolled] = useState<Polled<Value>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for everything that `read` closes over
  const ask = useCallback(read, [key]);
  useEffect(() => {
    let gone = false;
    const once = () => {
      if (document.hidden) return;
      ask().then(
        (value) => !gone && setPolled({ value }),
        (error: unknown) => !gone && setPolled((last) => ({ ...last, problem: asProblem(error) })),
      );
    };
    once();
    const cancel = clock.every(everyMs, once);
    return () => {
      gone = true;
      cancel();
    };
  }, [ask, clock, everyMs]);
  return polled;
}

/** The time, told again every `everyMs` while `active`. */
export function useNow(active: boolean, everyMs: number): number {
  const { clock } = useConsole();
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    setNow(clock.now());
    return active ? clock.every(everyMs, () => setNow(clock.now())) : undefined;
  }, [active, clock, everyMs]);
  return active ? now : clock.now();
}
