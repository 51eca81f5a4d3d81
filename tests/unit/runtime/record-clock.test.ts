import { expect, test } from 'vitest';
import { scopes } from '../../../agents/runtime/index.js';
import { parseFaultPlan } from '../../../shared/fault-plan.js';
import { startTwin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

test('an entry says how far its clock was ahead of the caller’s, as soon as that was measured', async () => {
  const faults = parseFaultPlan({
    rules: [{ on: 'component', component: 'plc_controller', kind: 'skew', ms: 90_000 }],
  });
  const twin = await startTwin(demoTopology(), { seed: 3, faults });
  const { clock } = twin;
  const ask = async (): Promise<void> => {
    const goal = await clock.run(twin.submit('查PLC-003状态'));
    expect((await clock.run(twin.settled(goal, 30_000))).state).toBe('completed');
  };
  await ask();
  await ask();
  const agent = twin.site().agents.get('plc_controller');
  if (!agent) throw new Error('no plc_controller');
  await clock.run(agent.cell.view.catchUp());
  const entries = await clock.run(agent.cell.view.entries(scopes.device('PLC-003')));
  const offsets = entries.filter(({ kind }) => kind === 'finished').map(({ clock_offset_ms }) => clock_offset_ms);
  expect(Math.abs((offsets.at(-1) ?? 0) - 90_000)).toBeLessThan(10);
  await clock.run(twin.stop());
});
