import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { levelFailure } from '../../../../../mcp/transport/embedded/level-failure.js';
import { openTransport } from '../../../../../mcp/transport/index.js';
import { seededRandom } from '../../../../../shared/random.js';
import { silentLogger } from '../../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../../shared/virtual-clock.js';
import { bytes, silentMetrics } from '../../../../support/transport-harness.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hermes-level-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = () =>
  openTransport('embedded', {
    dataDir: dir,
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger(),
    metrics: silentMetrics(),
  });

const damage = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (name.startsWith('MANIFEST')) await writeFile(join(folder, name), 'not a manifest at all');
  }
};

test('a damaged view store says so, and can be discarded', async () => {
  const transport = await open();
  const store = await transport.openStore('plc_controller');
  await store.batch([{ type: 'put', key: 'a', value: bytes('1') }], { sync: true });
  await store.close();
  await damage(join(dir, 'plc_controller/0/view'));
  const path = join(dir, 'plc_controller/0');
  await expect(transport.openStore('plc_controller')).rejects.toMatchObject({
    reason: 'log_unavailable',
    data: { corrupt: true, path, suggestion: expect.stringContaining('discarded') },
  });
  const fresh = await transport.openStore('plc_controller', { discardCorrupt: true });
  expect(await fresh.get('a')).toBeUndefined();
  await fresh.batch([{ type: 'put', key: 'a', value: bytes('2') }]);
  await transport.close();
});

test('a full disk is named, with what to do', () => {
  const thrown = new Error('IO error: /data/log/000003.log: No space left on device');
  const failure = levelFailure(thrown, '/data/log', 'write');
  expect(failure).toMatchObject({ reason: 'log_unavailable', cause: thrown });
  expect(failure.data).toMatchObject({ path: '/data/log', suggestion: expect.stringContaining('free space') });
  expect(failure.data.corrupt).toBeUndefined();
});

test.each(['log', '', 'A', '../x', 'a/b'])('the component name %j is no folder', async (component) => {
  const transport = await open();
  await expect(transport.openStore(component)).rejects.toMatchObject({ reason: 'invalid_params' });
  await transport.close();
});
