import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Packages that a world without wires and files runs on; all others are empty in the sandbox. */
const KEPT = new Set([
  ...['zod', 'xstate', '@msgpack/msgpack', '@marcbachmann/cel-js', '@opentelemetry/api', 'canonicalize', 'yaml'],
]);
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** What opens the outside stands there as a name that nobody may use; who does is told to the guard. */
const outside = (what: string): string => `
const reach = () => {
  globalThis[Symbol.for('hermes.sandbox')]?.(${JSON.stringify(what)});
  throw new Error(${JSON.stringify(`${what} is not in the sandbox`)});
};
const get = (_target, name) => {
  if (name === 'prototype') return Object.prototype;
  return typeof name === 'symbol' ? undefined : nobody;
};
const names = new Proxy(Object.create(null), { get });
const nobody = new Proxy(function () {}, { get, getPrototypeOf: () => names, construct: reach, apply: reach });
module.exports = nobody;`;

/** Built-ins without I/O; a module of the agent gets no other. */
const HARMLESS: ReadonlySet<string> = new Set(['crypto', 'node:crypto']);

/** The loader of the sandbox: packages for everybody, and built-ins for the agent, as far as they open nothing. */
const withoutOutside = (agentFolder: string): Plugin => ({
  name: 'without-outside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      const isOwn = importer.startsWith(agentFolder);
      if (isBuiltin(path)) return isOwn && !HARMLESS.has(path) ? { path, namespace: 'outside' } : undefined;
      return KEPT.has(packageOf(path)) ? undefined : { path, namespace: 'outside' };
    });
    onLoad({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({ contents: outside(path), loader: 'js' }));
  },
});

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** One file with an agent, the product and a world to try it in. @param entry path of the agent’s module. */
export async function bundleSandbox(entry: string): Promise<string> {
  const child = `${HERE}child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const { outputFiles } = await build({
    stdin: {
      contents: `import { serveCases } from ${JSON.stringify(child)};
serveCases(() => import(${JSON.stringify(entry)}));`,
      resolveDir: HERE,
      loader: 'js',
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
    define: { 'import.meta.url': '"file:///sandbox/agent.js"' },
    plugins: [withoutOutside(`${dirname(entry)}/`)],
  });
  return outputFiles[0]?.text ?? '';
}
