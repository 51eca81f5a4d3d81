import { type FaultPlan, type FaultPlanInput, parseFaultPlan } from '../../shared/fault-plan.js';
import type { Random } from '../../shared/random.js';

type RuleInput = NonNullable<FaultPlanInput['rules']>[number];

const pick = <T>(random: Random, list: readonly T[]): T => list[random.int(list.length)] as T;

/** After this all is quiet, so that everything has to settle; ms of the twin's clock. */
const QUIET_MS = 14_000;
const CALLS = 'hermes.*.call.>';
const REPLIES = 'hermes.*.reply.>';
const EVENTS = 'hermes.*.event.>';

/** A stretch in the middle of the run, at least `shortest` long. */
function stretch(random: Random, shortest: number, longest: number) {
  const from_ms = 200 + random.int(8_000);
  return { from_ms, to_ms: Math.min(QUIET_MS, from_ms + shortest + random.int(longest - shortest)) };
}

const messages = (random: Random) => pick(random, [CALLS, REPLIES, REPLIES, EVENTS, '>']);
const some = (random: Random): number => pick(random, [0.1, 0.3, 0.6]);
const someone = (random: Random, places: readonly string[]) =>
  random.float() < 0.5 ? {} : { component: pick(random, places) };

type Draw = (random: Random, places: readonly string[]) => RuleInput;

const bus =
  (kind: 'drop' | 'delay' | 'reorder' | 'duplicate' | 'corrupt', ms: number): Draw =>
  (random, places) => ({
    on: 'bus',
    kind,
    name: messages(random),
    ...someone(random, places),
    ...stretch(random, 1_000, 7_000),
    probability: some(random),
    ms,
  });

const log =
  (kind: 'delay' | 'error', op: 'append' | 'read' | 'tail', longest: number, ms = 700): Draw =>
  (random, places) => ({
    on: 'log',
    kind,
    op,
    how: pick(random, ['refused', 'written', 'silent']),
    ...someone(random, places),
    ...stretch(random, 100, longest),
    probability: pick(random, [0.1, 0.4, 1]),
    ms,
  });

const link =
  (kind: 'delay' | 'error' | 'hang' | 'cut'): Draw =>
  (random) => ({
    on: 'link',
    kind,
    op: pick(random, ['any', 'read', 'write', 'write']),
    how: pick(random, ['arrives', 'lost']),
    ...stretch(random, 300, 4_000),
    probability: pick(random, [0.1, 0.3, 1]),
    ms: 1_500,
  });

const lostRenewals: Draw = (random, places) => ({
  on: 'liveness',
  kind: 'drop',
  component: pick(random, places),
  ...stretch(random, 4_000, 11_000),
});

const DRAWS: readonly Draw[] = [
  bus('drop', 0),
  bus('drop', 0),
  bus('delay', 900),
  bus('delay', 2_500),
  bus('reorder', 800),
  bus('duplicate', 900),
  bus('corrupt', 0),
  log('error', 'append', 2_500),
  log('error', 'append', 2_500),
  log('error', 'read', 1_200),
  log('delay', 'append', 4_000),
  log('delay', 'append', 4_000, 7_000),
  log('delay', 'tail', 4_000),
  link('delay'),
  link('error'),
  link('hang'),
  link('hang'),
  link('cut'),
  lostRenewals,
  (random, places) => ({
    on: 'liveness',
    kind: 'delay',
    ...someone(random, places),
    ...stretch(random, 1_000, 9_000),
    ms: 2_000,
  }),
  // From the first instant to the last: a clock that is wrong, not one that jumps.
  (random, places) => ({
    on: 'component',
    kind: 'skew',
    component: pick(random, places),
    ms: Math.round((random.float() * 2 - 1) * pick(random, [2_000, 30_000, 300_000])),
  }),
];

/** An agent dies alone, and is started again after a while that is shorter or longer than its time to live. */
const crash: Draw = (random, places) => ({
  on: 'component',
  kind: 'crash',
  component: pick(random, places),
  from_ms: 500 + random.int(9_500),
  ms: 100 + random.int(9_000),
});

/**
 * What goes wrong in one run beside its workload: a tenth of the runs nothing, the others two to six things. Owners of
 * links, where there are several, are hit on purpose.
 */
export function drawFaults(random: Random, places: readonly string[]): FaultPlan {
  const count = random.float() < 0.1 ? 0 : 2 + random.int(5);
  const rules = Array.from({ length: count }, () => pick(random, DRAWS)(random, places));
  if (count > 0 && random.float() < 0.3) rules.push(crash(random, places));
  const owners = places.filter((place) => place.includes('#'));
  if (count > 0 && owners.length > 0) {
    const hit = pick(random, [crash, lostRenewals, lostRenewals, crash, undefined]);
    if (hit) rules.push(hit(random, owners));
  }
  return parseFaultPlan({ rules });
}
