import type { CallSpec } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { mcpBench } from './mcp-bench.js';

/** An MCP bench with one caller, `coordinator_v1.0`, that calls `work` of `worker_v1.0`. */
export function callBench(seed = 1) {
  const made = mcpBench(seed);
  const caller = made.caller('coordinator_v1.0');
  const spec = (more: Partial<CallSpec> = {}): CallSpec => ({
    callee: 'worker_v1.0',
    method: 'work',
    params: {},
    deadlineAt: made.clock.now() + 10_000,
    ...more,
  });
  const call = (more: Partial<CallSpec> = {}) => made.clock.run(caller.call(spec(more)));
  const fails = async (more: Partial<CallSpec> = {}): Promise<HermesError> => {
    const thrown: unknown = await call(more).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (thrown instanceof HermesError) return thrown;
    throw new Error(`expected a HermesError, got ${String(thrown)}`);
  };
  return { ...made, callerOf: made.caller, caller, spec, call, fails };
}
