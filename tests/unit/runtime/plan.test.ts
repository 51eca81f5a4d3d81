import { describe, expect, test } from 'vitest';
import {
  checkPlan,
  type ExecutorPorts,
  executePlan,
  type Plan,
  type PlanStep,
  type StepStatus,
} from '../../../agents/runtime/index.js';
import type { Manifest } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  callee: 'plc_v1.0',
  method: 'get',
  params: { device_id: 'PLC-007' },
  bind: {},
  depends_on: [],
  on_failure: 'stop',
  risk: 'low',
  effect_class: 'read',
  timeout_ms: 1_000,
  ...more,
});
const manifest: Manifest = {
  component: 'plc_v1.0',
  description: { zh: '控', en: 'c' },
  supported_mcp_versions: ['1.2'],
  ...{ may_speak_for_people: false, homes: [] },
  methods: [
    {
      name: 'get',
      version: '1.0.0',
      description: '',
      input_schema: { properties: { device_id: {}, note: {} }, required: ['device_id'], additionalProperties: false },
      output_schema: { properties: { status: {} } },
      side_effects: [],
      effect_class: 'read',
      risk: 'low',
      timeout_ms: 1_000,
      rollback: { none: 'reads' },
    },
  ],
};
const faults = (steps: PlanStep[]): string[] => {
  try {
    checkPlan({ steps }, (component) => (component === manifest.component ? manifest : undefined));
    return [];
  } catch (error) {
    return ((error as HermesError).data.fields ?? []).map(({ pointer, problem }) => `${pointer}: ${problem}`);
  }
};

describe('the contract check of a plan', () => {
  test('a good plan passes', () => {
    const when = "steps.a.result.status == 'OFFLINE'";
    expect(faults([step('a'), step('b', { depends_on: ['a'], when, bind: { '/note': 'steps.a.state' } })])).toEqual([]);
  });

  test('all faults are told at once, each at its place', () => {
    const found = faults([
      step('a', { method: 'erase' }),
      step('a', { params: {} }),
      step('B!', { params: { device_id: 'x', colour: 'red' }, depends_on: ['zz'] }),
      step('c', {
        depends_on: ['a'],
        when: 'steps.nobody.result.status == 1',
        bind: { '/note': 'steps.a.result.colour' },
      }),
      step('d', { when: "'x'.matches('(a+)+$')", bind: { '/note': '1 +' } }),
    ]);
    for (const place of [
      '/steps/0/method',
      '/steps/1/id',
      '/steps/1/params/device_id: missing',
      '/steps/2/id',
      '/steps/2/params/colour: unknown',
      '/steps/2/depends_on: no step zz',
      '/steps/3/when: no step nobody',
      '/steps/4/when: matches() is not allowed',
      '/steps/4/bind/note',
    ]) {
      expect(
        found.some((line) => line.startsWith(place)),
        `${place} in\n${found.join('\n')}`,
      ).toBe(true);
    }
  });

  test.each([
    ['a cycle', [step('a', { depends_on: ['b'] }), step('b', { depends_on: ['a'] })], /cycle/],
    ['a step that waits for itself', [step('a', { depends_on: ['a'] })], /cycle/],
    ['an unknown component', [step('a', { callee: 'other_v1.0' })], /no method/],
    [
      'a field that the result has not',
      [step('a'), step('b', { depends_on: ['a'], when: 'steps.a.result.colour == 1' })],
      /no field colour/,
    ],
    [
      'a step that is not waited for',
      [step('a'), step('b', { when: "steps.a.result.status == 'x'" })],
      /does not wait/,
    ],
    ['the same by index', [step('a'), step('b', { when: "steps['a'].result.status == 'x'" })], /does not wait/],
    ['the same in pieces', [step('a'), step('b', { when: "steps . a . result . status == 'x'" })], /does not wait/],
    [
      'a field by index',
      [step('a'), step('b', { depends_on: ['a'], when: "steps.a['result']['colour'] == 1" })],
      /no field colour/,
    ],
    [
      'a step whose name is computed',
      [step('a'), step('b', { depends_on: ['a'], when: "steps['' + 'a'].state == 'x'" })],
      /by name/,
    ],
    ['all steps at once', [step('a'), step('b', { depends_on: ['a'], when: 'size(steps) > 1' })], /by name/],
    ['matches behind a comment', [step('a', { when: "'x'.matches//\n('(a+)+$')" })], /matches/],
    ['matches as a function', [step('a', { when: "matches('x', '(a+)+$')" })], /matches/],
    ['an unknown variable', [step('a', { when: 'secrets.key == 1' })], /secrets/],
    ['65 steps', Array.from({ length: 65 }, (_, n) => step(`s${n}`)), /at most 64/],
  ])('%s is refused', (_what, steps, problem) => {
    expect(faults(steps as PlanStep[]).join('\n')).toMatch(problem as RegExp);
  });

  test('words of a text are not references', () => {
    const bind = { '/note': "'see steps.zz.result and matches(…)'" };
    expect(faults([step('a', { bind })])).toEqual([]);
  });
});

