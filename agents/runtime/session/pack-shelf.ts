import type { Site } from '../../../shared/site.js';
import { checkRulePack } from './check-rule-pack.js';
import { type CompiledPacks, compilePacks } from './language/compile-packs.js';
import type { RulePack } from './language/rule-pack.js';
import type { ComponentPack } from './language/serving.js';
import { compileSiteWords, type SiteWords } from './language/site-words.js';

/** What the session reads sentences with: the rules of all packs and the words of the site. */
export interface CompiledSite {
  readonly rules: CompiledPacks;
  readonly words: SiteWords;
}

/**
 * Rule packs and what is compiled of them, kept for whoever asks again. One shelf may serve several sites of one
 * process, one after the other: nothing on it changes once it stands there.
 */
export interface PackShelf {
  /** The checked pack; equal packs are one object. @throws HermesError `invalid_params` that names what is wrong. */
  pack(component: string, value: unknown): RulePack;
  /** By the identity of the packs and of the site. @throws HermesError `invalid_params` for a pack that is not valid. */
  compiled(packs: readonly ComponentPack[], site: Site): CompiledSite;
}

/** Sets of packs that come and go while the agents of a site start and restart. */
const COMPILED = 24;
/** Agents announce one pack each; those of some sites are under way at once in tests. */
const PACKS = 256;

interface Shelved extends CompiledSite {
  readonly from: readonly ComponentPack[];
  readonly site: Site;
}

export function createPackShelf(): PackShelf {
  const packs = new Map<string, RulePack>();
  let shelf: readonly Shelved[] = [];
  return {
    pack(component, value) {
      const text = JSON.stringify(value) ?? '';
      const known = packs.get(text);
      if (known) return known;
      const pack = checkRulePack(component, value);
      packs.set(text, pack);
      if (packs.size > PACKS) packs.delete(packs.keys().next().value as string);
      return pack;
    },
    compiled(given, site) {
      const known = shelf.find((one) => one.site === site && same(one.from, given));
      if (known) {
        // The one in use stands first: it is found by one look.
        if (known !== shelf[0]) shelf = [known, ...shelf.filter((one) => one !== known)];
        return known;
      }
      const rules = compilePacks(given, site.agents);
      const words = compileSiteWords(
        site,
        rules.groups.map(({ pack }) => pack),
      );
      const made: Shelved = { from: [...given], site, rules, words };
      shelf = [made, ...shelf].slice(0, COMPILED);
      return made;
    },
  };
}

const same = (one: readonly ComponentPack[], other: readonly ComponentPack[]): boolean =>
  one.length === other.length &&
  one.every(({ component, pack }, at) => component === other[at]?.component && pack === other[at]?.pack);
