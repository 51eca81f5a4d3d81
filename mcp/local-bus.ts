import { HermesError } from '../shared/errors.js';
import { type AllowList, checkAllowed } from './endpoint/allow-list.js';
import type { ServedCall } from './endpoint/received-call.js';
import { componentName } from './protocol/component-id.js';
import type { Request } from './protocol/envelope.js';

/**
 * The bus inside one agent: the same envelope, allow-list, deadline and journal as between agents, and no
 * serialisation. A tool is a component here: `tool_call_request` goes to `<tool>_v<major>.<minor>`.
 */
export interface LocalBus {
  register(tool: string, allow: AllowList, serve: (call: ServedCall) => Promise<unknown>): void;
  /** Sends a call on to a tool as a `tool_call_request` under the same request id. */
  call(from: string, tool: string, call: ServedCall): Promise<unknown>;
}

/** What an observer (the journal) is told of each local call. */
export interface LocalCall {
  readonly request: Request;
  readonly ms: number;
  readonly result?: unknown;
  readonly error?: HermesError;
}

export interface LocalBusOptions {
  readonly monotonic: () => number;
  readonly observe?: (call: LocalCall) => void;
  /** Told when the observer throws; the call ends as it ended. */
  readonly onObserverError?: (thrown: unknown) => void;
}

export function createLocalBus(options: LocalBusOptions): LocalBus {
  const tools = new Map<string, { allow: AllowList; serve: (call: ServedCall) => Promise<unknown> }>();
  const observed = (call: LocalCall): void => {
    try {
      options.observe?.(call);
    } catch (thrown) {
      options.onObserverError?.(thrown);
    }
  };
  return {
    register(tool, allow, serve) {
      tools.set(componentName(tool), { allow, serve });
    },
    async call(from, tool, call) {
      const entry = tools.get(componentName(tool));
      if (!entry) throw new HermesError('unknown_method', `no tool ${tool} in this agent`);
      checkAllowed(entry.allow, call.request.method, componentName(from));
      call.deadline.check(false);
      const request: Request = { ...call.request, kind: 'tool_call_request', caller: from, callee: tool };
      const began = options.monotonic();
      try {
        const result = await entry.serve({ ...call, request });
        observed({ request, ms: options.monotonic() - began, result });
        return result;
      } catch (error) {
        const known = error instanceof HermesError ? { error } : {};
        observed({ request, ms: options.monotonic() - began, ...known });
        throw error;
      }
    },
  };
}
