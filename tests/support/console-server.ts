import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { AGENTS, DEVICES, deviceDetail, TRACE } from './console-plant.js';
import { answered, firstGoal, type ScriptedGoal } from './console-script.js';

/** The policy under which the coordinator has to serve the page. */
export const CONSOLE_POLICY =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface ConsoleServer {
  readonly url: string;
  readonly requests: RecordedRequest[];
  readonly goals: ScriptedGoal[];
  /** Applies a change to the newest goal and tells its streams. */
  change(change: (goal: ScriptedGoal) => void): void;
  /** Refuses streams, and breaks the open ones, until set back. */
  breakStreams(broken: boolean): void;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return text === '' ? undefined : JSON.parse(text);
};

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
};

class Script {
  readonly requests: RecordedRequest[] = [];
  readonly goals: ScriptedGoal[] = [];
  readonly streams = new Map<ServerResponse, string>();
  broken = false;

  change(change: (goal: ScriptedGoal) => void): void {
    const goal = this.goals[0];
    if (goal === undefined) throw new Error('no goal yet');
    change(goal);
    goal.seq += 1;
    for (const [stream, id] of this.streams) if (id === goal.goal_id) this.tell(stream, goal);
  }

  tell(stream: ServerResponse, goal: ScriptedGoal): void {
    const data = { goal_id: goal.goal_id, seq: goal.seq, at: Date.now(), type: 'state', state: goal.state };
    stream.write(`id: ${goal.seq}\nevent: state\ndata: ${JSON.stringify(data)}\n\n`);
  }

  openStream(goal: ScriptedGoal, response: ServerResponse): void {
    if (this.broken) {
      sendJson(response, 503, { title: 'overloaded', status: 503 });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(': open\n\n');
    this.streams.set(response, goal.goal_id);
    response.on('close', () => this.streams.delete(response));
    this.tell(response, goal);
  }

  submit(body: unknown, response: ServerResponse): void {
    const { goal: text, session_id } = body as { goal: string; session_id?: string };
    if (/refuse-me/.test(text)) {
      const errors = [{ field: 'goal', message: 'too long' }];
      sendJson(response, 400, { title: 'invalid request', status: 400, detail: 'one field', errors });
      return;
    }
    const goal = firstGoal(this.goals.length + 1, text, session_id ?? 's-7k2m9q4x');
    this.goals.unshift(goal);
    sendJson(response, 202, { ...goal, links: {} });
  }

  say(text: string, response: ServerResponse): void {
    this.change((goal) => answered(goal, text));
    sendJson(response, 200, { session_id: this.goals[0]?.session_id, state: 'running' });
  }

  cancel(response: ServerResponse): void {
    this.change((goal) => Object.assign(goal, { state: 'cancelled', ended_at: Date.now(), prompt: null }));
    sendJson(response, 202, {});
  }

  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await bodyOf(request);
    this.requests.push({ method: request.method ?? '', path, headers: request.headers, body });
    const [, , kind, id = '', what] = path.split('/');
    const goal = this.goals.find((item) => item.goal_id === id);
    const call = `${request.method} ${kind}${id === '' ? '' : '/id'}${what ? `/${what}` : ''}`;
    if (call === 'POST goals') return this.submit(body, response);
    if (call === 'POST sessions/id/messages') return this.say((body as { text: string }).text, response);
    if (call === 'GET goals') return sendJson(response, 200, { goals: this.goals, next: null });
    if (call === 'GET agents') return sendJson(response, 200, AGENTS);
    if (call === 'GET devices') return sendJson(response, 200, DEVICES);
    if (call === 'GET devices/id') return sendJson(response, 200, deviceDetail(id, Date.now()));
    if (call === 'GET traces/id') return sendJson(response, 200, TRACE);
    if (goal && call === 'GET goals/id') return sendJson(response, 200, goal);
    if (goal && call === 'GET goals/id/events') return this.openStream(goal, response);
    if (goal && call === 'POST goals/id/cancel') return this.cancel(response);
    sendJson(response, 404, { title: 'not found', status: 404 });
  }
}

async function sendFile(folder: string, path: string, response: ServerResponse): Promise<void> {
  const name = normalize(path === '/' ? '/index.html' : path);
  try {
    const content = await readFile(join(folder, name));
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, {
      'content-type': type,
      'content-security-policy': CONSOLE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

/** Serves the built page and plays goals on demand: the coordinator's HTTP contract, with a hand on the script. */
export async function startConsoleServer(folder: string): Promise<ConsoleServer> {
  const script = new Script();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://local').pathname;
    void (path.startsWith('/v1/') ? script.answer(request, response, path) : sendFile(folder, path, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: script.requests,
    goals: script.goals,
    change: (change) => script.change(change),
    breakStreams(broken) {
      script.broken = broken;
      if (broken) for (const stream of script.streams.keys()) stream.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
