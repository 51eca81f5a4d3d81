import type { AgentDefinition } from '../agents/runtime/index.js';
import { HermesError } from '../shared/errors.js';
import type { Topology } from './schema.js';

/** A fresh definition of an agent by its name; each start of a site gets its own. */
export type AgentMakers = (name: string) => AgentDefinition;

type DefineAgent = (name: string) => AgentDefinition;

/**
 * Loads the modules of a topology's agents (default `agents/<kind>`, relative to the product's root). Each exports
 * `defineAgent(name)`. @throws HermesError `invalid_params` naming the agent whose module does not.
 */
export async function loadAgents(topology: Topology): Promise<AgentMakers> {
  const makers = new Map<string, DefineAgent>();
  for (const row of topology.agents)
    makers.set(row.name, await loadModule(row.module ?? `agents/${row.kind}`, row.name));
  return (name) => {
    const define = makers.get(name);
    if (!define) throw new HermesError('not_found', `the topology has no agent ${name}`);
    return define(name);
  };
}

async function loadModule(module: string, name: string): Promise<DefineAgent> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const file = /\.[cm]?[jt]s$/.test(module) ? module : `${module}/index.${extension}`;
  const url = new URL(file.startsWith('/') ? `file://${file}` : `../${file}`, import.meta.url);
  const refuse = (problem: string, cause?: unknown): HermesError => {
    const fields = [{ pointer: `/agents/${name}/module`, problem }];
    return new HermesError('invalid_params', `agent ${name}: ${module} ${problem}`, { fields }, { cause });
  };
  const loaded = (await import(url.href).catch((cause: unknown) => {
    throw refuse('cannot be loaded', cause);
  })) as { defineAgent?: DefineAgent };
  if (typeof loaded.defineAgent === 'function') return loaded.defineAgent;
  throw refuse('exports no defineAgent(name)');
}
