import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scopes } from '../../agents/runtime/index.js';
import { openRecordBench, WORKER } from '../support/record-bench.js';
import { differences, rebuiltRows, rowsOf } from '../support/record-survivors.js';

/** A view whose files are damaged is built again from the log, equal row by row; never wrong in silence. */
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hermes-view-damage-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const SCOPES = ['PLC-001', 'PLC-002', 'PLC-003'].map(scopes.device);

/** Two lives, so that there are tables and a journal. */
async function fill(): Promise<void> {
  for (let life = 0; life < 2; life++) {
    const { record, openViewOf, transport } = await openRecordBench(dir);
    const { view } = await openViewOf();
    for (let n = 0; n < 30; n++) {
      for (const scope of SCOPES) {
        const about = { request_id: `r-${life}-${n}-${scope}`, data: { fill: 'x'.repeat(1_500) } };
        await record.append(scope, { kind: 'finished', ...about, snapshots: [{ data: { life, n } }] });
      }
    }
    await view.catchUp();
    await view.close();
    await transport.close();
  }
}

const DAMAGES: Readonly<Record<string, (path: string, bytes: Buffer) => Promise<void>>> = {
  truncated: (path, bytes) => truncate(path, Math.floor(bytes.length / 3)),
  'zeroed in its middle': (path, bytes) =>
    writeFile(path, bytes.fill(0, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6))),
  flipped(path, bytes) {
    for (let at = 11; at < bytes.length; at += 997) bytes[at] = (bytes[at] as number) ^ 0x55;
    return writeFile(path, bytes);
  },
  gone: (path) => rm(path),
};
const KINDS: Readonly<Record<string, RegExp>> = {
  CURRENT: /^CURRENT$/,
  MANIFEST: /^MANIFEST/,
  table: /\.ldb$/,
  journal: /\.log$/,
};

describe.each(Object.keys(KINDS))('S1: %s of a view', (kind) => {
  test.each(Object.keys(DAMAGES))('%s: built again, equal', async (damage) => {
    await fill();
    const folder = join(dir, WORKER, '0', 'view');
    const names = (await readdir(folder)).filter((name) => KINDS[kind]?.test(name));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) await DAMAGES[damage]?.(join(folder, name), await readFile(join(folder, name)));
    const bench = await openRecordBench(dir);
    const { view, store } = await bench.openViewOf();
    await view.catchUp();
    const rows = await rowsOf(store, bench.vault);
    expect(rows.size).toBeGreaterThan(500);
    expect(differences(rows, await rebuiltRows(bench))).toEqual([]);
    await view.close();
    await bench.transport.close();
  });
});
