import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../agents/runtime/index.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { type AgentLife, startAgentRun } from '../../../topology/agent-run.js';
import { recordingLogger } from '../../support/transport-harness.js';

/** An agent that can be stuck, and whose end may hang or whose start may fail. */
async function bench() {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const lives: { stuck: (key?: string) => void; ended: boolean }[] = [];
  const next = { hangs: false, fails: false };
  const begin = async (stuck: (key: string | undefined) => void): Promise<AgentLife> => {
    if (next.fails) throw new Error('no link');
    const own = { stuck, ended: false };
    lives.push(own);
    return {
      agent: { life: lives.length } as unknown as Agent,
      end: () => {
        own.ended = true;
        return next.hangs ? new Promise(() => undefined) : Promise.resolve();
      },
    };
  };
  let changes = 0;
  const changed = (): void => void changes++;
  const logger = recordingLogger(complaints);
  const run = await clock.run(startAgentRun('pump', { clock, logger, begin, changed }));
  const stuck = async (): Promise<void> => {
    lives.at(-1)?.stuck('device_id=P1');
    await clock.advance(0);
  };
  const life = () => (run.agent as unknown as { life: number } | undefined)?.life;
  return { clock, complaints, lives, next, run, stuck, life, changes: () => changes };
}

describe('an agent with a stuck key', () => {
  test('W9: is ended and started again, each time later within a minute', async () => {
    const { clock, lives, stuck, life } = await bench();
    for (const [index, waitMs] of [500, 1_000, 2_000, 4_000, 8_000].entries()) {
      expect(life()).toBe(index + 1);
      await stuck();
      expect([life(), lives[index]?.ended]).toEqual([undefined, true]);
      await clock.advance(waitMs - 1);
      expect(lives).toHaveLength(index + 1);
      await clock.advance(1);
      expect(lives).toHaveLength(index + 2);
    }
  });

  test('six times within a minute has failed, says so, and is not started again', async () => {
    const { clock, run, stuck, lives, life, complaints } = await bench();
    for (let round = 0; round < 6; round++) {
      await stuck();
      await clock.advance(9_000);
    }
    expect(run.problem).toBe('pump has failed (stuck on device_id=P1) and is not started again');
    expect(complaints).toContain('an agent has failed and is not started again');
    expect([lives.length, life()]).toEqual([6, undefined]);
    await clock.advance(600_000);
    expect(lives).toHaveLength(6);
    await clock.run(run.stop());
  });

  test('now and then is always started again', async () => {
    const { clock, run, stuck, lives } = await bench();
    for (let round = 0; round < 20; round++) {
      await stuck();
      await clock.advance(20_000);
    }
    expect([lives.length, run.problem]).toEqual([21, undefined]);
  });

  test('whose end hangs is left behind after the time that an end may take', async () => {
    const { clock, next, stuck, lives, life } = await bench();
    next.hangs = true;
    await stuck();
    await clock.advance(10_400);
    expect(lives).toHaveLength(1);
    await clock.advance(200);
    expect(life()).toBe(2);
  });

  test('that does not start again is tried again, and fails like any other', async () => {
    const { clock, next, run, stuck, life } = await bench();
    next.fails = true;
    await stuck();
    await clock.advance(1_600);
    next.fails = false;
    await clock.advance(2_000);
    expect(life()).toBe(2);
    next.fails = true;
    await stuck();
    await clock.advance(60_000);
    expect(run.problem).toBe('pump has failed (no link) and is not started again');
  });

  test('is told of by the life that is stuck, once; what an earlier one says is over', async () => {
    const { clock, stuck, lives } = await bench();
    await stuck();
    lives[0]?.stuck('device_id=P2');
    await clock.advance(5_000);
    lives[0]?.stuck('device_id=P1');
    await clock.advance(5_000);
    expect(lives).toHaveLength(2);
  });
});

describe('an agent that is stopped or has died', () => {
  test.each(['stop', 'forget'] as const)('%s: it is not started again, in the back-off either', async (how) => {
    const { clock, run, stuck, lives, life } = await bench();
    await stuck();
    await clock.run(Promise.resolve(run[how]()));
    await clock.advance(60_000);
    expect([lives.length, life()]).toEqual([1, undefined]);
  });

  test('only who is stopped is ended', async () => {
    const [stopped, died] = [await bench(), await bench()];
    await stopped.clock.run(stopped.run.stop());
    died.run.forget();
    expect([stopped.lives[0]?.ended, died.lives[0]?.ended]).toEqual([true, false]);
  });
});
