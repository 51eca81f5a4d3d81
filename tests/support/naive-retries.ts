import type { Caller, CallResult, CallSpec } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';

/**
 * The mechanism taken out: every component retries by itself on top of its caller, at once, without budget or breaker,
 * under a new request id each time. What each layer multiplies by, for the table in docs/retries.md.
 */
export function naiveRetries(caller: Caller, tries: number): Pick<Caller, 'call'> {
  let keys = 0;
  return {
    async call(spec: CallSpec): Promise<CallResult> {
      for (let n = 1; ; n++) {
        try {
          // A key of its own: no circuit ever sees two of them.
          const key = `${keys++}`;
          return await caller.call({ key, ...spec, retry: { ...spec.retry, max_attempts: 1 } });
        } catch (thrown) {
          if (n >= tries || !(thrown instanceof HermesError) || thrown.code !== 408) throw thrown;
        }
      }
    },
  };
}
