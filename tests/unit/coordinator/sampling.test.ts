import { afterEach, expect, test } from 'vitest';
import { type JournalEntry, parseTraceparent } from '../../../mcp/index.js';
import { startTwin, type Twin } from '../../../topology/index.js';
import { linesTopology } from '../../support/demo-site.js';

const twins: Twin[] = [];
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop());
});

const flagsOf = ({ message }: JournalEntry): string => String(message.traceparent).slice(-2);

/** Twenty goals of one step, and everything that was asked meanwhile. */
async function twenty(traceRatio?: number) {
  const twin = await startTwin(linesTopology(), { seed: 1, ...(traceRatio === undefined ? {} : { traceRatio }) });
  twins.push(twin);
  const { clock, site } = twin;
  const goals = [];
  for (let n = 0; n < 20; n++) {
    const id = await clock.run(twin.submit('查PLC-001状态'));
    goals.push(await clock.run(twin.settled(id, 60_000), 120_000));
  }
  const asked = (await clock.run(site().journal.query({}))).filter(({ kind }) => kind === 'call' || kind === 'direct');
  return { twin, goals, asked };
}

test.each([
  ['none', 0, 0, 0],
  ['some', 0.25, 1, 12],
  ['all', 1, 20, 20],
])('of the goals, %s of the traces are sampled (ratio %d); each has its timeline', async (_which, ratio, min, max) => {
  const { twin, goals, asked } = await twenty(ratio);
  const { clock, site } = twin;
  let sampled = 0;
  for (const { trace_id, state } of goals) {
    expect(state).toBe('completed');
    const ofGoal = asked.filter((entry) => entry.trace_id === trace_id);
    expect(ofGoal.length).toBeGreaterThan(0);
    const flags = new Set(ofGoal.map(flagsOf));
    expect(flags.size).toBe(1);
    if (flags.has('01')) sampled++;
    const timeline = await clock.run(site().journal.query({ trace_id }));
    expect(timeline.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['direct', 'reply', 'tool']));
  }
  expect(sampled).toBeGreaterThanOrEqual(min);
  expect(sampled).toBeLessThanOrEqual(max);
});

test('a call outside of any goal has a trace of its own, sampled by the same share', async () => {
  const { asked } = await twenty(0);
  const describes = asked.filter(({ message }) => message.method === 'describe');
  expect(describes.length).toBeGreaterThan(0);
  for (const entry of describes) {
    expect(parseTraceparent(String(entry.message.traceparent))).toBeDefined();
    expect(flagsOf(entry)).toBe('00');
  }
});
