import { fileURLToPath } from 'node:url';
import { loadTopology, twinCommon } from '../../topology/index.js';
import { runSeed } from './run-seed.js';

/** `npm run simulate -- --seeds N [--from S] [--seed S]`: prints seeds per second and the first failing seed. */
const KNOWN: ReadonlySet<string> = new Set(['--seeds', '--seed', '--from', '--first']);
for (const given of process.argv.slice(2)) {
  if (given.startsWith('--') && !KNOWN.has(given))
    throw new Error(`unknown option ${given}; known: ${[...KNOWN].join(' ')}`);
}
const argument = (name: string): number | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  if (index < 0) return undefined;
  const value = Number(process.argv[index + 1]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes a whole number above 0, not ${process.argv[index + 1]}`);
};

const topology = loadTopology(fileURLToPath(new URL('../../topology/sites/x-lab.yaml', import.meta.url)));
const common = await twinCommon(topology);
const only = argument('seed');
const first = only ?? argument('from') ?? 1;
const count = only === undefined ? (argument('seeds') ?? 100) : 1;

const began = performance.now();
let failing: number | undefined;
let virtualMs = 0;
let goals = 0;
let hits = 0;
for (let seed = first; seed < first + count; seed++) {
  const run = await runSeed({ seed, topology, common });
  const again = seed === first ? await runSeed({ seed, topology, common }) : run;
  const violations = [
    ...run.violations,
    ...(again.digest === run.digest ? [] : [{ rule: 'deterministic', what: 'the same seed gave other bytes' }]),
  ];
  virtualMs += run.virtualMs;
  goals += run.goals;
  hits += run.hits;
  if (only !== undefined) process.stdout.write(`seed ${seed} digest ${run.digest}\n`);
  if (violations.length === 0) continue;
  failing ??= seed;
  process.stdout.write(`seed ${seed} FAILED\n${violations.map(({ rule, what }) => `  ${rule}: ${what}`).join('\n')}\n`);
  if (process.argv.includes('--first')) break;
}
const seconds = (performance.now() - began) / 1_000;
const speed = `${(count / seconds).toFixed(1)} seeds/s, ${Math.round(virtualMs / 1_000 / seconds)} virtual s/s`;
process.stdout.write(`${count} seeds, ${goals} goals, ${hits} faults, ${speed}\n`);
process.stdout.write(failing === undefined ? 'no violation\n' : `first failing seed: ${failing}\n`);
process.exitCode = failing === undefined ? 0 : 1;
