import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../agents/power/index.js';
import { agentBench } from '../../support/agent-bench.js';
import {
  DEAD,
  meterValues,
  OPEN,
  type Plant,
  powerPlant,
  powerSite,
  TRIPPED,
  voltages,
} from '../../support/power-site.js';

interface Checked {
  readonly ok: boolean;
  readonly verdict: string;
  readonly cause: string | null;
  readonly cause_device: string | null;
  readonly findings: readonly { readonly fault: string; readonly device_id: string }[];
  readonly chain: readonly string[];
  readonly skipped: readonly { readonly rule: string; readonly reason: string; readonly device_id: string }[];
  readonly window_ms: number;
}

async function bench() {
  let plant: Plant | undefined;
  const running = await agentBench({
    definition: defineAgent(),
    site: powerSite,
    grants: ['modbus.read:BRK-*', 'modbus.read:M-*'],
    devices: (clock) => {
      plant = powerPlant(clock);
      return plant.access;
    },
  });
  const check = async (params: Record<string, unknown>, timeoutMs?: number) =>
    (await running.call('check_supply', params, timeoutMs === undefined ? {} : { timeoutMs })) as Checked;
  const set = (id: string, values: Record<string, number | boolean>) => void (plant as Plant).values.set(id, values);
  return { ...running, ...(plant as unknown as Plant), check, set };
}

/** 13 kW at 0.8. */
const lowFactor = meterValues({ power_factor: 0.8, apparent_power: 16_250, reactive_power: 9_750 });

const found = ({ findings }: Checked): string[] => findings.map(({ fault, device_id }) => `${device_id} ${fault}`);
const explained = ({ skipped }: Checked): string[] =>
  skipped
    .filter(({ reason }) => reason.startsWith('explained by'))
    .map(({ rule, device_id }) => `${device_id} ${rule}`);

describe('a supply in order', () => {
  test('is ok; two looks at each breaker and meter of the chain, 300 ms apart; and a snapshot', async () => {
    const { check, reads, agent, clock } = await bench();
    const said = await check({ zone: 'F3-A' });
    expect(said).toMatchObject({ subject: 'F3-A', zone: 'F3-A', ok: true, verdict: 'ok', cause: null, findings: [] });
    expect(said.window_ms).toBeGreaterThanOrEqual(300);
    expect(said.window_ms).toBeLessThan(400);
    expect([...reads].sort()).toEqual(['BRK-3', 'BRK-6', 'BRK-8', 'M-0', 'M-3'].flatMap((id) => [id, id]));
    const snapshot = await clock.run(agent().cell.view.snapshot('supply_F3-A' as never));
    expect(snapshot?.data).toMatchObject({ verdict: 'ok', chain: said.chain });
  });

  test('a low power factor is told and is no cause', async () => {
    const { check, set } = await bench();
    set('M-3', lowFactor);
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ ok: true, verdict: 'ok', cause: null });
    expect(found(said)).toEqual(['M-3 low_pf']);
  });
});

