import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/clock.js';
import type { LinkAddress } from '../../../shared/device.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { type Simulators, startSimulators } from '../../../simulators/index.js';
import { rawClient } from '../../support/sim-raw-client.js';
import { SIM_DEVICES } from '../../support/sim-site.js';

const clock = systemClock();
let simulators: Simulators;
beforeEach(async () => {
  const deps = { clock, random: seededRandom(1), logger: silentLogger() };
  simulators = await startSimulators({ ...deps, devices: SIM_DEVICES, controlPort: 0 });
});
afterEach(() => simulators.stop());

const line1 = (): LinkAddress => simulators.links()['line-1'] ?? { host: '', port: 0 };
const client = () => rawClient(line1());

/** Read holding 0, count 1, of unit 1: 450, which is 45.0 °C. */
const READ = '0001 0000 0006 01 03 0000 0001';
const ANSWER = '000100000005010302' + '01c2';

describe('the simulated Modbus TCP server', () => {
  it('reassembles a frame that comes byte by byte', async () => {
    const raw = await client();
    for (const byte of READ.replace(/\s/g, '').match(/../g) ?? []) {
      raw.send(byte);
      await clock.sleep(1);
    }
    expect(await raw.received(11)).toBe(ANSWER);
    raw.socket.destroy();
  });

  it('answers several frames of one segment, each by its own id', async () => {
    const raw = await client();
    raw.send(`${READ} 0102 0000 0006 07 04 0001 0001 0003`);
    expect((await raw.received(22)).slice(22)).toBe('01020000000507040200' + '00');
    raw.send('0000 0006 01 03 0000 0001');
    expect((await raw.received(33)).slice(44)).toBe('0003000000050103' + '0201c2');
    raw.socket.destroy();
  });

  it.each([
    ['a wrong protocol id', '0001 0001 0006 01 03 0000 0001'],
    ['length 65535', '0001 0000 ffff 01 03 0000 0001'],
    ['length 0', '0001 0000 0000'],
    ['length 1', '0001 0000 0001 01'],
    ['length 255', '0001 0000 00ff 01 03'],
  ])('closes a connection with %s, and serves the others', async (_what, frame) => {
    const bad = await client();
    const good = await client();
    bad.send(frame);
    await bad.ended;
    good.send(READ);
    expect(await good.received(11)).toBe(ANSWER);
    good.socket.destroy();
  });

  it.each([
    ['an unknown function', '63 00', 'e301'],
    ['count 0', '03 0000 0000', '8303'],
    ['126 registers', '03 0000 007e', '8303'],
    ['2001 bits', '01 0000 07d1', '8103'],
    ['an address that is not there', '03 0190 0001', '8302'],
    ['a coil value that is neither', '05 0000 1234', '8503'],
    ['a byte count that lies', '10 0000 0001 04 0000 0000', '9003'],
    ['too short a request', '03 00', '8303'],
    ['FC22 on a gap', '16 0090 0000 0000', '9602'],
  ])('answers %s by the right exception', async (_what, pdu, expected) => {
    const raw = await client();
    const bytes = pdu.replace(/\s/g, '');
    raw.send(`0009 0000 ${(bytes.length / 2 + 1).toString(16).padStart(4, '0')} 01 ${bytes}`);
    expect(await raw.received(9)).toBe(`00090000000301${expected}`);
    raw.socket.destroy();
  });

  it('FC22 masks a register and FC23 writes before it reads', async () => {
    const raw = await client();
    raw.send('0001 0000 0008 01 16 0001 fff0 000f');
    expect(await raw.received(14)).toBe('0001000000080116' + '0001fff0000f');
    raw.send('0002 0000 000d 01 17 0001 0001 0001 0001 02 0021');
    expect((await raw.received(25)).slice(28)).toBe('000200000005011702' + '0021');
    raw.socket.destroy();
  });

  it('a client’s reset ends that client alone', async () => {
    const raw = await client();
    raw.send(READ);
    await raw.received(11);
    raw.socket.resetAndDestroy();
    await raw.ended;
    const next = await client();
    next.send(READ);
    expect(await next.received(11)).toBe(ANSWER);
    next.socket.destroy();
  });

  it('logs what passed, and no reply to a socket that is gone', async () => {
    simulators.world.addFault({ device: 'PLC-001', kind: 'delay', params: { ms: 40 } });
    const raw = await client();
    raw.send('0001 0000 0006 01 06 0000 01f4');
    await clock.sleep(10);
    raw.socket.destroy();
    await clock.sleep(60);
    expect(simulators.world.frames({ device: 'PLC-001' })).toMatchObject([
      { dir: 'in', device: 'PLC-001', unit: 1, fc: 6, address: 0, values: [500], raw: '0001000000060106000001f4' },
    ]);
  });

  it('stopping drops clients and frees the port', async () => {
    const raw = await client();
    const { port } = line1();
    await simulators.stop();
    await raw.ended;
    await expect(rawClientRefused(port)).resolves.toBe('ECONNREFUSED');
  });

  it('pymodbus reads heartbeats and restarts a PLC', async () => {
    const { stdout } = await promisify(execFile)(await pythonWithPymodbus(), ['-c', PYMODBUS, String(line1().port)]);
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    expect(seen).toEqual({
      model: 1207,
      before: 0,
      restart: true,
      after: 1,
      setpoint: 500,
      missing: 11,
      illegal: 2,
      wrapped: true,
    });
  });
});

async function rawClientRefused(port: number): Promise<unknown> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.once('connect', () => resolve('connected'));
  });
}

/** @throws when no Python here has pymodbus: the interop test does not pass by not running. */
async function pythonWithPymodbus(): Promise<string> {
  const run = promisify(execFile);
  const failures: string[] = [];
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      await run(python, ['-c', 'import pymodbus']);
      return python;
    } catch (error) {
      failures.push(`${python}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no Python with pymodbus (apt-get install python3-pymodbus): ${failures.join('; ')}`);
}

const PYMODBUS = `
import json, sys, time
from pymodbus.client import ModbusTcpClient
c = ModbusTcpClient('127.0.0.1', port=int(sys.argv[1]))
c.connect()
r = {}
first = c.read_input_registers(0, 16, slave=1).registers
r['model'] = first[11]
r['before'] = c.read_input_registers(1, 1, slave=7).registers[0]
r['restart'] = not c.write_register(100, 0xA5A5, slave=107).isError()
time.sleep(0.4)
r['after'] = c.read_input_registers(1, 1, slave=7).registers[0]
c.write_registers(0, [500, 80], slave=1)
r['setpoint'] = c.read_holding_registers(0, 1, slave=1).registers[0]
r['missing'] = c.read_input_registers(0, 1, slave=55).exception_code
r['illegal'] = c.read_input_registers(900, 1, slave=1).exception_code
time.sleep(1.1)
beat = c.read_input_registers(0, 1, slave=1).registers[0]
r['wrapped'] = (beat - first[0]) % 65536 in (1, 2)
print(json.dumps(r))
c.close()
`;
