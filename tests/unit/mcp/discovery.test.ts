import { describe, expect, test } from 'vitest';
import { createDiscovery } from '../../../mcp/index.js';
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
});
