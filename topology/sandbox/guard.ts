import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Takes the network, the environment and ways around them out of this process, for good. Node’s permission model stops
 * files, children, workers and addons, and neither of these. It shows what a tool reaches for; it is no boundary
 * against hostile code, which is what a network namespace of its own is for.
 * @returns what was reached for so far, whatever became of the error.
 */
export function closeProcess(): () => readonly string[] {
  const reached: string[] = [];
  const reach = (what: string): void => void reached.push(what);
  Object.defineProperty(globalThis, Symbol.for('hermes.sandbox'), { value: reach });
  const closed = (what: string) => (): never => {
    reach(what);
    throw new Error(`${what} is closed in the sandbox: a tool has its context and nothing else`);
  };
  const close = (owner: object, prefix: string, names: readonly string[]): void => {
    for (const name of names) {
      if (!(name in owner)) continue;
      Object.defineProperty(owner, name, { value: closed(`${prefix}${name}`), writable: false, configurable: false });
    }
  };
  close(net.Socket.prototype, 'net.Socket.', ['connect']);
  close(net.Server.prototype, 'net.Server.', ['listen']);
  close(net, 'net.', ['connect', 'createConnection', 'createServer', '_createServerHandle']);
  close(dgram.Socket.prototype, 'dgram.Socket.', ['bind', 'send', 'connect']);
  close(
    dns,
    'dns.',
    Object.keys(dns).filter((name) => typeof dns[name as keyof typeof dns] === 'function'),
  );
  close(dns.promises, 'dns.promises.', Object.keys(dns.promises));
  close(globalThis, '', ['fetch', 'WebSocket', 'EventSource']);
  close(process, 'process.', ['binding', '_linkedBinding', 'dlopen', 'kill', 'chdir', 'setuid', 'setgid']);
  const env = new Proxy(Object.freeze({}), {
    get: (_none, name) => (typeof name === 'symbol' ? undefined : closed(`process.env.${name}`)()),
    has: (_none, name) => (typeof name === 'symbol' ? false : closed(`process.env.${name}`)()),
    ownKeys: closed('process.env'),
  });
  Object.defineProperty(process, 'env', { value: env, writable: false, configurable: false });
  syncBuiltinESMExports();
  return () => reached;
}
