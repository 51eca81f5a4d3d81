import { LIMITS } from '../../../shared/limits.js';
import type { Site } from '../../../shared/site.js';
import { ClauseReader } from './language/clause-meaning.js';
import { splitClauses } from './language/clauses.js';
import { createCopulas, createLexicon } from './language/lexicon.js';
import { read } from './language/reading.js';
import { Referents } from './language/referents.js';
import type { ComponentPack } from './language/serving.js';
import { createPackShelf, type PackShelf } from './pack-shelf.js';
import { NOTHING } from './phrases.js';
import { plain, Understander, type UnderstandOptions, type Understood } from './understander.js';

export interface SessionEngineDependencies {
  /** Packs of the components that are here now; a new array when they change. */
  readonly packs: () => readonly ComponentPack[];
  /** Facts of the site; a new object when they change. */
  readonly site: () => Site;
  /** Where compiled packs are kept. Default: a shelf of its own. */
  readonly shelf?: PackShelf;
}

export interface SessionEngine {
  /** Pure in text and context; never throws for any text. */
  understand(text: string, options: UnderstandOptions): Understood;
}

/** Throws `invalid_params` from `understand` only when a pack itself is not valid. */
export function createSessionEngine(dependencies: SessionEngineDependencies): SessionEngine {
  const lexicon = createLexicon();
  const copulas = createCopulas();
  const shelf = dependencies.shelf ?? createPackShelf();
  return {
    understand(text, options) {
      const { rules: packs, words } = shelf.compiled(dependencies.packs(), dependencies.site());
      if (text.length > LIMITS.sentenceChars) return refused(options, NOTHING.long);
      const reading = read(text, words, lexicon, options.language);
      const clauses = splitClauses(reading);
      if (clauses.length > MAX_CLAUSES) return refused(options, NOTHING.many);
      const turn = new Understander(packs, words, reading, clauses, options);
      const { devices, zones = [] } = options.context.last_entities;
      const referents = new Referents(reading, devices.length === 0 && zones.length > 0);
      const reader = new ClauseReader(reading, packs, copulas, referents);
      return turn.understand((clause, isCondition) => reader.meaning(clause, isCondition));
    },
  };
}

/** Nobody says more at once; it would be no plan anyway. */
const MAX_CLAUSES = 400;

function refused(
  { context, language }: UnderstandOptions,
  why: { readonly zh: string; readonly en: string },
): Understood {
  const spoken = language ?? 'zh';
  return plain(context, spoken, 'refuse', why[spoken]);
}
