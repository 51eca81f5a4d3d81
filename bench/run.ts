import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCalls, type CallRow, median } from './calls.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '3000' },
    'in-flight': { type: 'string', default: '64' },
    note: { type: 'string', default: '0' },
    json: { type: 'string' },
    profile: { type: 'string' },
  },
});

const table = (rows: readonly CallRow[]): string =>
  [
    '| measure | to reach | reached | of |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ measure, target, value, reached, detail }) => {
      return `| ${measure} | ${target} | ${value.toFixed(2)}${reached ? '' : ' (missed)'} | ${detail} |`;
    }),
  ].join('\n');

if (values.profile) mkdirSync(values.profile, { recursive: true });
const { rows, runs } = await benchCalls({
  rounds: Number(values.rounds),
  msPerRun: Number(values.ms),
  inFlight: Number(values['in-flight']),
  noteBytes: Number(values.note),
  ...(values.profile ? { profileDir: values.profile } : {}),
});
console.log(table(rows));
for (const [name, { busy, single }] of Object.entries(runs)) {
  const of = (pick: (one: (typeof busy)[number]) => number, list = busy): number => median(list.map(pick));
  const failed = [...busy, ...single].reduce((sum, one) => sum + one.failed, 0);
  console.log(
    `${name}: ${of((one) => one.perSecond)}/s, client CPU ${of((one) => one.cpuUs)} µs/call,`,
    `one at a time p50 ${of((one) => one.p50us, single)} p99 ${of((one) => one.p99us, single)} µs, failed ${failed}`,
  );
}
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`);
