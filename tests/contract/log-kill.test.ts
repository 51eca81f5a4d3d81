import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTransport } from '../../mcp/transport/index.js';
import { seededRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { startChild } from '../support/transport-child.js';
import { collect, silentMetrics, text } from '../support/transport-harness.js';

test('kill -9 loses no acknowledged append, and compare-and-swap goes on from the right heads', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hermes-kill-'));
  const acknowledged = new Map<number, string>();
  try {
    for (const round of [1, 2, 3]) {
      const child = startChild('transport-appender', [dataDir, String(round)]);
      try {
        await child.printed(200 * round + round * 7);
      } finally {
        await child.kill();
      }
      for (const line of child.lines) {
        const [subject, seq, body] = line.split(' ');
        acknowledged.set(Number(seq), `${subject} ${body}`);
      }
      const options = { clock: new VirtualClock(), random: seededRandom(1), logger: silentLogger() };
      const transport = await openTransport('embedded', { dataDir, metrics: silentMetrics(), ...options });
      const { log } = transport;
      const records = await collect(log.read('kill.>'));
      const found = new Map(records.map((r) => [r.seq, `${r.subject} ${text(r.payload)}`]));
      for (const [seq, what] of acknowledged) expect(found.get(seq)).toBe(what);
      for (let lane = 0; lane < 8; lane++) {
        const subject = `kill.lane${lane}`;
        const newest = records.filter((record) => record.subject === subject).at(-1)?.seq ?? 0;
        expect((await log.last(subject))?.seq ?? 0).toBe(newest);
        const stale = log.append(subject, new Uint8Array(0), { expectedLastSeq: newest + 1 });
        await expect(stale).rejects.toMatchObject({ reason: 'version_conflict', data: { actual: newest } });
        expect((await collect(log.read(subject))).length).toBe(records.filter((r) => r.subject === subject).length);
      }
      await transport.close();
    }
    expect(acknowledged.size).toBeGreaterThan(1_200);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);
