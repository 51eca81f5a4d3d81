import canonicalize from 'canonicalize';
import { type Cell, scopes } from '../agents/runtime/index.js';
import { componentName, type Discovery, type Manifest, manifestSchema } from '../mcp/index.js';

const scopeOf = (component: string) => scopes.config(`manifest-${component.replaceAll('_', '-')}`);

/**
 * The last manifests of the site's listed agents, as `config` entries of the coordinator's record: the sentences of
 * one that is away stay understood after a restart too, and its step fails `no_worker` instead of being unknown.
 */
export async function rememberedManifests({ view, policy }: Cell): Promise<Manifest[]> {
  await view.catchUp();
  const found: Manifest[] = [];
  for (const { name } of policy.site.agents) {
    const parsed = manifestSchema.safeParse((await view.lastEntry(scopeOf(name)))?.data?.manifest);
    if (parsed.success) found.push(parsed.data);
  }
  return found;
}

/** Writes a manifest that differs from the last one written; what cannot be written now is tried at the next change. */
export function rememberManifests({ record, view, policy, doors }: Cell, discovery: Discovery): { stop(): void } {
  const written = new Map<string, string>();
  /** The same object again is nothing new. */
  const seen = new Map<string, Manifest>();
  const keep = async (manifest: Manifest): Promise<void> => {
    const name = componentName(manifest.component);
    if (seen.get(name) === manifest) return;
    seen.set(name, manifest);
    const text = canonicalize(manifest) as string;
    if (written.get(name) === text || !policy.site.agents.some((agent) => agent.name === name)) return;
    written.set(name, text);
    try {
      const last = (await view.lastEntry(scopeOf(name)))?.data?.manifest;
      if (last !== undefined && canonicalize(last) === text) return;
      await record.append(scopeOf(name), { kind: 'config', data: { manifest } });
    } catch (error) {
      written.delete(name);
      seen.delete(name);
      doors.logger.warn({ component: name, err: error }, 'a manifest could not be kept');
    }
  };
  const all = (): void => {
    for (const manifest of discovery.manifests()) void keep(manifest);
  };
  all();
  return discovery.onChange(all);
}
