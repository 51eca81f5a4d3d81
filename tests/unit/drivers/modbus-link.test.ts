import { afterEach, describe, expect, it } from 'vitest';
import { type ModbusLinkOptions, openModbusLink } from '../../../agents/drivers/index.js';
import { systemClock } from '../../../shared/clock.js';
import type { LinkAddress, LinkDriver } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { openMetrics } from '../../../shared/telemetry/metrics.js';
import { type AskedFrame, type FaultyServer, openFaultyServer, registers } from '../../support/sim-faulty-server.js';

const clock = systemClock();
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((part) => part.close()));
});

const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
  opened.push(part);
  return part;
};
const serve = async (what: (frame: AskedFrame) => void, port = 0): Promise<FaultyServer> =>
  keep(await openFaultyServer(what, port));
const link = (resolve: () => Promise<LinkAddress>, options: Partial<ModbusLinkOptions> = {}): LinkDriver =>
  keep(
    openModbusLink(
      { clock, random: seededRandom(1), logger: silentLogger(), metrics: openMetrics(), resolve },
      { link: 'test', backoffMinMs: 20, requestTimeoutMs: 500, ...options },
    ),
  );
const linkTo = (server: FaultyServer, options: Partial<ModbusLinkOptions> = {}) =>
  link(async () => server.address, options);
const failure = async (work: Promise<unknown>): Promise<HermesError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof HermesError) return error;
  throw new Error(`expected a HermesError, got ${String(error)}`);
};
const register = (address: number, unit = 1) => ({ unit, table: 'holding', address, count: 1 }) as const;
const echo = (frame: AskedFrame) => frame.socket.write(registers(frame, [frame.address]));

describe('late and misplaced replies', () => {
  it('I1: a late reply is never matched to a new request, also not 256 requests later', async () => {
    const late: (() => void)[] = [];
    const server = await serve((frame) => {
      if (frame.index === 0) late.push(() => frame.socket.write(registers(frame, [0xdead])));
      else if (frame.index === 256) {
        late[0]?.();
        clock.timer(5, () => echo(frame));
      } else echo(frame);
    });
    const driver = linkTo(server);
    expect((await failure(driver.read(register(0), { timeoutMs: 40 }))).data.cause).toBe('timeout');
    for (let address = 1; address <= 260; address++) expect(await driver.read(register(address))).toEqual([address]);
    expect(server.connections).toBe(1);
  });

  it('I2: one late reply does not leave the link one answer behind', async () => {
    const server = await serve((frame) => {
      if (frame.index === 0) clock.timer(60, () => echo(frame));
      else clock.timer(frame.index === 1 ? 40 : 0, () => echo(frame));
    });
    const driver = linkTo(server);
    await failure(driver.read(register(100), { timeoutMs: 40 }));
    for (let address = 1; address <= 5; address++) expect(await driver.read(register(address))).toEqual([address]);
  });

  it('I1: a reply of another unit, function or length is refused and the connection begun anew', async () => {
    const wrong: ((frame: AskedFrame) => Buffer)[] = [
      (frame) => registers(frame, [1], { unit: 9 }),
      (frame) => registers(frame, [1], { fc: 4 }),
      (frame) => registers(frame, [1, 2]),
    ];
    const server = await serve((frame) => {
      const damage = wrong[frame.index / 2];
      frame.socket.write(damage ? damage(frame) : registers(frame, [42]));
    });
    const driver = linkTo(server);
    for (let round = 0; round < wrong.length; round++) expect(await driver.read(register(7))).toEqual([42]);
    expect(server.connections).toBe(1 + wrong.length);
  });

  it('an unsolicited frame is dropped', async () => {
    const server = await serve((frame) => {
      const stray = registers({ ...frame, transaction: (frame.transaction + 99) & 0xffff }, [13]);
      frame.socket.write(Buffer.concat([stray, registers(frame, [frame.address]), stray]));
    });
    const driver = linkTo(server);
    for (let address = 0; address < 5; address++) expect(await driver.read(register(address))).toEqual([address]);
    expect(server.connections).toBe(1);
  });
});

