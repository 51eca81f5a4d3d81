import { describe, expect, test } from 'vitest';
import { createDiscovery } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { mcpBench } from '../../support/mcp-bench.js';

const manifest = (component: string) => ({
  component,
  description: { zh: '工', en: 'worker' },
  supported_mcp_versions: ['1.2'],
  methods: [],
});

async function bench(announces: unknown) {
  const made = mcpBench();
  const { liveness } = made.connect('coordinator');
  const caller = made.caller('coordinator_v1.0');
  const discovery = createDiscovery(
    { caller, liveness, logger: silentLogger(), clock: made.clock },
    { self: 'coordinator' },
  );
  await made.serve('worker_v1.0', async () => announces);
  await made.clock.advance(6_000);
  return { ...made, discovery };
}

describe('discovery', () => {
  test('knows what an agent says of itself, and who is missing', async () => {
    const { discovery, clock } = await bench(manifest('worker_v1.0'));
    expect(discovery.manifest('worker')?.component).toBe('worker_v1.0');
    await clock.run(discovery.waitFor(['worker'], clock.now()));
    await expect(clock.run(discovery.waitFor(['worker', 'other'], clock.now() + 100))).rejects.toMatchObject({
      reason: 'no_worker',
      message: expect.stringContaining('other'),
    });
  });

  test.each([
    ['another component’s name', manifest('plc_controller_v1.2')],
    ['no component id', manifest('worker')],
    ['nothing', undefined],
    ['half a manifest', { component: 'worker_v1.0' }],
  ])('a manifest with %s is not believed', async (what, announces) => {
    const { discovery } = await bench(announces);
    if (what !== 'no component id') expect(discovery.manifests()).toEqual([]);
    expect(discovery.manifest('plc_controller')).toBeUndefined();
  });

  test('in a rolling upgrade what every version can do counts, until the old one takes no more calls', async () => {
    const made = mcpBench();
    const { clock } = made;
    const serve = async (version: string, instance: string) => {
      const component = `worker_v${version}`;
      await made.serveAs(component, instance, async () => manifest(component), { present: false });
      const member = { component: 'worker', instance, version, since: 0, state: 'ready' } as const;
      return clock.run(made.connect('worker').liveness.join(member));
    };
    const { liveness } = made.connect('coordinator');
    const discovery = createDiscovery(
      { caller: made.caller('coordinator_v1.0'), liveness, logger: silentLogger(), clock },
      { self: 'coordinator' },
    );
    const counts = () => discovery.manifest('worker')?.component;
    const old = await serve('1.9', 'worker-00000001');
    await clock.advance(1_000);
    expect(counts()).toBe('worker_v1.9');
    await serve('1.10', 'worker-00000002');
    await clock.advance(1_000);
    expect(counts()).toBe('worker_v1.9');
    await clock.run(old.update('draining'));
    await clock.advance(1_000);
    expect(counts()).toBe('worker_v1.10');
    await clock.run(old.leave());
    await clock.advance(1_000);
    expect(counts()).toBe('worker_v1.10');
  });

  /** A worker that answers `describe` from the nth time on; when it was asked, in seconds. */
  async function reluctant(answersAt: number) {
    const made = mcpBench();
    const { liveness } = made.connect('coordinator');
    const { clock } = made;
    const discovery = createDiscovery(
      { caller: made.caller('coordinator_v1.0'), liveness, logger: silentLogger(), clock },
      { self: 'coordinator' },
    );
    const asked: number[] = [];
    const began = clock.now();
    const work = async () => {
      asked.push(Math.round((clock.now() - began) / 1_000));
      if (asked.length < answersAt) throw new HermesError('tool_failed', 'not today');
      return manifest('worker_v1.0');
    };
    await made.serve('worker_v1.0', work, { present: false });
    const member = {
      component: 'worker',
      instance: 'worker-00000001',
      version: '1.0',
      since: 0,
      state: 'ready',
    } as const;
    const membership = await clock.run(made.connect('worker').liveness.join(member));
    return { clock, discovery, asked, membership };
  }

  test('asks again who did not answer, with back-off, until it knows', async () => {
    const { clock, discovery, asked } = await reluctant(9);
    await clock.advance(120_000);
    expect(asked).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
    expect(discovery.manifest('worker')).toBeUndefined();
    await clock.advance(10_000);
    expect(discovery.manifest('worker')?.component).toBe('worker_v1.0');
    await clock.advance(120_000);
    expect(asked).toHaveLength(9);
  });

  test('asks nobody who has gone', async () => {
    const { clock, asked, membership } = await reluctant(99);
    await clock.advance(5_000);
    expect(asked).toEqual([0, 1, 3]);
    await clock.run(membership.leave());
    await clock.advance(100_000);
    expect(asked).toHaveLength(3);
  });

  test('a change of state asks at once, and the wait begins anew', async () => {
    const { clock, asked, membership } = await reluctant(99);
    await clock.advance(4_000);
    await clock.run(membership.update('degraded'));
    await clock.advance(4_500);
    expect(asked).toEqual([0, 1, 3, 4, 5, 7]);
  });

  test('asks nobody after stop', async () => {
    const { clock, discovery, asked } = await reluctant(99);
    await clock.advance(1_500);
    discovery.stop();
    await clock.advance(100_000);
    expect(asked).toEqual([0, 1]);
  });
});
