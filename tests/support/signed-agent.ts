import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type AgentDefinition, LOCK_FILE, signTools } from '../../agents/runtime/index.js';
import { type SigningKey, signingKeyFromSeed } from '../../shared/keys/index.js';
import { loadAgent, readAgent } from '../../topology/index.js';
import { ROOT } from './arch-source.js';

export const keyNumber = (n: number): SigningKey => signingKeyFromSeed(new Uint8Array(32).fill(n));

/** An agent of its own in a private folder of the checkout, where it finds the product. */
export interface SignedAgent {
  readonly folder: string;
  readonly entry: string;
  /** What the product runs of it, whatever it is signed by. */
  define(): Promise<AgentDefinition>;
  sign(key: SigningKey, version?: string): Promise<void>;
  readonly lockFile: string;
  append(file: string, text: string): void;
}

export function makeAgent(): SignedAgent {
  const parent = join(ROOT, '.hermes');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'agent-'));
  const product = relative(folder, ROOT).replaceAll('\\', '/');
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  write(
    'index.ts',
    `import { tools } from './tools.js';
export const defineAgent = (name) => ({ name, version: '1.0', description: { zh: '签', en: 'signed' }, tools: tools() });
`,
  );
  write(
    'tools.ts',
    `import { z } from 'zod';
import { defineTool } from '${product}/agents/runtime/index.js';
export const tools = () => [
  defineTool({
    name: 'look', version: '1.0.0', description: 'looks', input: z.strictObject({}),
    output: z.object({ seen: z.boolean() }), side_effects: [], effect_class: 'read', risk: 'low', timeout_ms: 1000,
    execute: async () => ({ seen: true }), rollback: { none: 'a read changes nothing' },
  }),
];
`,
  );
  const entry = join(folder, 'index.ts');
  const lockFile = join(folder, LOCK_FILE);
  const define = async (): Promise<AgentDefinition> => (await loadAgent('signed', entry))('signed');
  return {
    folder,
    entry,
    define,
    lockFile,
    async sign(key, version) {
      const { tools } = await define();
      const signed = tools.map((tool) => (version ? { ...tool, digest: '0'.repeat(64) } : tool));
      writeFileSync(lockFile, JSON.stringify(signTools(readAgent(entry).files, signed, key)));
    },
    append: (file, text) => appendFileSync(join(folder, file), text),
  };
}

export const textOf = (file: string): string => readFileSync(file, 'utf8');
