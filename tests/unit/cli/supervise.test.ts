import { describe, expect, test } from 'vitest';
import { supervise } from '../../../cli/supervise.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

/** Processes that end when they are told to. */
function bench() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const signals: string[] = [];
  const ends: ((exit: number | string) => void)[] = [];
  let failed = 0;
  const supervised = supervise(clock, {
    name: 'pump',
    remedy: 'look at the pump',
    say: (line) => lines.push(line),
    onFailed: () => failed++,
    start: async () => {
      let end: (exit: number | string) => void = () => undefined;
      const exited = new Promise<number | string>((resolve) => {
        end = resolve;
      });
      ends.push(end);
      return {
        pid: ends.length,
        exited,
        kill: (signal) => {
          signals.push(signal);
          if (signal === 'SIGTERM') end(0);
        },
      };
    },
  });
  const crash = async (exit: number | string = 'SIGKILL'): Promise<void> => {
    ends.at(-1)?.(exit);
    await clock.advance(0);
  };
  return { clock, lines, signals, supervised, crash, starts: () => ends.length, failed: () => failed };
}

describe('a supervised process', () => {
  test('that crashes is started again, each time later within a minute', async () => {
    const { clock, supervised, crash, starts, lines } = bench();
    await clock.advance(0);
    for (const [index, waitMs] of [500, 1_000, 2_000, 4_000, 8_000].entries()) {
      expect([supervised.state, supervised.pid]).toEqual(['running', index + 1]);
      await crash();
      expect([supervised.state, supervised.pid]).toEqual(['waiting', undefined]);
      await clock.advance(waitMs - 1);
      expect(starts()).toBe(index + 1);
      await clock.advance(1);
      expect(starts()).toBe(index + 2);
    }
    expect(lines[0]).toBe('pump ended (SIGKILL); it is started again in 0.5 s');
  });

  test('that crashes six times within a minute has failed: it is said, and nothing is started', async () => {
    const { clock, supervised, crash, starts, lines, failed } = bench();
    for (let round = 0; round < 6; round++) {
      await clock.advance(10_000);
      await crash(1);
    }
    expect(supervised.state).toBe('failed');
    expect(lines.at(-1)).toBe('pump has failed (exit 1) and is not started again; next: look at the pump');
    expect(failed()).toBe(1);
    await clock.advance(600_000);
    expect(starts()).toBe(6);
    await supervised.stop();
  });

  test('that crashes now and then is always started again', async () => {
    const { clock, supervised, crash, starts } = bench();
    for (let round = 0; round < 20; round++) {
      await clock.advance(20_000);
      await crash();
    }
    await clock.advance(20_000);
    expect([supervised.state, starts()]).toEqual(['running', 21]);
    await supervised.stop();
  });

  test('that was used wrongly is not started again', async () => {
    const { clock, supervised, crash, starts } = bench();
    await clock.advance(0);
    await crash(2);
    expect([supervised.state, starts()]).toEqual(['failed', 1]);
  });

  test('stops when it is asked to, also while it waits to be started again', async () => {
    const { clock, supervised, signals } = bench();
    await clock.advance(0);
    await supervised.stop();
    expect([supervised.state, signals]).toEqual(['stopped', ['SIGTERM']]);
    const other = bench();
    await other.clock.advance(0);
    await other.crash();
    await other.supervised.stop();
    await other.clock.advance(60_000);
    expect([other.supervised.state, other.starts()]).toEqual(['stopped', 1]);
  });
});