describe('the supply is the cause', () => {
  test('a tripped feeder explains the dead line below it, its meter included', async () => {
    const { check, set } = await bench();
    set('BRK-3', TRIPPED);
    set('M-3', DEAD);
    const said = await check({ zone: 'F3-A' });
    expect(said).toMatchObject({ ok: false, verdict: 'cause', cause: 'breaker_tripped', cause_device: 'BRK-3' });
    expect(found(said)).toEqual(['BRK-3 breaker_tripped']);
    expect(said.findings[0]).toMatchObject({ evidence: { 'BRK-3.closed': false, 'BRK-3.tripped': true } });
    expect(explained(said)).toContain('M-3 supply_lost');
    expect(said.skipped).toContainEqual({
      rule: 'supply_lost',
      reason: 'explained by breaker_tripped of BRK-3',
      device_id: 'M-3',
    });
  });

  test('what stops equipment stands before what does not, wherever it is', async () => {
    const { check, set } = await bench();
    set('M-0', lowFactor);
    set('BRK-3', TRIPPED);
    expect(found(await check({ device_id: 'AHU-3' }))).toEqual(['BRK-3 breaker_tripped', 'M-0 low_pf']);
  });

  test('of two open breakers the upper one stands first, and the lower one is not forgotten', async () => {
    const { check, set } = await bench();
    set('BRK-6', OPEN);
    set('BRK-8', TRIPPED);
    for (const id of ['M-0', 'M-3']) set(id, DEAD);
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ cause: 'breaker_tripped', cause_device: 'BRK-8' });
    expect(found(said)).toEqual(['BRK-8 breaker_tripped', 'BRK-6 breaker_open']);
  });

  test('everything closed and nothing at the incomer: the supply of the site is lost', async () => {
    const { check, set } = await bench();
    for (const id of ['M-0', 'M-3']) set(id, DEAD);
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ verdict: 'cause', cause: 'supply_lost', cause_device: 'M-0' });
    expect(found(said)).toEqual(['M-0 supply_lost']);
    expect(explained(said)).toContain('M-3 supply_lost');
  });

  test('a sag that comes from above is told once', async () => {
    const { check, set } = await bench();
    for (const id of ['M-0', 'M-3']) set(id, meterValues(voltages(0.8)));
    const said = await check({ feeder: 'M-3' });
    expect(found(said)).toEqual(['M-0 under_voltage']);
    expect(said).toMatchObject({ feeder: 'M-3', cause_device: 'M-0' });
  });

  test.each([
    ['12 % sag', 0.88, 'under_voltage', 'medium', 'ok'],
    ['40 % sag', 0.6, 'under_voltage', 'high', 'cause'],
    ['8 % swell', 1.08, 'over_voltage', 'medium', 'ok'],
    ['15 % swell', 1.15, 'over_voltage', 'high', 'cause'],
  ])('%s: told; the cause only where equipment stops', async (_name, share, fault, severity, verdict) => {
    const { check, set } = await bench();
    set('M-3', meterValues(voltages(share)));
    const said = await check({ device_id: 'AHU-3' });
    expect(said.findings).toMatchObject([{ fault, severity, device_id: 'M-3' }]);
    expect(said).toMatchObject({ verdict, cause: verdict === 'cause' ? fault : null });
  });

  test('a mild sag above does not hide a deep one below', async () => {
    const { check, set } = await bench();
    set('M-0', meterValues(voltages(0.88)));
    set('M-3', meterValues(voltages(0.6)));
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ verdict: 'cause', cause: 'under_voltage', cause_device: 'M-3' });
    expect(found(said)).toEqual(['M-3 under_voltage', 'M-0 under_voltage']);
  });

  test('a lost phase on the feeder mutes the unbalance and under-voltage that it makes', async () => {
    const { check, set } = await bench();
    set('M-3', meterValues({ voltage_l1: 0, voltage_l1_l2: 221, voltage_l3_l1: 221 }));
    const said = await check({ zone: 'F3-A' });
    expect(said).toMatchObject({ verdict: 'cause', cause: 'phase_loss', cause_device: 'M-3' });
    expect(explained(said).sort()).toEqual(['M-3 unbalance', 'M-3 under_voltage']);
  });
});

describe('what no meter sees', () => {
  const unseen = (said: Checked) => said.skipped.filter(({ rule }) => rule === 'not_measured_below');

  test('a breaker without a meter at or below it: ok, and said', async () => {
    const { check } = await bench();
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ verdict: 'ok', not_measured: ['BRK-6'] });
    const reason = 'the next meter is M-3 above it';
    expect(unseen(said)).toEqual([{ rule: 'not_measured_below', device_id: 'BRK-6', reason }]);
    expect(unseen(await check({ zone: 'F3-A' }))).toHaveLength(1);
  });

  test('a feeder with its own meter: nothing to say', async () => {
    const { check } = await bench();
    const said = await check({ feeder: 'BRK-3' });
    expect(said).toMatchObject({ verdict: 'ok', not_measured: [] });
    expect(unseen(said)).toEqual([]);
  });

  test('where the supply is the cause, the answer is about that', async () => {
    const { check, set } = await bench();
    set('BRK-6', TRIPPED);
    expect(await check({ device_id: 'AHU-3' })).toMatchObject({ verdict: 'cause', not_measured: [] });
  });
});

