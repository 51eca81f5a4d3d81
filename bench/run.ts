import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCalls, type Runs } from './calls.js';
import { benchMemory } from './memory.js';
import type { Measured } from './process.js';
import { median, type Row, table } from './row.js';
import { benchWorkers } from './workers.js';
import { benchWrites } from './writes.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '3000' },
    'in-flight': { type: 'string', default: '64' },
    note: { type: 'string', default: '0' },
    json: { type: 'string' },
    profile: { type: 'string' },
  },
});

const options = {
  rounds: Number(values.rounds),
  msPerRun: Number(values.ms),
  inFlight: Number(values['in-flight']),
  noteBytes: Number(values.note),
  ...(values.profile ? { profileDir: values.profile } : {}),
};

const of = (runs: readonly Measured[], pick: (one: Measured) => number): number => median(runs.map(pick));

const busyLine = (name: string, runs: readonly Measured[]): string =>
  `${name}: ${of(runs, (one) => one.perSecond)}/s, client CPU ${of(runs, (one) => one.cpuUs)} µs/call, ` +
  `p50 ${of(runs, (one) => one.p50us)} p99 ${of(runs, (one) => one.p99us)} µs, ` +
  `failed ${runs.reduce((sum, one) => sum + one.failed, 0)}`;

const singleLine = ({ single }: Runs): string =>
  `  one at a time p50 ${of(single, (one) => one.p50us)} p99 ${of(single, (one) => one.p99us)} µs, ` +
  `failed ${single.reduce((sum, one) => sum + one.failed, 0)}`;

interface Part {
  readonly rows: readonly Row[];
  readonly runs: unknown;
  readonly lines: readonly string[];
}

const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  async calls() {
    const { rows, runs } = await benchCalls(options);
    const lines = Object.entries(runs).flatMap(([name, one]) => [busyLine(name, one.busy), singleLine(one)]);
    return { rows, runs, lines };
  },
  async writes() {
    const { rows, runs } = await benchWrites(options);
    return { rows, runs, lines: Object.entries(runs).map(([name, one]) => busyLine(name, one)) };
  },
  async memory() {
    const { rows, runs } = await benchMemory(options);
    const { scan, index } = runs.lookups;
    const { ours, theirs, bytes } = runs.writes;
    const lines = [
      `session lookup ${median(index)} µs, scan ${median(scan)} µs`,
      `sealed, indexed, synced ${ours.join(' ')}/s; bare synced ${theirs.join(' ')}/s, of ${bytes} bytes`,
    ];
    return { rows, runs, lines };
  },
  async workers() {
    const { rows, runs } = await benchWorkers(options);
    return { rows, runs, lines: Object.entries(runs).map(([name, one]) => busyLine(name, one)) };
  },
};

const names = values.only?.split(',') ?? Object.keys(PARTS);
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`--only ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
if (values.profile) mkdirSync(values.profile, { recursive: true });

/** One after another: two at once would measure each other. */
async function measure(): Promise<Record<string, Part>> {
  const done: Record<string, Part> = {};
  for (const name of names) done[name] = await (PARTS[name] as () => Promise<Part>)();
  return done;
}

const done = await measure();
console.log(table(Object.values(done).flatMap(({ rows }) => rows)));
for (const { lines } of Object.values(done)) console.log(lines.join('\n'));
if (values.json) writeFileSync(values.json, `${JSON.stringify(done, null, 2)}\n`);