interface Ran {
  readonly log: string[];
  readonly states: Record<string, string>;
  readonly state: string;
  readonly failed?: string;
}

async function run(
  steps: PlanStep[],
  work: (step: PlanStep, n: number, clock: VirtualClock) => Promise<unknown> = async () => ({ status: 'OFFLINE' }),
  options: { known?: ReadonlyMap<string, StepStatus>; stopAt?: number; onStep?: ExecutorPorts['onStep'] } = {},
): Promise<Ran> {
  const clock = new VirtualClock();
  const log: string[] = [];
  const stop = new AbortController();
  if (options.stopAt !== undefined) {
    clock.timer(options.stopAt, () => stop.abort(new HermesError('cancelled', 'enough')));
  }
  const plan: Plan = { steps };
  const ports: ExecutorPorts = {
    runStep: async (one, _params, n) => {
      log.push(`+${one.id}${n > 1 ? `.${n}` : ''}`);
      await clock.sleep(10);
      const result = await work(one, n, clock);
      log.push(`-${one.id}`);
      return { result };
    },
    onStep: options.onStep ?? (async () => undefined),
    now: () => clock.now(),
  };
  const known = options.known ? { known: options.known } : {};
  const ran = await clock.run(
    executePlan(plan, ports, { signal: stop.signal, scope: { goal: {}, site: {} }, ...known }),
  );
  const states = Object.fromEntries([...ran.steps].map(([id, status]) => [id, status.state]));
  return { log, states, state: ran.state, ...(ran.failed ? { failed: ran.failed } : {}) };
}
const breaks =
  (...ids: string[]) =>
  async (one: PlanStep) => {
    if (ids.includes(one.id)) throw new HermesError('tool_failed', 'broken');
    return { status: 'OFFLINE' };
  };

