import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import { type GoalView, type ProcessSite, startProcessSite } from '../support/process-site.js';

/** nats-server goes away under load and comes back on the same port and store. OUTAGE_MS=30000: the long form. */
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 4_000);
const LOAD_MS = 6_000;
/** Commands have to be done by then; those that wait through the outage are stale. */
const COMMAND_MS = 3_000;

let site: ProcessSite;
beforeAll(async () => {
  site = await startProcessSite();
  await site.coordinator();
  await Promise.all([site.agent('plc_controller'), site.agent('plc_controller')]);
}, 150_000);
afterAll(() => site.stop());

/** Real time is the promise here: how long somebody is away. */
const pause = (ms: number): Promise<void> => systemClock().sleep(ms);
const id = (index: number): string => `PLC-${String((index % 12) + 1).padStart(3, '0')}`;

/** Reads and writes in turn until told to stop; what is not accepted is not counted. */
async function load(until: () => boolean): Promise<{ accepted: GoalView[]; refused: number }> {
  const accepted: GoalView[] = [];
  let refused = 0;
  for (let n = 0; !until(); n++) {
    const goal = n % 2 === 0 ? `查${id(n)}状态` : `把${id(n)}的温度设定改为${20 + (n % 60)}度`;
    try {
      accepted.push(await site.submit(goal, n % 2 === 0 ? 60_000 : COMMAND_MS));
    } catch {
      refused++;
    }
    await pause(50);
  }
  return { accepted, refused };
}

describe('an outage of the nats-server', () => {
  test(`of ${OUTAGE_MS / 1_000} s under load: every accepted goal ends, no stale command runs`, {
    timeout: OUTAGE_MS + 200_000,
  }, async () => {
    let over = false;
    const loading = load(() => over);
    await pause(LOAD_MS / 2);
    await site.nats.stop('SIGTERM');
    await pause(OUTAGE_MS);
    await site.nats.start();
    await pause(LOAD_MS / 2);
    over = true;
    const { accepted } = await loading;
    expect(accepted.length).toBeGreaterThan(10);

    const ended = await Promise.all(accepted.map(({ goal_id }) => site.ended(goal_id, 90_000)));
    expect(ended.filter(({ state }) => state === 'completed').length).toBeGreaterThan(accepted.length / 4);

    // What is written was asked for, and its time was not over.
    const frames = (await site.frames()).filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 0);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) {
      const wish = `把${id(frame.unit - 1)}的温度设定改为${Number(frame.values[0]) / 10}度`;
      const asked = ended.filter(({ goal, deadline_unix_ms }) => goal === wish && frame.at <= deadline_unix_ms);
      expect(asked, JSON.stringify(frame)).not.toEqual([]);
    }
    const again = await site.ended((await site.submit('查PLC-003状态')).goal_id);
    expect(again.state).toBe('completed');
    expect(site.output()).not.toMatch(/unhandled/i);
  });
});
