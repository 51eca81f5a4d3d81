import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openVault, scopes } from '../../../agents/runtime/index.js';
import { packValue, subjects, unpackValue } from '../../../mcp/index.js';
import { openSim } from '../../../mcp/transport/index.js';
import { open, seal, softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

const random = seededRandom(1);
const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);

describe('a wrapped data key', () => {
  test('opens for the tenant that it was wrapped for, and for no other', () => {
    const dataKey = random.bytes(32);
    const wrapped = keys.wrap(dataKey, 'one');
    expect(Buffer.from(keys.unwrap(wrapped, 'one'))).toEqual(Buffer.from(dataKey));
    for (const other of ['two', '', 'one|', 'One']) {
      expect(() => keys.unwrap(wrapped, other), other).toThrow(/did not wrap this data key/);
    }
  });

  test('that is cut anywhere is refused by name', () => {
    const wrapped = keys.wrap(random.bytes(32), 'one');
    for (let length = 0; length < wrapped.length; length++) {
      expect(() => keys.unwrap(wrapped.subarray(0, length), 'one'), String(length)).toThrow(/did not wrap/);
    }
  });

  test('that is copied to the log of another tenant does not open there', async () => {
    const clock = new VirtualClock();
    const sim = openSim({ clock, random: seededRandom(2), logger: silentLogger() });
    const { log } = sim.connect('tester').transport;
    const deps = { log, keys, random };
    await clock.run(openVault(deps, 'one'));
    const keyOf = (tenant: string) => subjects.log(tenant, 'site', scopes.key('data'));
    const record = await clock.run(log.last(keyOf('one')));
    const copy = packValue(unpackValue(record?.payload as Uint8Array) as object);
    await clock.run(log.append(keyOf('two'), copy, { expectedLastSeq: 0 }));
    await expect(clock.run(openVault(deps, 'two'))).rejects.toMatchObject({ reason: 'log_unavailable' });
    await expect(clock.run(openVault(deps, 'one'))).resolves.toBeDefined();
  });
});

describe('AES-GCM', () => {
  const key = new Uint8Array(32).fill(3);
  const iv = new Uint8Array(12).fill(1);

  test('opens what it sealed, also nothing at all', () => {
    for (const plain of [Buffer.alloc(0), Buffer.from('x')]) {
      expect(Buffer.from(open(key, seal(key, plain, 'here', iv), 'here'))).toEqual(plain);
    }
  });

  test('takes no tag shorter than 16 bytes', () => {
    for (const length of [4, 8, 12, 13, 14, 15]) {
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: length });
      cipher.setAAD(Buffer.from('here'));
      cipher.final();
      const short = Buffer.concat([iv, cipher.getAuthTag()]);
      expect(() => open(key, short, 'here'), `${length} bytes`).toThrow(/no sealed value/);
    }
  });
});
