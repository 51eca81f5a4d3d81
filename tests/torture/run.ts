import { tortureRecord } from './record-torture.js';
import { torture } from './torture.js';

/**
 * `npm run torture -- [--record] --rounds N [--seed S]`: what happens to whom, how each round ended, and what was
 * violated. `--record` kills a process that writes the record instead of those that work on goals.
 */
const argument = (name: string, otherwise: number): number => {
  const index = process.argv.indexOf(`--${name}`);
  if (index < 0) return otherwise;
  const value = Number(process.argv[index + 1]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes a whole number above 0, not ${process.argv[index + 1]}`);
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = argument('seed', 1);
const rounds = argument('rounds', 10);
const violations = process.argv.includes('--record') ? await onRecord() : await onGoals();
for (const violation of violations) say(`VIOLATED ${violation}`);
say(violations.length === 0 ? 'no violation' : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;

async function onRecord(): Promise<readonly string[]> {
  const ended = await tortureRecord({ rounds, seed, say });
  say(`${rounds} kills of seed ${seed}: ${ended.acknowledged} entries acknowledged`);
  return ended.violations;
}

async function onGoals(): Promise<readonly string[]> {
  const ended = await torture({ rounds, seed, say });
  say(`${rounds} rounds of seed ${seed}: ${ended.goals} goals, ${ended.completed} completed`);
  return ended.violations;
}
