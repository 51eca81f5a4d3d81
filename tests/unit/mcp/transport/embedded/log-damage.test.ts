import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTransport, type Transport } from '../../../../../mcp/transport/index.js';
import { seededRandom } from '../../../../../shared/random.js';
import { silentLogger } from '../../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../../shared/virtual-clock.js';
import { silentMetrics } from '../../../../support/transport-harness.js';

/** S1: what a power cut or a dying disk does to the files of the log. It is whole again, or read-only and says so. */
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hermes-damage-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const RECORDS = 400;
const open = (): Promise<Transport> =>
  openTransport('embedded', {
    dataDir: dir,
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger(),
    metrics: silentMetrics(),
  });
const payload = (n: number): Uint8Array => Buffer.from(`${n} `.padEnd(2_000, String.fromCharCode(97 + (n % 26))));

/** Two lives, so that there are tables and a journal. */
async function fill(): Promise<void> {
  for (let life = 0; life < 2; life++) {
    const transport = await open();
    for (let n = 1; n <= RECORDS / 2; n++) await transport.log.append(`a.${n % 7}`, payload(n));
    await transport.close();
  }
}

/** What can be read, and whether the log takes more. */
async function look(): Promise<{ read: number; damage: string | undefined; takes: boolean }> {
  const transport = await open();
  try {
    let read = 0;
    for await (const record of transport.log.read('>')) {
      expect(record.payload.byteLength).toBe(2_000);
      read++;
    }
    const appended = await transport.log.append('a.9', payload(1)).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({
          reason: 'log_unavailable',
          data: { read_only: true, suggestion: expect.stringContaining('a copy of the data folder') },
        });
        return false;
      },
    );
    return { read, damage: transport.damage, takes: appended };
  } finally {
    await transport.close();
  }
}

const files = async (kind: RegExp): Promise<string[]> =>
  (await readdir(join(dir, 'log'))).filter((name) => kind.test(name)).map((name) => join(dir, 'log', name));
const each = async (kind: RegExp, work: (path: string) => Promise<unknown>): Promise<void> => {
  const found = await files(kind);
  expect(found.length).toBeGreaterThan(0);
  for (const path of found) await work(path);
};
const zeroMiddle = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6)));
};
const flip = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  for (let at = 11; at < bytes.length; at += 997) bytes[at] = (bytes[at] as number) ^ 0x55;
  await writeFile(path, bytes);
};
const zero = async (path: string): Promise<void> => writeFile(path, Buffer.alloc((await readFile(path)).length));
describe('S1: damaged files of the log', () => {
  test.each([
    ['a manifest that is none', () => each(/^MANIFEST/, (path) => writeFile(path, 'not a manifest'))],
    ['a zeroed manifest', () => each(/^MANIFEST/, zero)],
    ['an empty CURRENT', () => each(/^CURRENT$/, (path) => truncate(path, 0))],
    ['a CURRENT that is gone', () => each(/^CURRENT$/, (path) => rm(path))],
    ['a manifest that is gone', () => each(/^MANIFEST/, (path) => rm(path))],
    ['a zeroed table', () => each(/\.ldb$/, zero)],
    ['a table that is gone', () => each(/\.ldb$/, (path) => rm(path))],
    ['a truncated table', () => each(/\.ldb$/, (path) => truncate(path, 3_000))],
    ['a CURRENT zeroed in its middle', () => each(/^CURRENT$/, zeroMiddle)],
    ['a CURRENT that names another manifest', () => each(/^CURRENT$/, flip)],
    ['a table zeroed in its middle, which would end the process', () => each(/\.ldb$/, zeroMiddle)],
    ['a table with flipped bytes, which would end the process', () => each(/\.ldb$/, flip)],
    ['a journal zeroed in its middle, which LevelDB passes over', () => each(/\.log$/, zeroMiddle)],
    ['a journal that is gone', () => each(/\.log$/, (path) => rm(path))],
    ['everything gone', () => rm(join(dir, 'log'), { recursive: true })],
  ])('%s: whole again, or read-only with what is lost; never silently less', async (_what, damage) => {
    await fill();
    await damage();
    const seen = await look();
    if (seen.damage === undefined) expect([seen.read, seen.takes]).toEqual([RECORDS, true]);
    else {
      expect(seen.takes).toBe(false);
      expect(seen.damage).toMatch(/has lost/);
    }
  });

  test('a damaged manifest costs nothing', async () => {
    await fill();
    await each(/^MANIFEST/, (path) => writeFile(path, 'not a manifest'));
    expect(await look()).toEqual({ read: RECORDS, damage: undefined, takes: true });
  });

  test('the newest records cut off: said which, and said again at the next start', async () => {
    await fill();
    await each(/\.log$/, (path) => truncate(path, 0));
    const first = await look();
    expect(first.damage).toMatch(/has lost records \d+ to 400/);
    expect(first.read).toBeLessThan(RECORDS);
    expect(await look()).toEqual(first);
  });

  test('a log that is whole is not examined, nor is it held up', async () => {
    await fill();
    expect(await look()).toEqual({ read: RECORDS, damage: undefined, takes: true });
  });
});
