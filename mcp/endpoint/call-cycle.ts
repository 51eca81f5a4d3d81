import { HermesError } from '../../shared/errors.js';
import { componentName, parseComponentId } from '../protocol/component-id.js';
import type { Request } from '../protocol/envelope.js';
import { parseTraceparent } from '../protocol/trace-context.js';

/** A call that is open here. */
export interface OpenedCall {
  readonly request: Request;
  readonly key: string | undefined;
  /** Only what has begun can have called anybody. */
  readonly isRunning: boolean;
}

/**
 * Whether the component stands in the chain, its own call to itself included: the one case that needs a closer look.
 * @throws HermesError `invalid_params` for what is no component.
 */
export const comesBack = (chain: readonly string[], self: string): boolean =>
  chain.some((id) => parseComponentId(id).name === self);

/**
 * A call that comes back to a component is a cycle when one of those that led to it is open here about the same key:
 * it would wait behind itself. Calls without a key count as the same key. About another key it is lawful. Not open here
 * is what another instance serves: that has another key, since an owner has all calls about its own.
 * A component that asks another instance of its own has its key, if it has one, at most once.
 * @throws HermesError `call_cycle`.
 */
export function checkCycle(request: Request, key: string | undefined, self: string, open: Iterable<OpenedCall>): void {
  const { chain } = request;
  const asksItself = componentName(request.caller) === self;
  const before = asksItself ? chain.slice(0, -1) : chain;
  if (key === undefined && comesBack(before, self)) throw cycle(request, self);
  for (const call of open) {
    if (!call.isRunning || !ledTo(call.request, request, self)) continue;
    const isLast = asksItself && call.request.chain.length === before.length;
    if (key === call.key ? key !== undefined || !isLast : call.key === undefined && !isLast) throw cycle(request, self);
  }
}

/** A call's own chain, and then its component, is how the chains of all calls begin that it leads to. */
function ledTo(earlier: Request, later: Request, self: string): boolean {
  const { length } = earlier.chain;
  const next = later.chain[length];
  if (next === undefined || componentName(next) !== self) return false;
  if (earlier.step_id !== undefined && later.step_id !== undefined && earlier.step_id !== later.step_id) return false;
  // Who is called without a trace begins one for what it calls.
  const trace = traceOf(earlier);
  const isOne = trace === undefined || trace === traceOf(later);
  return isOne && earlier.chain.every((id, at) => later.chain[at] === id);
}

const traceOf = ({ traceparent }: Request): string | undefined => parseTraceparent(traceparent)?.trace_id;

const cycle = ({ chain }: Request, self: string): HermesError =>
  new HermesError('call_cycle', `${self} is in the chain already, with this key`, { chain });
