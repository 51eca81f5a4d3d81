import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentDefinition } from '../agents/runtime/index.js';
import { HermesError } from '../shared/errors.js';
import { type Admission, type AdmissionOptions, admitFiles, DEVELOPING } from './admission/index.js';
import { definitionOf } from './agent-definition.js';
import { grantsOf } from './policies.js';
import type { Topology } from './schema.js';

/** A fresh definition of an agent by its name; each start of a site gets its own. */
export type AgentMakers = (name: string) => AgentDefinition;

export type DefineAgent = (name: string) => AgentDefinition;

interface LoadedModule {
  readonly define: DefineAgent;
  readonly admission: Admission;
}

/**
 * Loads the modules of a topology's agents (default `agents/<kind>`, relative to the product's root). Each exports
 * `defineAgent(name)`. @throws HermesError `invalid_params` naming the agent whose module does not; `not_allowed` for
 * tools that are not admitted, before or after their module is loaded.
 */
export async function loadAgents(
  topology: Pick<Topology, 'agents'>,
  options: AdmissionOptions = DEVELOPING,
): Promise<AgentMakers> {
  const makers = new Map<string, DefineAgent>();
  const loaded = new Map<string, LoadedModule>();
  for (const row of topology.agents) {
    const module = row.module ?? `agents/${row.kind}`;
    const refused = refusal(row.name, `/agents/${row.name}/module`);
    const found = loaded.get(module) ?? (await loadModule(row.name, module, refused, options));
    loaded.set(module, found);
    makers.set(row.name, (name) => admitted(found, name, grantsOf(row)));
  }
  return (name) => {
    const define = makers.get(name);
    if (!define) throw new HermesError('not_found', `the topology has no agent ${name}`);
    return define(name);
  };
}

/**
 * Loads the module of an agent without a row in the topology: as named, else `agents/<name>` with dashes or with the
 * name as it is. A module is loaded once in the life of a process: what was changed since takes a new start.
 * @throws HermesError `invalid_params` that names the field `/module`; `not_allowed` for tools that are not admitted.
 */
export async function loadAgent(
  name: string,
  module?: string,
  options: AdmissionOptions = DEVELOPING,
): Promise<DefineAgent> {
  const folders = [`agents/${name.replaceAll('_', '-')}`, `agents/${name}`];
  const there = folders.find((folder) => existsSync(urlOf(fileOf(folder))));
  const found = await loadModule(name, module ?? there ?? (folders[0] as string), refusal(name, '/module'), options);
  return (wanted) => admitted(found, wanted, grantsOf(undefined));
}

function admitted({ define, admission }: LoadedModule, name: string, grants: readonly string[]): AgentDefinition {
  const definition = definitionOf(define, name);
  return { ...definition, admission: admission.admit(definition, grants) };
}

/** Path of the file that a module's name means. */
export const entryOf = (module: string): string => fileURLToPath(urlOf(fileOf(module)));

/** Sources where this file is one, else what was built of them. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

const fileOf = (module: string): string => (/\.[cm]?[jt]s$/.test(module) ? module : `${module}/index.${EXTENSION}`);
const urlOf = (file: string): URL => new URL(file.startsWith('/') ? `file://${file}` : `../${file}`, import.meta.url);

type Refuse = (module: string, problem: string, suggestion?: string, cause?: unknown) => HermesError;

const refusal =
  (name: string, pointer: string): Refuse =>
  (module, problem, suggestion, cause) =>
    new HermesError(
      'invalid_params',
      `agent ${name}: ${module} ${problem}`,
      { fields: [{ pointer, problem }], ...(suggestion ? { suggestion } : {}) },
      { cause },
    );

/** What stands beside the agents and is none. */
const PRODUCT_ROOMS: ReadonlySet<string> = new Set(['agents/runtime', 'agents/drivers']);

async function loadModule(
  agent: string,
  module: string,
  refuse: Refuse,
  options: AdmissionOptions,
): Promise<LoadedModule> {
  const url = urlOf(fileOf(module));
  if (!existsSync(url)) throw absent(module, refuse);
  if (PRODUCT_ROOMS.has(module)) throw refuse(module, 'is a room of the product, and no agent');
  const admission = admitFiles(agent, fileURLToPath(url), options);
  const loaded = (await import(url.href).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refuse(module, `cannot be loaded: ${why}`, undefined, cause);
  })) as { defineAgent?: DefineAgent };
  if (typeof loaded.defineAgent !== 'function') throw refuse(module, 'exports no defineAgent(name)');
  return { define: loaded.defineAgent, admission };
}

/** Sources that stand beside what was built, and were not built themselves, are the usual reason. */
function absent(module: string, refuse: Refuse): HermesError {
  const unbuilt = EXTENSION === 'js' && existsSync(new URL(`../../${module}/index.ts`, import.meta.url));
  if (unbuilt) return refuse(module, 'is not built', 'run: npm run build');
  return refuse(module, `is not there: no ${fileOf(module)}`, 'name its folder, or make it: hermes new agent <name>');
}
