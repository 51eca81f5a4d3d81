import { checkRulePack, type RulePack, rulePackSchema } from '../../agents/runtime/index.js';
import { componentName, type Discovery, type Manifest } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Logger } from '../../shared/telemetry/logger.js';

/** Rule packs of everybody who announced one; what is wrong with one costs its own agent's sentences alone. */
export interface KnownPacks {
  list(): { component: string; pack: RulePack }[];
  of(component: string): RulePack | undefined;
  /** Leaves out packs whose templates do not compile, from now on. @returns whether there was one. */
  leaveOutBroken(): boolean;
}

export function createKnownPacks({ discovery, logger }: { discovery: Discovery; logger: Logger }): KnownPacks {
  /** Parsed once for each manifest object; a new manifest of a component is a new object. Null: refused. */
  const parsed = new WeakMap<Manifest, RulePack | null>();

  const refuse = (manifest: Manifest, detail: string): null => {
    logger.warn({ component: manifest.component, detail }, 'rule pack refused');
    parsed.set(manifest, null);
    return null;
  };
  const packOf = (manifest: Manifest): RulePack | null => {
    if (!manifest.rule_pack) return null;
    const known = parsed.get(manifest);
    if (known !== undefined) return known;
    const result = rulePackSchema.safeParse(manifest.rule_pack);
    if (!result.success) return refuse(manifest, result.error.message);
    parsed.set(manifest, result.data);
    return result.data;
  };
  const list: KnownPacks['list'] = () =>
    discovery.manifests().flatMap((manifest) => {
      const pack = packOf(manifest);
      return pack ? [{ component: componentName(manifest.component), pack }] : [];
    });

  return {
    list,
    of: (component) => list().find((entry) => entry.component === component)?.pack,
    leaveOutBroken() {
      const broken = discovery.manifests().filter((manifest) => {
        if (!packOf(manifest)) return false;
        try {
          checkRulePack(manifest.component, manifest.rule_pack);
          return false;
        } catch (thrown) {
          refuse(manifest, toHermesError(thrown).message);
          return true;
        }
      });
      return broken.length > 0;
    },
  };
}
