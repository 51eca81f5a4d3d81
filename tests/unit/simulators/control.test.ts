import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/clock.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { type ReceivedMail, type SimDeviceView, type Simulators, startSimulators } from '../../../simulators/index.js';
import { decodeWords } from '../../../simulators/mime.js';
import { rawClient } from '../../support/sim-raw-client.js';
import { SIM_DEVICES } from '../../support/sim-site.js';

let simulators: Simulators;
beforeAll(async () => {
  const deps = { clock: systemClock(), random: seededRandom(1), logger: silentLogger() };
  simulators = await startSimulators({ ...deps, devices: SIM_DEVICES, links: ['spare'], controlPort: 0 });
});
afterAll(() => simulators.stop());

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; type: string; body: T }> {
  const response = await fetch(`${simulators.controlUrl}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  return { status: response.status, type, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

async function sendMail(): Promise<void> {
  const { host, port } = simulators.links().smtp ?? { host: '', port: 0 };
  const transport = createTransport({ host, port, secure: false, ignoreTLS: true });
  await transport.sendMail({
    from: '"Hermes 网络" <hermes@x-lab.example>',
    to: '"张工" <zhang@x-lab.example>, "Li" <li@x-lab.example>',
    subject: 'PLC-007 已重启：停机时间 1.5 秒，心跳恢复，错误码 COMM_TIMEOUT 已清除，请确认现场情况',
    text: '张工：\nPLC-007 已恢复在线。\n= end =',
    attachments: [
      { filename: '20261130_报表_PLC-007.pdf', content: Buffer.from('%PDF-1.7 test'), contentType: 'application/pdf' },
    ],
  });
  transport.close();
}

describe('the control endpoint', () => {
  it('lists the links, the mail receiver and the devices with their points', async () => {
    const links = await call<Record<string, { port: number }>>('GET', '/sim/links');
    expect(Object.keys(links.body).sort()).toEqual(['line-1', 'line-2', 'smtp', 'spare']);
    const all = await call<SimDeviceView[]>('GET', '/sim/devices');
    expect(all.body.map(({ id, state }) => [id, state])).toEqual([
      ['PLC-001', 'ONLINE'],
      ['PLC-007', 'OFFLINE'],
      ['PLC-009', 'ONLINE'],
    ]);
    const one = await call<SimDeviceView>('GET', '/sim/devices/PLC-007');
    expect(one.body).toMatchObject({
      id: 'PLC-007',
      kind: 'plc',
      unit: 7,
      port: links.body['line-1']?.port,
      faults: [],
    });
    expect(one.body.points.find(({ name }) => name === 'speed_setpoint')).toEqual({
      name: 'speed_setpoint',
      table: 'holding',
      address: 2,
      type: 'float32',
      word_order: 'CDAB',
      unit: 'rpm',
      access: 'rw',
      min: 0,
      max: 3000,
      modbus_unit: 7,
      value: 1450,
    });
  });

  it('sets points, faults and resets', async () => {
    const put = await call('PUT', '/sim/devices/PLC-001/points/status', { value: 'MAINTENANCE' });
    expect([put.status, put.body]).toMatchObject([200, { name: 'status', value: 3 }]);
    const fault = await call<{ fault_id: string }>('POST', '/sim/faults', {
      device: 'PLC-009',
      kind: 'offline',
      for_ms: 60_000,
    });
    expect(fault.status).toBe(201);
    expect((await call<SimDeviceView>('GET', '/sim/devices/PLC-009')).body.state).toBe('OFFLINE');
    expect((await call<unknown[]>('GET', '/sim/faults')).body).toHaveLength(1);
    expect((await call('DELETE', `/sim/faults/${fault.body.fault_id}`)).status).toBe(204);
    expect((await call('POST', '/sim/reset')).status).toBe(200);
    expect((await call<SimDeviceView>('GET', '/sim/devices/PLC-001')).body.state).toBe('ONLINE');
    expect((await call('GET', '/sim/webhooks')).body).toEqual([]);
  });

  it.each([
    ['GET', '/sim/devices/PLC-999', undefined, 404, undefined],
    ['PUT', '/sim/devices/PLC-001/points/nothing', { value: 1 }, 404, undefined],
    ['PUT', '/sim/devices/PLC-001/points/status', {}, 400, '/value'],
    ['PUT', '/sim/devices/PLC-001/points/status', { value: 'ASLEEP' }, 400, '/value'],
    ['PUT', '/sim/devices/PLC-001/points/heating_power', { value: 101 }, 400, '/value'],
    ['PUT', '/sim/devices/PLC-001/points/heartbeat', { value: 1 }, 400, '/point'],
    ['POST', '/sim/faults', { device: 'PLC-999', kind: 'offline' }, 404, undefined],
    ['POST', '/sim/faults', { device: 'PLC-001', kind: 'voltage_sag', params: { pct: 1 } }, 400, '/kind'],
    ['POST', '/sim/faults', { device: 'PLC-001', kind: 'offline', extra: 1 }, 400, '/extra'],
    ['POST', '/sim/faults', undefined, 400, ''],
    ['DELETE', '/sim/faults/none', undefined, 404, undefined],
    ['GET', '/sim/frames?since=yesterday', undefined, 400, '/since'],
    ['GET', '/sim/frames?device=PLC-999', undefined, 404, undefined],
    ['GET', '/sim/nothing', undefined, 404, undefined],
  ])('%s %s %j is refused with %i, naming the field', async (method, path, body, status, pointer) => {
    const refused = await call<{ status: number; fields?: { pointer: string }[] }>(method, path, body);
    expect([refused.status, refused.type, refused.body.status]).toEqual([status, 'application/problem+json', status]);
    expect(refused.body.fields?.[0]?.pointer).toBe(pointer);
  });

  it('shows the frames of a device since an instant', async () => {
    const raw = await rawClient(simulators.links()['line-1'] ?? { host: '', port: 0 });
    raw.send('0001 0000 0006 01 03 0000 0001 0002 0000 0006 07 03 0000 0001');
    await raw.received(22);
    raw.socket.destroy();
    const all = await call<{ at: number }[]>('GET', '/sim/frames?device=PLC-001');
    expect(all.body).toMatchObject([
      { dir: 'in', unit: 1, fc: 3, address: 0, values: [], raw: '000100000006010300000001' },
      { dir: 'out', unit: 1, fc: 3, address: 0, values: [450], raw: '00010000000501030201c2' },
    ]);
    const after = (all.body[0]?.at ?? 0) + 60_000;
    expect((await call('GET', `/sim/frames?device=PLC-001&since=${after}`)).body).toEqual([]);
  });
});

describe('the mail receiver', () => {
  it('keeps a Chinese mail with attachment, and finds it by name, address or local part', async () => {
    await sendMail();
    const find = async (to: string) =>
      (await call<ReceivedMail[]>('GET', `/sim/mail?to=${encodeURIComponent(to)}`)).body;
    const [mail] = await find('zhang');
    expect(mail).toMatchObject({
      from: 'Hermes 网络 <hermes@x-lab.example>',
      to: '张工 <zhang@x-lab.example>, Li <li@x-lab.example>',
      recipients: ['zhang@x-lab.example', 'li@x-lab.example'],
      subject: 'PLC-007 已重启：停机时间 1.5 秒，心跳恢复，错误码 COMM_TIMEOUT 已清除，请确认现场情况',
      text: '张工：\nPLC-007 已恢复在线。\n= end =',
      attachments: [
        {
          name: '20261130_报表_PLC-007.pdf',
          type: 'application/pdf',
          sha256: createHash('sha256').update('%PDF-1.7 test').digest('hex'),
        },
      ],
    });
    expect(mail?.message_id).toMatch(/^<.+@.+>$/);
    expect([await find('张工'), await find('li@x-lab'), await find('wang')].map((found) => found.length)).toEqual([
      1, 1, 0,
    ]);
    await call('POST', '/sim/reset');
    expect((await call('GET', '/sim/mail')).body).toEqual([]);
  });

  it('decodes encoded words, also a character cut across two', () => {
    const bytes = Buffer.from('工');
    const word = (part: Uint8Array): string => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`;
    const cut = `${word(bytes.subarray(0, 1))} ${word(bytes.subarray(1))}`;
    expect(decodeWords(`${cut} x`)).toBe('工 x');
    expect(decodeWords('=?utf-8?Q?caf=C3=A9_au?= lait')).toBe('café au lait');
  });
});