describe('segments and corrupt frames', () => {
  it('I3: replies split into bytes or merged into one packet are read alike', async () => {
    let previous: Buffer = Buffer.alloc(0);
    const server = await serve((frame) => {
      const reply = registers(frame, [frame.address]);
      if (frame.index % 2 === 0) for (const byte of reply) frame.socket.write(Buffer.of(byte));
      else frame.socket.write(Buffer.concat([previous, reply, previous]));
      previous = reply;
    });
    const driver = linkTo(server);
    const values = await Promise.all(Array.from({ length: 10 }, (_, address) => driver.read(register(address))));
    expect(values).toEqual(Array.from({ length: 10 }, (_, address) => [address]));
    expect(server.connections).toBe(1);
  });

  it.each([
    ['length 65535', (reply: Buffer) => reply.writeUInt16BE(65_535, 4)],
    ['length 0', (reply: Buffer) => reply.writeUInt16BE(0, 4)],
    ['protocol id 7', (reply: Buffer) => reply.writeUInt16BE(7, 2)],
    ['a byte count that lies', (reply: Buffer) => reply.writeUInt8(200, 8)],
  ])('a frame with %s resets the connection, and the next one serves', async (_what, damage) => {
    const server = await serve((frame) => {
      const reply = registers(frame, [frame.address]);
      if (frame.connection === 0) damage(reply);
      frame.socket.write(reply);
    });
    const driver = linkTo(server);
    const first = await driver.read(register(5)).catch((error: HermesError) => error.data.cause);
    expect([[5], 'bad_frame']).toContainEqual(first);
    expect(await driver.read(register(6))).toEqual([6]);
    expect(server.connections).toBeLessThanOrEqual(2);
  });
});

describe('connections', () => {
  it('start order does not matter: the server may come after the driver', async () => {
    const server = await serve(echo);
    const { address } = server;
    await server.close();
    const driver = link(async () => address);
    expect((await failure(driver.read(register(1)))).data).toMatchObject({ cause: 'refused', sent: false });
    await serve(echo, address.port);
    await clock.sleep(30);
    expect(await driver.read(register(1))).toEqual([1]);
  });

  it('the address is resolved at each connect, and a resolver that fails is a refusal', async () => {
    const first = await serve((frame) => frame.socket.destroy());
    const second = await serve(echo);
    const places: (LinkAddress | undefined)[] = [undefined, first.address, second.address];
    const driver = link(async () => {
      const place = places.length > 1 ? places.shift() : places[0];
      if (!place) throw new Error('simulators are not up');
      return place;
    });
    expect((await failure(driver.read(register(1)))).data.cause).toBe('refused');
    await clock.sleep(30);
    expect(await driver.read(register(3))).toEqual([3]);
  });

  it('a first request does not wait for the back-off of a long outage', async () => {
    const server = await serve(echo);
    await server.close();
    const driver = link(async () => server.address, { backoffMinMs: 30_000 });
    expect((await failure(driver.read(register(2)))).data.cause).toBe('refused');
    await serve(echo, server.address.port);
    expect(await driver.read(register(2), { timeoutMs: 2_000 })).toEqual([2]);
  });

  it.each([
    ['closed', (frame: AskedFrame) => frame.socket.end()],
    ['reset', (frame: AskedFrame) => frame.socket.resetAndDestroy()],
  ])('a read is sent again once when the connection is %s under it; a write never', async (_how, end) => {
    const server = await serve((frame) => (frame.fc === 3 && frame.connection > 0 ? echo(frame) : end(frame)));
    const driver = linkTo(server);
    expect(await driver.read(register(4))).toEqual([4]);
    const error = await failure(driver.write({ unit: 1, table: 'holding', address: 4, values: [1] }));
    expect(error.data).toMatchObject({ cause: 'closed', sent: true });
    await clock.sleep(50);
    expect(server.asked.filter(({ fc }) => fc === 6)).toHaveLength(1);
  });

  it('attempts to a dead address are few: no reconnect storm', async () => {
    const server = await serve(echo);
    await server.close();
    let attempts = 0;
    const driver = link(
      async () => {
        attempts++;
        return server.address;
      },
      { backoffMinMs: 100 },
    );
    const reads = Array.from({ length: 50 }, () => failure(driver.read(register(1), { timeoutMs: 20 })));
    const causes = (await Promise.all(reads)).map((error) => error.data.cause);
    expect(new Set(causes)).toEqual(new Set(['refused']));
    expect(attempts).toBe(1);
  });
});

