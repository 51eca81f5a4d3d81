import type { AcceptedGoal, Agent, Device, Goal, Trace } from './contract.js';
import { Problem, problemFrom } from './problem.js';

export interface Api {
  submitGoal(text: string, sessionId: string | undefined, idempotencyKey: string): Promise<AcceptedGoal>;
  /** Says something in a session: answers its prompt, amends or starts a goal. */
  say(sessionId: string, text: string): Promise<{ readonly goal_id?: string }>;
  goal(id: string): Promise<Goal>;
  goals(): Promise<readonly Goal[]>;
  cancelGoal(id: string): Promise<void>;
  decide(approvalId: string, decision: 'approve' | 'reject', comment: string): Promise<void>;
  trace(id: string): Promise<Trace>;
  agents(): Promise<readonly Agent[]>;
  devices(): Promise<readonly Device[]>;
  device(id: string): Promise<Device>;
  /** Opens a goal's events after `lastEventId`. */
  events(goalId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
}

const part = encodeURIComponent;

/** Paths are relative to the page, so that it also works behind a prefix. */
const address = (path: string): string => new URL(path, document.baseURI).href;

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!/json/.test(response.headers.get('content-type') ?? '')) return undefined;
  return text === '' ? undefined : JSON.parse(text);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address(path), { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, 'unreachable');
  }
}

async function refused(response: Response): Promise<Problem> {
  const body = await bodyOf(response).catch(() => undefined);
  return problemFrom(response.status, response.statusText, body, response.headers.get('retry-after'));
}

/** A list, bare or under its name. */
function listOf<Item>(body: unknown, name: string): readonly Item[] {
  if (Array.isArray(body)) return body as Item[];
  const inner = (body as Record<string, unknown> | undefined)?.[name];
  return Array.isArray(inner) ? (inner as Item[]) : [];
}

/**
 * `onLocked` is told of every 401.
 *
 * @throws Problem on every refusal, and with status 0 when the coordinator does not answer.
 */
export function createApi(token: () => string | undefined, onLocked: () => void): Api {
  const check = async (response: Response): Promise<Response> => {
    if (response.status === 401) onLocked();
    if (!response.ok) throw await refused(response);
    return response;
  };
  const headers = (more: Record<string, string>): Record<string, string> => {
    const held = token();
    return held ? { ...more, authorization: `Bearer ${held}` } : more;
  };
  const get = async (path: string): Promise<unknown> => {
    return bodyOf(await check(await send(path, { headers: headers({ accept: 'application/json' }) })));
  };
  const post = async (path: string, body: unknown, more: Record<string, string> = {}): Promise<unknown> => {
    const response = await send(path, {
      method: 'POST',
      headers: headers({ accept: 'application/json', 'content-type': 'application/json', ...more }),
      body: JSON.stringify(body),
    });
    return bodyOf(await check(response));
  };
  return {
    submitGoal: async (text, sessionId, key) =>
      (await post('v1/goals', sessionId ? { goal: text, session_id: sessionId } : { goal: text }, {
        'idempotency-key': key,
      })) as AcceptedGoal,
    say: async (sessionId, text) =>
      ((await post(`v1/sessions/${part(sessionId)}/messages`, { text })) ?? {}) as { goal_id?: string },
    goal: async (id) => (await get(`v1/goals/${part(id)}`)) as Goal,
    goals: async () => listOf<Goal>(await get('v1/goals'), 'goals'),
    cancelGoal: async (id) => void (await post(`v1/goals/${part(id)}/cancel`, {})),
    decide: async (id, decision, comment) => void (await post(`v1/approvals/${part(id)}`, { decision, comment })),
    trace: async (id) => (await get(`v1/traces/${part(id)}`)) as Trace,
    agents: async () => listOf<Agent>(await get('v1/agents'), 'agents'),
    devices: async () => listOf<Device>(await get('v1/devices'), 'devices'),
    device: async (id) => (await get(`v1/devices/${part(id)}`)) as Device,
    async events(goalId, lastEventId, signal) {
      const more: Record<string, string> = { accept: 'text/event-stream' };
      if (lastEventId !== undefined) more['last-event-id'] = lastEventId;
      return check(await send(`v1/goals/${part(goalId)}/events`, { headers: headers(more), signal }));
    },
  };
}
