import { type ComponentId, parseComponentId } from '../protocol/component-id.js';
import { createPairMemo, type PairMemo } from './pair-memo.js';

/** What is the same for every call of one method: made once, not once a call. */
export interface Route {
  readonly callee: ComponentId;
  readonly labels: Readonly<Record<string, string>>;
  readonly ok: Readonly<Record<string, string>>;
}

/** By callee and method. @throws HermesError `invalid_params` for a callee that is no component id. */
export const createRoutes = (): PairMemo<Route> =>
  createPairMemo((callee, method) => {
    const labels = { callee, method };
    return { callee: parseComponentId(callee), labels, ok: { ...labels, result: 'ok' } };
  });
