import { fuzz } from './fuzz.js';

/** `npm run fuzz -- [--frames 200000] [--seed 1] [--only N]`: mutants by the thousand; exit 1 on a violation. */
const KNOWN: ReadonlySet<string> = new Set(['--frames', '--seed', '--only']);
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
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const seed = argument('seed') ?? 1;
const frames = argument('frames') ?? 200_000;
const only = argument('only');
const wall = (): number => performance.now();
const cpu = (): number => process.cpuUsage().user / 1_000;
const { gc } = globalThis;
const heap = (): number => {
  gc?.();
  return process.memoryUsage().heapUsed;
};
const began = wall();
const {
  verdicts,
  violations,
  honestCalls,
  heap: kept,
} = await fuzz({
  seed,
  frames,
  cpu,
  ...(only === undefined ? {} : { only }),
  ...(gc ? { heap } : {}),
  progress(done, frame) {
    if (only !== undefined) {
      const { payload, ...way } = frame;
      say(
        `${JSON.stringify(way)}\n${payload.length} bytes, ${Buffer.from(payload.subarray(0, 2_000)).toString('hex')}`,
      );
    } else if (done % 10_000 === 0) say(`${done} frames, ${Math.round(done / ((wall() - began) / 1_000))} a second`);
  },
});
const counts = [...verdicts].sort(([, a], [, b]) => b - a).map(([verdict, count]) => `${verdict} ${count}`);
say(`${only === undefined ? frames : 1} frames, seed ${seed}, ${honestCalls} honest calls: ${counts.join(' · ')}`);
if (gc && only === undefined) say(`heap ${kept.map((bytes) => `${(bytes / 1_048_576).toFixed(1)} MB`).join(' → ')}`);
for (const { frame, what } of violations) say(`frame ${frame} FAILED, --seed ${seed} --only ${frame}: ${what}`);
say(violations.length === 0 ? 'no violation' : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
