import { describe, expect, test } from 'vitest';
import { createLocalBus, type Request, type ServedCall, Stages } from '../../../mcp/index.js';
import { openDeadline } from '../../../shared/deadline.js';
import { HermesError } from '../../../shared/errors.js';
import { mcpBench } from '../../support/mcp-bench.js';

function bench() {
  const { clock, request } = mcpBench();
  const told: unknown[] = [];
  const local = createLocalBus({
    monotonic: () => clock.monotonic(),
    observe() {
      throw new Error('the observer fell over');
    },
    onObserverError: (thrown) => told.push(thrown),
  });
  const served: ServedCall = {
    request: { ...request(), params: {} } as unknown as Request,
    deadline: openDeadline(clock, clock.now() + 5_000),
    stages: new Stages(clock, 'worker_v1.0'),
  };
  const call = (work: () => Promise<unknown>): Promise<unknown> => {
    local.register('set_value_v1.0', { '*': ['worker'] }, work);
    return clock.run(local.call('worker_v1.0', 'set_value_v1.0', served));
  };
  return { call, told };
}

describe('an observer that throws', () => {
  test('does not turn a success into a failure, and its error is told', async () => {
    const { call, told } = bench();
    expect(await call(async () => 'written')).toBe('written');
    expect(told).toEqual([new Error('the observer fell over')]);
  });

  test('does not hide the error of the call', async () => {
    const { call, told } = bench();
    const failed = call(async () => {
      throw new HermesError('tool_failed', 'the device is busy');
    });
    await expect(failed).rejects.toMatchObject({ reason: 'tool_failed' });
    expect(told).toHaveLength(1);
  });
});
