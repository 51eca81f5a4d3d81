import { afterEach, describe, expect, test } from 'vitest';
import type { Goal } from '../../coordinator/index.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { linesTopology } from '../support/demo-site.js';

/** Scenario 1 on the embedded transport, real Modbus TCP and real SMTP, in both languages. */
const SENTENCES = {
  zh: '查PLC-007状态，如果离线，重启它并通知张工',
  en: 'check the status of PLC-007; if it is offline, restart it and notify Zhang',
} as const;

let factory: Factory | undefined;
afterEach(async () => {
  await factory?.stop();
  factory = undefined;
});

const states = (goal: Goal) => goal.plan.steps.map((step) => [step.method, step.state]);
const restarts = (running: Factory) =>
  running.world
    .frames({ device: 'PLC-007' })
    .filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === 100);

describe.each(['zh', 'en'] as const)('an offline device, asked in %s', (language) => {
  test('offline: restarted, 张工 mailed, on the record in one trace; said again: only the status runs', async () => {
    factory = await startFactory(linesTopology());
    const goal = await factory.goal(SENTENCES[language]);
    expect(goal.state).toBe('completed');
    expect(states(goal)).toEqual([
      ['get_device_status', 'completed'],
      ['restart_device', 'completed'],
      ['notify', 'completed'],
    ]);
    expect(goal.language).toBe(language);
    expect(factory.device('PLC-007').state).toBe('ONLINE');
    const mails = factory.simulators.mail.mails();
    expect(mails.map((mail) => mail.to)).toEqual(['zhang@x-lab.example']);
    expect(mails[0]?.text).toContain('PLC-007');

    // A restart that takes long, on a loaded machine, says so in between.
    const entries = (await factory.audit('device_PLC-007')).filter(({ kind }) => kind !== 'snapshot');
    expect(entries.map((entry) => [entry.kind, entry.tool?.name, entry.outcome])).toEqual([
      ['finished', 'get_device_status', 'confirmed'],
      ['started', 'restart_device', undefined],
      ['finished', 'restart_device', 'confirmed'],
    ]);
    const finished = entries[2];
    expect(finished?.effects?.map((effect) => effect.target)).toEqual(['PLC-007.fence', 'PLC-007.restart_command']);
    expect(finished?.snapshots?.[0]?.data).toMatchObject({
      device_id: 'PLC-007',
      action: 'restart',
      result: 'SUCCESS',
    });
    expect(new Set(entries.map((entry) => entry.trace_id))).toEqual(new Set([goal.trace_id]));

    const again = await factory.goal(SENTENCES[language]);
    expect(states(again)).toEqual([
      ['get_device_status', 'completed'],
      ['restart_device', 'skipped'],
      ['notify', 'skipped'],
    ]);
    expect(restarts(factory)).toHaveLength(1);
    expect(factory.simulators.mail.mails()).toHaveLength(1);
  });

  test('the restart never ends: rolled back, alarm raised, said in the language of the question', async () => {
    factory = await startFactory(linesTopology());
    factory.world.addFault({ device: 'PLC-007', kind: 'reboot_never_ends' });
    const goal = await factory.goal(SENTENCES[language]);
    expect(goal.state).toBe('failed');
    expect(states(goal)).toEqual([
      ['get_device_status', 'completed'],
      ['restart_device', 'failed'],
      ['notify', 'cancelled'],
    ]);
    expect(goal.error?.data).toMatchObject({ reason: 'tool_failed', rollback_executed: true });
    expect(goal.report?.failed[0]).toMatchObject({ step: 's2', rollback_executed: true });
    expect(goal.answer?.text).toContain(language === 'zh' ? '已执行回滚' : 'Rollback executed');
    expect(goal.ended_at).toBeLessThan(goal.deadline_unix_ms ?? 0);
    const alarms = (await factory.journal.query({ trace_id: goal.trace_id })).filter((entry) => entry.kind === 'event');
    expect(alarms.map((entry) => entry.message.topic)).toContain('alarm.raised');
    const finished = (await factory.audit('device_PLC-007')).at(-1);
    expect(finished).toMatchObject({
      kind: 'finished',
      rollback: { available: true, executed: true, outcome: 'confirmed' },
    });
  });
});

describe('what a device says and what it does', () => {
  test('a write that is acknowledged and not done is caught by its read-back and told as such', async () => {
    factory = await startFactory(linesTopology());
    factory.world.addFault({ device: 'PLC-003', kind: 'silent_write' });
    const goal = await factory.goal('把PLC-003的温度设定改为50度');
    expect(goal.state).toBe('failed');
    expect(goal.error?.data.reason).toBe('verification_failed');
    const finished = (await factory.audit('device_PLC-003')).at(-1);
    expect(finished).toMatchObject({ outcome: 'failed', verification: { outcome: 'failed' } });
    expect(finished?.verification?.evidence).toMatchObject({ wanted: 50, read_back: 45 });
  });

  test('a restart that is acknowledged and not done is not taken for one', async () => {
    factory = await startFactory(linesTopology());
    factory.world.addFault({ device: 'PLC-003', kind: 'silent_write' });
    const goal = await factory.goal('重启PLC-003');
    expect(goal.state).toBe('failed');
    const finished = (await factory.audit('device_PLC-003')).at(-1);
    expect(finished).toMatchObject({
      outcome: 'failed',
      verification: { outcome: 'failed' },
      rollback: { executed: true },
    });
  });

  test('300 ms for a device that answers late: 408 on the record in time, no forward effect after it', async () => {
    factory = await startFactory(linesTopology());
    factory.world.addFault({ device: 'PLC-005', kind: 'delay', params: { ms: 2_000, fc: [5, 6, 15, 16] } });
    const began = factory.clock.now();
    const goal = await factory.goal('重启PLC-005', { timeout_ms: 300 });
    expect(goal.state).toBe('failed');
    expect(goal.error).toMatchObject({ code: 408, data: { reason: 'deadline' } });
    const finished = (await factory.audit('device_PLC-005')).at(-1);
    expect(finished).toMatchObject({ kind: 'finished', error: { code: 408 } });
    expect((finished?.at ?? 0) - began).toBeLessThan(600);
    await factory.clock.sleep(2_200);
    const late = factory.world
      .frames({ device: 'PLC-005' })
      .filter((frame) => frame.dir === 'in' && [5, 6, 15, 16].includes(frame.fc) && frame.at > began + 300);
    expect(late).toEqual([]);
  });

  test('a negated command plans no restart; an unknown device is asked about with the nearest candidates', async () => {
    factory = await startFactory(linesTopology());
    const negated = await factory.goal('不要重启PLC-007');
    expect(negated.state).toBe('completed');
    expect(negated.plan.steps).toEqual([]);
    const asked = await factory.goal('查PLC-099状态');
    expect(asked.state).toBe('paused');
    expect(asked.prompt).toMatchObject({ reason: 'unknown_entity' });
    expect(asked.prompt?.candidates).toContain('PLC-009');
    expect(restarts(factory)).toEqual([]);
  });
});
