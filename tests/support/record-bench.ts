import { createRecord, openVault, openView } from '../../agents/runtime/record/index.js';
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { createIds } from '../../shared/ids.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { type Logger, silentLogger } from '../../shared/telemetry/logger.js';
import { silentMetrics } from './transport-harness.js';

export const TENANT = 'default';
export const WORKER = 'worker';
/** Key of the bench: a child process and who reads after it have the same. */
const MASTER = new Uint8Array(32).fill(7);

export const masterKeys = (key: Uint8Array = MASTER) => softwareKeyProvider('bench', key, systemRandom());

/** Record and view over the embedded transport, as a cell opens them, on a real disk in real time. */
export async function openRecordBench(dataDir: string, options: { instance?: string; logger?: Logger } = {}) {
  const clock = systemClock();
  const random = systemRandom();
  const logger = options.logger ?? silentLogger();
  const transport = await openTransport('embedded', { dataDir, clock, random, logger, metrics: silentMetrics() });
  try {
    const { log } = transport;
    const vault = await openVault({ log, keys: masterKeys(), random }, TENANT);
    const record = createRecord(
      { log, vault, clock, ids: createIds(clock, random), metrics: silentMetrics() },
      { tenant: TENANT, component: `${WORKER}_v1.0`, name: WORKER, instance: options.instance ?? `${WORKER}-1` },
    );
    const openViewOf = async () => {
      const store = await transport.openStore(WORKER, { discardCorrupt: true });
      return {
        store,
        view: await openView({ log, store, vault, clock, logger }, { tenant: TENANT, component: WORKER }),
      };
    };
    return { transport, log, vault, record, clock, logger, openViewOf };
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
}

export type RecordBench = Awaited<ReturnType<typeof openRecordBench>>;