describe('what nobody can tell', () => {
  test('a silent breaker: unknown, with the cause of the silence', async () => {
    const { check, silent } = await bench();
    silent.set('BRK-6', 'timeout');
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ ok: false, verdict: 'unknown', cause: null, not_known: ['BRK-6'] });
    expect(said.skipped).toContainEqual({ rule: 'breaker_state', reason: 'timeout', device_id: 'BRK-6' });
  });

  test('the meter next to the subject is silent: unknown, the meter named, whatever those above say', async () => {
    const { check, silent } = await bench();
    silent.set('M-3', 'refused');
    for (const subject of [{ device_id: 'AHU-3' }, { zone: 'F3-A' }, { feeder: 'BRK-3' }]) {
      const said = await check(subject);
      expect(said).toMatchObject({ ok: false, verdict: 'unknown', cause: null, not_known: ['M-3'] });
      expect(found(said)).toEqual(['M-3 meter_unreachable']);
    }
  });

  test('a silent meter above is a finding; the one next to the subject still tells', async () => {
    const { check, silent } = await bench();
    silent.set('M-0', 'refused');
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ ok: true, verdict: 'ok', not_known: [] });
    expect(found(said)).toEqual(['M-0 meter_unreachable']);
  });

  test('a breaker that says it is the cause stays the cause beside a silent meter', async () => {
    const { check, set, silent } = await bench();
    silent.set('M-3', 'timeout');
    set('BRK-6', TRIPPED);
    const said = await check({ device_id: 'AHU-3' });
    expect(said).toMatchObject({ verdict: 'cause', cause_device: 'BRK-6', not_known: [] });
  });

  test('a frozen meter is asked a third time, then called stale, and what it says is not believed', async () => {
    const { check, set, frozen, reads } = await bench();
    set('M-3', meterValues(voltages(0.8)));
    frozen.add('M-3');
    const said = await check({ feeder: 'BRK-3' });
    expect(reads.filter((id) => id === 'M-3')).toHaveLength(3);
    expect(reads.filter((id) => id === 'M-0')).toHaveLength(2);
    expect(found(said)).toEqual(['M-3 meter_stale']);
    expect(explained(said)).toEqual(['M-3 under_voltage']);
    expect(said).toMatchObject({ verdict: 'unknown', not_known: ['M-3'] });
  });

  test('without the time for a third look what two said is told; the meter stays doubtful', async () => {
    const { check, frozen, reads } = await bench();
    frozen.add('M-3');
    const said = await check({ device_id: 'AHU-3' }, 1_000);
    expect(reads.filter((id) => id === 'M-3')).toHaveLength(2);
    expect(found(said)).toEqual(['M-3 meter_stale']);
    expect(said.verdict).toBe('unknown');
  });

  test('nothing that says what powers it: unknown', async () => {
    const { check } = await bench();
    const said = await check({ device_id: 'PLC-001' });
    expect(said).toMatchObject({ verdict: 'unknown', chain: ['PLC-001'], not_known: ['PLC-001'] });
    expect(said.skipped).toEqual([{ rule: 'chain', reason: 'powered_by is not declared', device_id: 'PLC-001' }]);
  });

  test('a device that takes too long to answer does not use up the time of the others', async () => {
    const { check, slow } = await bench();
    slow.set('M-3', 60_000);
    const said = await check({ device_id: 'AHU-3' });
    expect(found(said)).toEqual(['M-3 meter_unreachable']);
    expect(said.window_ms).toBeLessThan(4_500);
  });

  test('without the time for two looks there is no judgement', async () => {
    const { fails } = await bench();
    const error = await fails('check_supply', { device_id: 'AHU-3' }, { timeoutMs: 250 });
    expect(error.reason).toBe('deadline');
  });
});

describe('what is asked for', () => {
  test.each([
    [{}, '/params/device_id', 'missing: name one of device_id, zone, feeder'],
    [{ zone: 'F3-A', device_id: 'AHU-3' }, '/params/zone', 'one of device_id, zone, feeder'],
    [{ device_id: 'AHU-9' }, '/params/device_id', 'no such device; near are AHU-3'],
    [{ feeder: 'M-9' }, '/params/feeder', 'near are M-0'],
  ])('%j is refused, the field named', async (params, pointer, problem) => {
    const { fails } = await bench();
    const error = await fails('check_supply', params);
    expect(error.code).toBe(400);
    expect(error.data.fields?.[0]?.pointer).toBe(pointer);
    expect(error.data.fields?.[0]?.problem).toContain(problem);
  });
});

describe('read_meter', () => {
  test('values in units, with quality and source time; a bad one says why', async () => {
    const { call, values, clock } = await bench();
    values.get('M-3') && delete (values.get('M-3') as Record<string, unknown>).frequency;
    const read = (await call('read_meter', { meter_id: 'M-3' })) as { points: Record<string, Record<string, unknown>> };
    expect(Object.keys(read.points)).toHaveLength(22);
    expect(read.points.voltage_l1).toMatchObject({ value: 221.3, quality: 'good' });
    expect(Date.parse(String(read.points.voltage_l1?.source_time))).toBeLessThanOrEqual(clock.now());
    expect(read.points.frequency).toMatchObject({ value: null, quality: 'bad', reason: 'exception_permanent' });
  });

  test('an unknown meter is refused with the nearest; a breaker is no meter; a silent one is an error', async () => {
    const { fails, silent } = await bench();
    expect(await fails('read_meter', { meter_id: 'M-7' })).toMatchObject({ reason: 'unknown_entity' });
    expect((await fails('read_meter', { meter_id: 'BRK-3' })).data.candidates).toContain('M-3');
    silent.set('M-3', 'timeout');
    expect((await fails('read_meter', { meter_id: 'M-3' })).data.cause).toBe('timeout');
  });
});
