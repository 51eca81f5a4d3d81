/** Child process: appends for ever, prints each acknowledged `subject seq body`. Arguments: data directory, round. */
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';

const [dataDir = '', round = '0'] = process.argv.slice(2);
const clock = systemClock();
const metrics = { count: () => undefined, measure: () => undefined };
const { log } = await openTransport('embedded', {
  dataDir,
  clock,
  random: systemRandom(),
  logger: silentLogger(),
  metrics,
});

const write = async (lane: number): Promise<void> => {
  const subject = `kill.lane${lane}`;
  let last = (await log.last(subject))?.seq ?? 0;
  for (let n = 0; ; n++) {
    const body = `${round}.${n}`;
    const { seq } = await log.append(subject, new TextEncoder().encode(body), { expectedLastSeq: last });
    last = seq;
    process.stdout.write(`${subject} ${seq} ${body}\n`);
  }
};

await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(write));