describe('units that share a link', () => {
  it('I5: a silent unit 2 does not cost units 3 and 4 their polls', async () => {
    const server = await serve((frame) => {
      if (frame.unit !== 2) echo(frame);
    });
    const driver = linkTo(server, { requestTimeoutMs: 100 });
    for (let round = 0; round < 4; round++) {
      const [silent, third, fourth] = await Promise.all([
        failure(driver.read(register(round, 2))),
        driver.read(register(round, 3)),
        driver.read(register(round, 4)),
      ]);
      expect([silent.data.cause, third, fourth]).toEqual(['timeout', [round], [round]]);
    }
    expect(server.connections).toBe(1);
  });

  it('writes go before reads that wait', async () => {
    const server = await serve((frame) => {
      if (frame.fc === 3) clock.timer(10, () => echo(frame));
      else
        frame.socket.write(
          Buffer.from([frame.transaction >> 8, frame.transaction & 255, 0, 0, 0, 6, 1, 6, 0, 9, 0, 1]),
        );
    });
    const driver = linkTo(server);
    const reads = [1, 2, 3].map((address) => driver.read(register(address)));
    await clock.sleep(5);
    await driver.write({ unit: 1, table: 'holding', address: 9, values: [1] });
    await Promise.all(reads);
    expect(server.asked.findIndex(({ fc }) => fc === 6)).toBeLessThan(2);
  });

  it('a request that waited too long for its turn is dropped, unsent', async () => {
    const server = await serve(() => undefined);
    const driver = linkTo(server, { maxAgeMs: 40, requestTimeoutMs: 120 });
    const first = failure(driver.read(register(1)));
    const second = await failure(driver.read(register(2)));
    expect(second.data).toMatchObject({ cause: 'timeout', sent: false });
    await first;
    expect(server.asked).toHaveLength(1);
  });

  it('the queue is bounded', async () => {
    const server = await serve(() => undefined);
    const driver = linkTo(server, { maxWaiting: 3, requestTimeoutMs: 30 });
    const errors = await Promise.all([1, 2, 3, 4, 5].map((address) => failure(driver.read(register(address)))));
    expect(errors.map(({ reason }) => reason)).toContain('overloaded');
  });
});

describe('ends', () => {
  it('a resolver that never answers does not hold the link for ever', async () => {
    const server = await serve(echo);
    let asked = 0;
    const driver = link(
      () => (asked++ === 0 ? new Promise<LinkAddress>(() => undefined) : Promise.resolve(server.address)),
      {
        connectTimeoutMs: 40,
      },
    );
    expect((await failure(driver.read(register(1), { timeoutMs: 20 }))).data).toMatchObject({
      cause: 'timeout',
      sent: false,
    });
    await clock.sleep(80);
    expect(await driver.read(register(1))).toEqual([1]);
  });

  it('closing ends the request in flight and those that wait', async () => {
    const server = await serve(() => undefined);
    const driver = linkTo(server);
    const reads = [1, 2].map((address) => failure(driver.read(register(address))));
    await clock.sleep(20);
    await driver.close();
    expect((await Promise.all(reads)).map(({ data }) => data.cause)).toEqual(['closed', 'closed']);
  });

  it('a caller in a hurry does not cost the others their connection', async () => {
    const server = await serve((frame) => clock.timer(150, () => echo(frame)));
    const driver = linkTo(server);
    for (let round = 0; round < 4; round++) {
      const signal = AbortSignal.timeout(5);
      expect((await failure(driver.read(register(round), { signal }))).reason).toBe('deadline');
    }
    expect(await driver.read(register(9))).toEqual([9]);
    expect(server.connections).toBe(1);
  });
});
