import { HermesError, toHermesError } from '../../shared/errors.js';
import { createLruMap } from '../lru-map.js';
import { componentName } from '../protocol/component-id.js';
import type { Response } from '../protocol/envelope.js';
import {
  admitCall,
  type BreakerState,
  type CallEnd,
  CLOSED,
  callEnded,
  endOf,
  OPEN_MS,
  probeEnded,
  warned,
} from './breaker.js';
import type { CallSpec } from './call-spec.js';
import { createPairMemo } from './pair-memo.js';
import { createResponseCache, type ResponseCache } from './response-cache.js';

/** Circuits of one method that are remembered; one that was long unused is as good as closed. */
const CIRCUITS = 1_000;
/** A call that names no time-out of its method counts against the callee only if it had this long. */
const UNKNOWN_TIMEOUT_MS = 1_000;

export interface CircuitDeps {
  readonly monotonic: () => number;
  readonly now: () => number;
  /** Tells others: `circuit.state_changed`. */
  readonly changed: (data: Readonly<Record<string, unknown>>) => void;
  /** One delivery of the probe. @throws HermesError as a call does. */
  readonly probe: (spec: CallSpec) => Promise<unknown>;
}

/** The outermost policy of a call: breaker( retry( attempt ) ). */
export interface Circuits {
  /**
   * Runs the call if its circuit lets it. While the circuit is open: the last good result of a read, else
   * `circuit_open` at once. One probe at a time tries an open circuit.
   */
  guard(spec: CallSpec, call: (circuit: Circuit) => Promise<Response>): Promise<Response>;
  /** Somebody says that this component is degraded: its next calls probe first. */
  warn(component: string): void;
}

export interface Circuit {
  /** Further attempts of calls that began before are not worth it. */
  readonly isOpen: boolean;
}

interface Entry {
  readonly callee: string;
  readonly method: string;
  readonly key: string | undefined;
  state: BreakerState;
  readonly cache: ResponseCache;
  readonly isOpen: boolean;
}

export function createCircuits(deps: CircuitDeps): Circuits {
  const { monotonic } = deps;
  const methods = createPairMemo(() => createLruMap<Entry>(CIRCUITS));

  const of = ({ callee, method, key }: CallSpec): Entry => {
    const entries = methods.of(callee, method);
    const known = entries.get(key ?? '');
    if (known) return known;
    const entry: Entry = {
      callee,
      method,
      key,
      state: CLOSED,
      cache: createResponseCache(),
      get isOpen() {
        return this.state.kind === 'open';
      },
    };
    entries.set(key ?? '', entry);
    return entry;
  };

  const move = (entry: Entry, state: BreakerState): void => {
    const before = told(entry.state);
    entry.state = state;
    const after = told(state);
    if (before === after) return;
    const { callee, method, key } = entry;
    deps.changed({ callee, method, ...(key === undefined ? {} : { key }), state: after });
  };

  const refused = (entry: Entry, spec: CallSpec): Response => {
    const cached = entry.cache.find(spec);
    if (cached) return cached;
    const since = entry.state.kind === 'open' ? entry.state.since : monotonic();
    throw new HermesError('circuit_open', `${spec.callee} has not answered ${spec.method} lately`, {
      started: false,
      callee: spec.callee,
      method: spec.method,
      retry_after_ms: Math.max(0, Math.round(since + OPEN_MS - monotonic())),
    });
  };

  /** True when the callee answers again; then the call itself may follow. */
  const probed = async (entry: Entry, spec: CallSpec): Promise<boolean> => {
    let end: CallEnd = 'answered';
    try {
      await deps.probe(probeOf(spec, deps.now()));
    } catch (thrown) {
      end = endOf(toHermesError(thrown), true);
    }
    move(entry, probeEnded(entry.state, end, monotonic()));
    return end === 'answered';
  };

  const passed = async (
    entry: Entry,
    spec: CallSpec,
    call: (circuit: Circuit) => Promise<Response>,
    after: (state: BreakerState, end: CallEnd, now: number) => BreakerState,
  ): Promise<Response> => {
    const given = spec.deadlineAt - deps.now();
    try {
      const response = await call(entry);
      if (entry.state !== CLOSED) move(entry, after(entry.state, 'answered', monotonic()));
      entry.cache.keep(spec, response, deps.now());
      return response;
    } catch (thrown) {
      const hadTime = given >= (spec.timeoutMs ?? UNKNOWN_TIMEOUT_MS);
      move(entry, after(entry.state, endOf(toHermesError(thrown), hadTime), monotonic()));
      throw thrown;
    }
  };

  /** For a circuit that is not closed. */
  const guarded = async (
    entry: Entry,
    spec: CallSpec,
    call: (circuit: Circuit) => Promise<Response>,
  ): Promise<Response> => {
    const { state, verdict } = admitCall(entry.state, monotonic());
    if (verdict === 'pass') return passed(entry, spec, call, callEnded);
    move(entry, state);
    if (verdict === 'refuse') return refused(entry, spec);
    if (spec.reads === true && !spec.probe) return passed(entry, spec, call, probeEnded);
    if (await probed(entry, spec)) return passed(entry, spec, call, callEnded);
    return refused(entry, spec);
  };

  return {
    guard(spec, call) {
      const entry = of(spec);
      return entry.state === CLOSED ? passed(entry, spec, call, callEnded) : guarded(entry, spec, call);
    },
    warn(component) {
      for (const entries of methods.values()) {
        for (const entry of entries.values()) {
          if (componentName(entry.callee) === component) entry.state = warned(entry.state);
        }
      }
    },
  };
}

/** Three states are told; what others said is nobody's news. */
function told(state: BreakerState): 'closed' | 'open' | 'half_open' {
  if (state.kind === 'open') return 'open';
  return state.kind === 'probing' && !state.suspect ? 'half_open' : 'closed';
}

/** The method's declared read, else `health`; as long as the method itself may take. */
function probeOf(spec: CallSpec, now: number): CallSpec {
  const { callee, principal, chain, key, timeoutMs = UNKNOWN_TIMEOUT_MS, signal } = spec;
  return {
    callee,
    ...(spec.probe ?? { method: 'health', params: {} }),
    deadlineAt: Math.min(spec.deadlineAt, now + timeoutMs),
    ...(principal ? { principal } : {}),
    ...(chain ? { chain } : {}),
    ...(key === undefined ? {} : { key }),
    ...(signal ? { signal } : {}),
  };
}
