import fc from 'fast-check';
import { expect, test } from 'vitest';
import { executePlan, isSettled, type PlanStep, type StepStatus } from '../../agents/runtime/index.js';
import { satisfies } from '../../agents/runtime/plan/index.js';
import { HermesError } from '../../shared/errors.js';
import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';

interface Node {
  readonly waitsFor: readonly number[];
  readonly fate: 'done' | 'fails' | 'not_done' | 'unknown';
  readonly goesOn: boolean;
  readonly when?: string;
}

const node = fc.record({
  waitsFor: fc.array(fc.nat(20), { maxLength: 3 }),
  fate: fc.constantFrom('done', 'done', 'done', 'fails', 'not_done', 'unknown' as const),
  goesOn: fc.boolean(),
  met: fc.constantFrom(undefined, undefined, true, false),
});
/** Steps wait for earlier ones only, so there is no cycle. */
const graph = fc.array(node, { minLength: 1, maxLength: 12 }).map((nodes) =>
  nodes.map(
    ({ waitsFor, fate, goesOn, met }, index): Node => ({
      waitsFor: index === 0 ? [] : [...new Set(waitsFor.map((n) => n % index))],
      fate,
      goesOn,
      ...(met === undefined ? {} : { when: String(met) }),
    }),
  ),
);

const stepsOf = (nodes: readonly Node[]): PlanStep[] =>
  nodes.map((one, index) => ({
    id: `s${index}`,
    callee: 'a_v1.0',
    method: 'm',
    params: {},
    bind: {},
    ...(one.when ? { when: one.when } : {}),
    depends_on: one.waitsFor.map((n) => `s${n}`),
    on_failure: one.goesOn ? 'continue' : 'stop',
    risk: 'low',
    effect_class: 'read',
    timeout_ms: 1,
  }));

async function play(
  nodes: readonly Node[],
  seed: number,
  how: { stopAt?: number; dieAt?: number; known?: ReadonlyMap<string, StepStatus> } = {},
) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const steps = stepsOf(nodes);
  const recorded = new Map<string, StepStatus>(how.known);
  const begun: string[] = [];
  const stop = new AbortController();
  let alive = true;
  if (how.stopAt !== undefined) clock.timer(how.stopAt, () => stop.abort(new HermesError('cancelled', 'stop')));
  const dead = new Promise<'dead'>((resolve) => {
    if (how.dieAt === undefined) return;
    clock.timer(how.dieAt, () => {
      alive = false;
      resolve('dead');
    });
  });
  const running = executePlan(
    { steps },
    {
      async runStep(step, _params, n) {
        begun.push(`${step.id}.${n}`);
        for (const id of step.depends_on) {
          const other = steps.find((one) => one.id === id) as PlanStep;
          expect(satisfies(other, recorded.get(id) as StepStatus), `${step.id} before ${id}`).toBe(true);
        }
        expect(step.when, `${step.id} ran though its condition is not met`).not.toBe('false');
        await clock.sleep(random.int(20));
        const fate = nodes[Number(step.id.slice(1))]?.fate;
        if (fate === 'fails') throw new HermesError('tool_failed', 'broken');
        if (fate === 'unknown') throw new HermesError('outcome_unknown', 'who knows', { outcome: 'unknown' });
        if (fate === 'not_done' && n === 1) throw new HermesError('tool_failed', 'lost', { not_done: true });
        return { result: { ok: true } };
      },
      async onStep(step, status) {
        await clock.sleep(random.int(5));
        if (alive) recorded.set(step.id, status);
      },
      now: () => clock.now(),
    },
    { signal: stop.signal, scope: { goal: {}, site: {} }, ...(how.known ? { known: how.known } : {}) },
  );
  const ran = await clock.run(Promise.race([running, dead]), 60_000);
  return { ran, begun, recorded, steps };
}

test('whatever the plan, no step runs before what it waits for, every step ends, and the run ends', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.integer(), fc.option(fc.nat(100), { nil: undefined }), async (nodes, seed, stopAt) => {
      const { ran, begun, recorded } = await play(nodes, seed, stopAt === undefined ? {} : { stopAt });
      if (ran === 'dead') throw new Error('it did not die');
      for (const [id, status] of ran.steps) {
        expect(isSettled(status), id).toBe(true);
        expect(recorded.get(id)?.state, id).toBe(status.state);
      }
      expect(new Set(begun).size).toBe(begun.length);
      const stopping = nodes.some((one, index) => {
        const state = ran.steps.get(`s${index}`)?.state;
        return !one.goesOn && (state === 'failed' || state === 'unknown');
      });
      expect(ran.state === 'failed').toBe(stopping);
      if (ran.state === 'completed') {
        expect([...ran.steps.values()].some(({ state }) => state === 'cancelled')).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
});

test('P9: a run that dies anywhere goes on from what is recorded and ends as if it had not died', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.integer(), fc.nat(80), async (nodes, seed, dieAt) => {
      const whole = await play(nodes, seed);
      const first = await play(nodes, seed, { dieAt });
      if (first.ran !== 'dead') return;
      const known = new Map(
        [...first.recorded].map(([id, status]) => [
          id,
          status.state === 'running' ? { ...status, state: 'pending' as const } : status,
        ]),
      );
      const second = await play(nodes, seed + 1, { known });
      if (second.ran === 'dead' || whole.ran === 'dead') throw new Error('it did not die');
      for (const [id, status] of known) {
        if (isSettled(status))
          expect(
            second.begun.filter((line) => line.startsWith(`${id}.`)),
            id,
          ).toEqual([]);
      }
      if (whole.ran.state !== 'completed') return;
      const states = (steps: ReadonlyMap<string, StepStatus>) => [...steps].map(([id, { state }]) => [id, state]);
      expect(states(second.ran.steps)).toEqual(states(whole.ran.steps));
    }),
    { numRuns: 300 },
  );
});
