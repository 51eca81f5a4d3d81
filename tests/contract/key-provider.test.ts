import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  envKeyProvider,
  fileKeyProvider,
  type KeyProvider,
  type Pkcs11Options,
  pkcs11KeyProvider,
} from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';

/** One suite for every holder of a master key; the token is SoftHSM2, a real PKCS #11 module. */
const random = systemRandom();
const folder = mkdtempSync(join(tmpdir(), 'hermes-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
mkdirSync(join(folder, 'tokens'));
writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\nlog.level = ERROR\n`);
process.env.SOFTHSM2_CONF = join(folder, 'softhsm2.conf');
// A module sees the tokens that there were when it was opened: one, with a key for each master.
execFileSync('softhsm2-util', ['--init-token', '--free', '--label', 'plant', '--so-pin', '4321', '--pin', '1234']);
const tokenOf = (key: string): Pkcs11Options => ({ module: MODULE, token: 'plant', pin: '1234', key });

const hex = (byte: number): string => Buffer.alloc(32, byte).toString('hex');
const PROVIDERS: readonly (readonly [string, (n: number) => Promise<KeyProvider>])[] = [
  ['file', async (n) => fileKeyProvider(join(folder, `master-${n}.key`), random, { create: true })],
  ['env', async (n) => envKeyProvider(hex(n), random)],
  ['pkcs11', async (n) => pkcs11KeyProvider(tokenOf(`token-${n}`), random, { create: true })],
];

describe.each(PROVIDERS)('the master key in %s', (name, open) => {
  test('unwraps what it wrapped, for the same tenant and for no other', async () => {
    const keys = await open(1);
    const dataKey = random.bytes(32);
    const wrapped = keys.wrap(dataKey, 'one');
    expect(Buffer.from(keys.unwrap(wrapped, 'one')).equals(Buffer.from(dataKey))).toBe(true);
    for (const other of ['two', '', 'one|', 'One']) {
      expect(() => keys.unwrap(wrapped, other), other).toThrow(/did not wrap this data key/);
    }
  });

  test('shows nothing of the data key, and wraps it differently each time', async () => {
    const keys = await open(2);
    const dataKey = random.bytes(32);
    const [first, second] = [keys.wrap(dataKey, 'one'), keys.wrap(dataKey, 'one')];
    expect(Buffer.from(first).includes(Buffer.from(dataKey))).toBe(false);
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(false);
  });

  test('refuses what was altered or cut anywhere, by name', async () => {
    const keys = await open(3);
    const wrapped = Buffer.from(keys.wrap(random.bytes(32), 'one'));
    for (let at = 0; at < wrapped.length; at++) {
      const flipped = Buffer.from(wrapped);
      flipped[at] = (flipped[at] as number) ^ 1;
      expect(() => keys.unwrap(flipped, 'one'), `flipped ${at}`).toThrow(keys.id);
      expect(() => keys.unwrap(wrapped.subarray(0, at), 'one'), `cut at ${at}`).toThrow(keys.id);
    }
    expect(keys.unwrap(wrapped, 'one').byteLength).toBe(32);
  });

  test('another master of the same kind has another id, and unwraps nothing of the first', async () => {
    const [first, other] = [await open(4), await open(5)];
    expect(first.id).not.toBe(other.id);
    expect(first.id.startsWith(`${name}:`)).toBe(true);
    expect(() => other.unwrap(first.wrap(random.bytes(32), 'one'), 'one')).toThrow(other.id);
  });
});

describe('a token', () => {
  test('gives the same key again after it was closed; its key does not leave it', async () => {
    const options = tokenOf('token-again');
    const made = await pkcs11KeyProvider(options, random, { create: true });
    const wrapped = made.wrap(Buffer.alloc(32, 9), 'one');
    const again = await pkcs11KeyProvider(options, random);
    expect(again.id).toBe(made.id);
    expect(Buffer.from(again.unwrap(wrapped, 'one')).equals(Buffer.alloc(32, 9))).toBe(true);
  });

  test.each([
    ['a module that is none', { module: join(folder, 'nothing.so') }, /cannot be used/],
    ['a token that is not there', { token: 'nowhere' }, /no token nowhere/],
    ['a key that is not there', { key: 'none' }, /has no key none/],
  ] as const)('%s is said, with the next step', async (_what, wrong, said) => {
    const options = { ...tokenOf('master'), ...wrong };
    await expect(pkcs11KeyProvider(options, random)).rejects.toMatchObject({
      reason: 'invalid_params',
      message: expect.stringMatching(said),
      data: { suggestion: expect.any(String) },
    });
  });
});