describe('the executor', () => {
  test('independent steps run beside each other, dependent ones after', async () => {
    const { log, state } = await run([step('a'), step('b'), step('c', { depends_on: ['a', 'b'] })]);
    expect(log).toEqual(['+a', '+b', '-a', '-b', '+c', '-c']);
    expect(state).toBe('completed');
  });

  test('an unmet condition skips; what waited for a skipped step runs', async () => {
    const { log, states } = await run([
      step('a'),
      step('b', { depends_on: ['a'], when: "steps.a.result.status == 'ONLINE'" }),
      step('c', { depends_on: ['b'] }),
      step('d', { depends_on: ['b'], when: "steps.b.result.status == 'ONLINE'" }),
    ]);
    expect(log.filter((line) => line[0] === '+')).toEqual(['+a', '+c']);
    expect(states).toEqual({ a: 'completed', b: 'skipped', c: 'completed', d: 'skipped' });
  });

  test('stop: what runs settles, nothing new begins, the rest is cancelled', async () => {
    const slow = async (one: PlanStep, _n: number, clock: VirtualClock) => {
      if (one.id === 'b') await clock.sleep(500);
      return breaks('a')(one);
    };
    const { states, state, failed } = await run([step('a'), step('b'), step('c', { depends_on: ['b'] })], slow);
    expect(states).toEqual({ a: 'failed', b: 'completed', c: 'cancelled' });
    expect([state, failed]).toEqual(['failed', 'a']);
  });

  test('continue: the failed step is passed', async () => {
    const { states, state } = await run(
      [step('a', { on_failure: 'continue' }), step('b', { depends_on: ['a'], when: "steps.a.state == 'failed'" })],
      breaks('a'),
    );
    expect(states).toEqual({ a: 'failed', b: 'completed' });
    expect(state).toBe('completed');
  });

  test('a cancel starts nothing more', async () => {
    const { states, state } = await run([step('a'), step('b', { depends_on: ['a'] })], undefined, { stopAt: 5 });
    expect(states).toEqual({ a: 'completed', b: 'cancelled' });
    expect(state).toBe('cancelled');
  });

  test('it goes on from the statuses of an interrupted run, and does nothing again', async () => {
    const done: StepStatus = { state: 'completed', attempts: 1, result: { status: 'OFFLINE' } };
    const again: StepStatus = { state: 'pending', attempts: 2 };
    const known = new Map([
      ['a', done],
      ['b', again],
    ]);
    const when = "steps.a.result.status == 'OFFLINE'";
    const { log, states } = await run(
      [step('a'), step('b', { depends_on: ['a'], when }), step('c', { depends_on: ['b'] })],
      undefined,
      { known },
    );
    expect(log.filter((line) => line[0] === '+')).toEqual(['+b.2', '+c']);
    expect(states).toEqual({ a: 'completed', b: 'completed', c: 'completed' });
  });

  test('a known failure ends the plan again, and what ended is left as it is', async () => {
    const failedBefore: StepStatus = { state: 'failed', attempts: 1 };
    const { log, state, failed, states } = await run([step('a'), step('b')], undefined, {
      known: new Map([['a', failedBefore]]),
    });
    expect([log, state, failed, states.b]).toEqual([[], 'failed', 'a', 'cancelled']);
  });

  test('a failure that says it was not done is done once more, under the next number, and no more', async () => {
    const lost = async () => {
      throw new HermesError('tool_failed', 'lost', { not_done: true });
    };
    const { log, states } = await run([step('a')], lost);
    expect(log).toEqual(['+a', '+a.2']);
    expect(states.a).toBe('failed');
  });

  test('P9: the end of a step is on the record before anything that waits for it begins', async () => {
    const clock = new VirtualClock();
    const recorded: string[] = [];
    const early: string[] = [];
    const plan = { steps: [step('a'), step('x'), step('b', { depends_on: ['a'] })] };
    const ports: ExecutorPorts = {
      runStep: async (one) => {
        if (one.id === 'b' && !recorded.includes('a')) early.push('b before the record of a');
        await clock.sleep(one.id === 'a' ? 10 : 15);
        return { result: {} };
      },
      onStep: async (one, { state }) => {
        await clock.sleep(50);
        if (state === 'completed') recorded.push(one.id);
      },
      now: () => clock.now(),
    };
    await clock.run(executePlan(plan, ports, { signal: new AbortController().signal, scope: { goal: {}, site: {} } }));
    expect(early).toEqual([]);
  });

  test('when the record cannot be written, what runs settles before the run is given up', async () => {
    const ended: string[] = [];
    const broken = run(
      [step('a'), step('b')],
      async (one, _n, clock) => {
        if (one.id === 'b') await clock.sleep(500);
        ended.push(one.id);
      },
      {
        onStep: async (one, { state }) => {
          if (one.id === 'a' && state !== 'running') throw new HermesError('log_unavailable', 'the disk is full');
        },
      },
    );
    await expect(broken).rejects.toMatchObject({ reason: 'log_unavailable' });
    expect(ended).toEqual(['a', 'b']);
  });

  test('a parameter that cannot be bound fails its step, nothing else', async () => {
    const { states } = await run([
      step('a'),
      step('b', { depends_on: ['a'], bind: { '/note': 'steps.a.result.gone' } }),
    ]);
    expect(states).toEqual({ a: 'completed', b: 'failed' });
  });
});
