import { type FieldProblem, HermesError, REASONS, type Reason } from '../shared/errors.js';

/** Asks a running Hermes over HTTP and turns problem documents back into errors. */
export interface HttpClient {
  get<T>(path: string): Promise<T>;
  /** The body as it is. */
  bytes(path: string): Promise<Uint8Array>;
  send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** The body of what a POST answers, piece by piece. */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** Server-Sent Events as they come. */
  events(path: string): AsyncIterable<Record<string, unknown>>;
}

/** @param headers go with every request. */
export function createHttpClient(base: string, headers: Readonly<Record<string, string>> = {}): HttpClient {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(new URL(path, base), { ...init, headers: { ...headers, ...init.headers } });
    } catch (cause) {
      throw new HermesError(
        'no_worker',
        `nothing answers at ${base}`,
        { suggestion: 'start it: npm start (or hermes up)' },
        { cause },
      );
    }
    if (response.ok) return response;
    throw await problemOf(response);
  };
  const json = async <T>(response: Response): Promise<T> =>
    (response.status === 204 ? undefined : await response.json()) as T;
  return {
    get: async (path) => json(await ask(path, {})),
    bytes: async (path) => new Uint8Array(await (await ask(path, {})).arrayBuffer()),
    send: async (method, path, body) => {
      const content =
        body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return json(await ask(path, { method, ...content }));
    },
    async stream(path) {
      const { body } = await ask(path, { method: 'POST' });
      if (body) return whole(path, body);
      throw new HermesError('no_worker', `${path} answered without a body`);
    },
    async *events(path) {
      const response = await ask(path, { headers: { accept: 'text/event-stream' } });
      let buffered = '';
      for await (const chunk of unbroken(path, response.body?.pipeThrough(new TextDecoderStream()))) {
        buffered += chunk;
        const blocks = buffered.split('\n\n');
        buffered = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = block.split('\n').filter((line) => line.startsWith('data:'));
          if (data.length > 0)
            yield JSON.parse(data.map((line) => line.slice(5)).join('\n')) as Record<string, unknown>;
        }
      }
    },
  };
}

/** A body that breaks off is no body. */
async function* whole(path: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    const suggestion = 'see the log of the coordinator, and ask again';
    throw new HermesError('log_unavailable', `the answer to ${path} broke off`, { suggestion }, { cause });
  }
}

/** A stream that breaks off is told as such, with what to do. */
async function* unbroken(path: string, stream: AsyncIterable<string> | undefined): AsyncGenerator<string> {
  try {
    if (stream) yield* stream;
  } catch (cause) {
    const ofGoal = path.startsWith('/v1/goals/');
    const message = ofGoal ? 'the connection ended before the goal did' : 'the connection has ended';
    const suggestion = ofGoal
      ? 'the goal goes on when Hermes runs again; list it: curl <url>/v1/goals'
      : 'follow again when Hermes runs again';
    throw new HermesError('no_worker', message, { suggestion }, { cause });
  }
}

async function problemOf(response: Response): Promise<HermesError> {
  const text = await response.text();
  let problem: { reason?: string; detail?: string; fields?: FieldProblem[]; suggestion?: string } = {};
  if (response.headers.get('content-type')?.includes('json')) problem = JSON.parse(text);
  const reason = problem.reason !== undefined && problem.reason in REASONS ? (problem.reason as Reason) : 'internal';
  const { fields, suggestion } = problem;
  return new HermesError(reason, problem.detail ?? `HTTP ${response.status}`, {
    ...(fields ? { fields } : {}),
    ...(suggestion ? { suggestion } : {}),
  });
}
