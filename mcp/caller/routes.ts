import { type ComponentId, parseComponentId } from '../protocol/component-id.js';
import type { CallSpec } from './call-spec.js';

/** What is the same for every call of one method: made once, not once a call. */
export interface Route {
  readonly callee: ComponentId;
  readonly labels: Readonly<Record<string, string>>;
  readonly ok: Readonly<Record<string, string>>;
}

/** Callees and methods are a closed set of a site; a caller that makes names up gets no memory for them. */
const ROUTES = 10_000;

export interface Routes {
  /** @throws HermesError `invalid_params` for a callee that is no component id. */
  of(spec: CallSpec): Route;
}

export function createRoutes(): Routes {
  const routes = new Map<string, Map<string, Route>>();
  let count = 0;
  return {
    of({ callee, method }) {
      const known = routes.get(callee)?.get(method);
      if (known) return known;
      const labels = { callee, method };
      const route: Route = { callee: parseComponentId(callee), labels, ok: { ...labels, result: 'ok' } };
      if (count >= ROUTES) return route;
      count++;
      const methods = routes.get(callee) ?? new Map<string, Route>();
      methods.set(method, route);
      routes.set(callee, methods);
      return route;
    },
  };
}
