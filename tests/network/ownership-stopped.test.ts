import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Frame, type ProcessSite, startProcessSite } from '../support/process-site.js';
import { rawClient } from '../support/sim-raw-client.js';

/** An owner that stands still and comes back: real processes, real links. */
let site: ProcessSite;
let workers: Awaited<ReturnType<ProcessSite['agent']>>[];
beforeAll(async () => {
  site = await startProcessSite();
  await site.coordinator();
  workers = await Promise.all([site.agent('plc_controller'), site.agent('plc_controller')]);
}, 150_000);
afterAll(() => site.stop());

interface Called {
  readonly served_by: string;
}
interface AuditEntry {
  readonly kind: string;
  readonly instance: string;
  readonly data?: { readonly instance?: string };
}
const call = (method: string, params: Record<string, unknown>, timeout_ms = 30_000): Promise<Called> =>
  site.post('/v1/agents/plc_controller/call', { method, params, timeout_ms });
const write = (value: number) => call('write_point', { device_id: 'PLC-009', point: 'temperature_setpoint', value });
const sim = (path: string, body: unknown): Promise<Response> =>
  fetch(`${site.simUrl}/sim/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const requests = async (device: string, fc: number): Promise<Frame[]> =>
  (await site.frames(`?device=${device}`)).filter((frame) => frame.dir === 'in' && frame.fc === fc);

describe('an owner that stands still', () => {
  test('is followed by another within 10 s, and its late write is refused when it comes back', {
    timeout: 120_000,
  }, async () => {
    const reads = (): Promise<Called> => call('get_device_status', { device_id: 'PLC-009' });
    const owner = await vi.waitFor(async () => {
      const { served_by } = await reads();
      const found = workers.find(({ instance }) => instance === served_by);
      if (!found) throw new Error(`who is ${served_by}?`);
      return found;
    }, 20_000);
    const other = workers.find((worker) => worker !== owner);
    await sim('faults', { device: 'PLC-009', kind: 'delay', params: { ms: 700, fc: 3 } });

    // Stopped between its claim and its write: the second read of the point has gone out.
    const before = (await requests('PLC-009', 3)).length;
    const interrupted = write(33).catch((error: unknown) => error);
    await vi.waitFor(async () => expect((await requests('PLC-009', 3)).length).toBeGreaterThanOrEqual(before + 2), {
      timeout: 10_000,
      interval: 10,
    });
    const stoppedAt = performance.now();
    process.kill(owner.pid, 'SIGSTOP');
    const after = await call('get_device_status', { device_id: 'PLC-009' });
    expect(after.served_by).toBe(other?.instance);
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    expect((await write(44)).served_by).toBe(other?.instance);

    process.kill(owner.pid, 'SIGCONT');
    await interrupted;
    await vi.waitFor(async () => {
      const { instances } = await site.get<{ instances: { instance: string }[] }>('/v1/agents/plc_controller');
      expect(instances).toHaveLength(2);
    }, 15_000);
    await vi.waitFor(async () => expect((await reads()).served_by).toBeDefined(), 5_000);
    const written = (await requests('PLC-009', 6)).map(({ values }) => values);
    expect(written).toEqual([[440]]);

    // The record names the new owner on every device behind the link, touched or not, and so do the devices.
    const { entries } = await site.get<{ entries: AuditEntry[] }>('/v1/audit?scope=device_PLC-008');
    expect(entries.find(({ kind }) => kind === 'owned')?.data?.instance).toBe(other?.instance);
    const [fence] = await requests('PLC-008', 16);
    expect(fence).toMatchObject({ address: 200 });
    const [high = 0, low = 0] = fence?.values ?? [];
    const links = (await (await fetch(`${site.simUrl}/sim/links`)).json()) as Record<string, { port: number }>;
    const client = await rawClient({ host: '127.0.0.1', port: links['line-c']?.port ?? 0 });
    const older = high * 0x1_0000 + low - 1;
    const word = (value: number): string => value.toString(16).padStart(4, '0');
    client.send(`0001 0000 000b 08 10 00c8 0002 04 ${word(Math.floor(older / 0x1_0000))} ${word(older % 0x1_0000)}`);
    expect((await client.received(9)).slice(14)).toBe('9003');
    client.socket.destroy();
  });
});
