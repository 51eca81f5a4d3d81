import { expect, test } from 'vitest';
import { parseFaultPlan } from '../../shared/fault-plan.js';
import { startTwin } from '../../topology/index.js';
import { linesTopology } from '../support/demo-site.js';
import { createOwnersActs } from './owners-acts.js';

const PLC = 'plc_controller';
const FIRST = `${PLC}#1`;

/** The owner stands still between its claim and its write: nothing of it is heard, and it hears nothing. */
const STANDS_STILL = parseFaultPlan({
  rules: [
    { on: 'liveness', component: FIRST, kind: 'drop', from_ms: 4_000, to_ms: 40_000 },
    { on: 'log', component: FIRST, kind: 'delay', how: 'written', from_ms: 4_000, to_ms: 6_000, ms: 16_000 },
    { on: 'log', component: FIRST, op: 'tail', kind: 'delay', from_ms: 6_500, to_ms: 40_000, ms: 60_000 },
  ],
});

async function overtakenWrites(seed: number) {
  const lines = linesTopology();
  const agents = lines.agents.map((row) => (row.name === PLC ? { ...row, instances: 2 } : row));
  const acts = createOwnersActs();
  const twin = await startTwin(
    { ...lines, agents },
    {
      seed,
      faults: STANDS_STILL,
      wrapLink: (place, link, driver) => acts.tap(place, link, driver),
    },
  );
  const restart = (n: number) => twin.submit(`重启PLC-${String(n).padStart(3, '0')}`);
  await twin.clock.advance(4_500 - twin.clock.monotonic());
  const goals = [1, 4, 7, 10].map(restart);
  await twin.clock.advance(6_000);
  goals.push(...[2, 5, 8, 11].map(restart));
  const all = await twin.clock.run(Promise.all(goals));
  await twin.clock.run(Promise.all(all.map((goal) => twin.settled(goal, 600_000))));
  await twin.clock.advance(20_000);
  const writers = new Set(acts.writers());
  await twin.clock.run(twin.stop());
  return { overtaken: acts.overtaken(), writers };
}

test('an owner that stood still over a take-over writes nothing any more', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const { overtaken, writers } = await overtakenWrites(seed);
    expect(overtaken).toEqual([]);
    expect(writers).toContain(`${PLC}#2`);
  }
});
