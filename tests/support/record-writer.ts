/**
 * Child process: operations without end on some devices, each begun and ended on the record while a view follows.
 * Prints `open`, then each acknowledged entry as `scope n version hash`. Arguments: data directory, name of the round.
 */
import { scopes } from '../../agents/runtime/record/index.js';
import { openRecordBench } from './record-bench.js';

const LANES = 6;
const [dataDir = '', round = '0'] = process.argv.slice(2);
const { record, openViewOf } = await openRecordBench(dataDir, { instance: `worker-${round}` });
await openViewOf();
process.stdout.write('open\n');

const work = async (lane: number): Promise<void> => {
  const scope = scopes.device(`PLC-00${lane}`);
  for (let n = 0; ; n++) {
    const request = { request_id: `r-${round}-${lane}-${n}`, session_context_id: `s-${round}-${lane % 2}` };
    const begun = await record.append(scope, { kind: 'started', ...request });
    process.stdout.write(`${scope} ${begun.n} ${begun.last_version} ${begun.hash}\n`);
    const snapshots = Array.from({ length: 1 + (n % 2) }, (_, part) => ({ data: { round, lane, n, part } }));
    const ended = await record.append(scope, { kind: 'finished', ...request, snapshots });
    process.stdout.write(`${scope} ${ended.n} ${ended.last_version} ${ended.hash}\n`);
  }
};

await Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane + 1)));
