import type { Language } from '../../../shared/site.js';
import { answerTo } from './answering.js';
import { Composer } from './composition.js';
import { afterPlan, type DialogueContext, popped, withoutPrompt, withPrompt } from './dialogue.js';
import type { Composition, Draft } from './draft.js';
import { explained, nearestCommands, understoodLine } from './explanation.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import { type Clause, isTurn, type Stretch } from './language/clauses.js';
import type { CompiledPacks } from './language/compile-packs.js';
import type { Reading } from './language/reading.js';
import type { SiteWords } from './language/site-words.js';
import { NOTHING } from './phrases.js';
import { promptOf, refusalOf } from './prompting.js';
import { Resolver } from './resolution.js';
import type { Explanation, Understanding } from './understanding.js';
import { whyUnsupported } from './unsupported.js';

export interface UnderstandOptions {
  readonly context: DialogueContext;
  /** Default: that of the sentence. */
  readonly language?: Language;
  readonly explain?: boolean;
}

export interface Understood {
  readonly understanding: Understanding;
  readonly context: DialogueContext;
}

/** An understanding without actions. */
export function plain(
  context: DialogueContext,
  language: Language,
  outcome: Understanding['outcome'],
  understood: string,
): Understood {
  return {
    understanding: { outcome, language, understood, actions: [], placed_by: 'rules', stack: context.stack },
    context,
  };
}

export type ReadClause = (clause: Clause, isCondition: boolean) => ClauseMeaning;

/** One sentence in one dialogue. */
export class Understander {
  readonly #packs: CompiledPacks;
  readonly #words: SiteWords;
  readonly #reading: Reading;
  readonly #stretches: readonly Stretch[];
  readonly #options: UnderstandOptions;

  constructor(
    packs: CompiledPacks,
    words: SiteWords,
    reading: Reading,
    stretches: readonly Stretch[],
    options: UnderstandOptions,
  ) {
    this.#packs = packs;
    this.#words = words;
    this.#reading = reading;
    this.#stretches = stretches;
    this.#options = options;
  }

  understand(readClause: ReadClause): Understood {
    const { context } = this.#options;
    const { language } = this.#reading;
    const spoken = this.#meanings(readClause);
    const meanings = spoken.filter((one) => !('turn' in one)) as ClauseMeaning[];
    const wish = this.#onlyWish();
    if (wish === 'undo') return this.#undo();
    if (context.open?.gap.is === 'slot' && context.open.gap.kind === 'number') {
      const why = whyUnsupported(this.#reading, this.#packs, context.open.drafts, language);
      if (why !== undefined) return plain(withoutPrompt(context), language, 'refuse', why);
    }
    if (context.open) {
      const answer = answerTo(context.open, this.#reading, this.#stretches, meanings, this.#packs, this.#words);
      if (answer.is === 'no')
        return answered(plain(withoutPrompt(context), language, 'none', NOTHING.cancelled[language]));
      if (answer.is === 'filled') {
        return answered(this.#settle({ drafts: answer.drafts, notDone: [], unclear: [] }, meanings));
      }
    }
    if (wish === 'repeat') return this.#repeat();
    if (this.#stretches.length > 0 && this.#stretches.every(isTurn)) {
      return plain(withoutPrompt(context), language, 'none', NOTHING.cancelled[language]);
    }
    const composition = this.#compose(spoken);
    return this.#settle(composition, meanings);
  }

  #meanings(readClause: ReadClause): (ClauseMeaning | Stretch)[] {
    const spoken: (ClauseMeaning | Stretch)[] = [];
    let former: ClauseMeaning | undefined;
    for (const stretch of this.#stretches) {
      if (isTurn(stretch)) {
        spoken.push(stretch);
        former = undefined;
        continue;
      }
      if (former && absorbs(this.#reading, former, stretch)) {
        const clause = { ...former.clause, end: stretch.end };
        former = { ...former, clause };
        spoken[spoken.length - 1] = former;
        continue;
      }
      const isCondition = stretch.links.has('if') || stretch.links.has('unless') || stretch.conditional;
      former = readClause(stretch, isCondition);
      spoken.push(former);
    }
    return spoken;
  }

  #compose(spoken: readonly (ClauseMeaning | Stretch)[]): Composition {
    const { devices, zones = [], persons } = this.#options.context.last_entities;
    const composer = new Composer({
      reading: this.#reading,
      packs: this.#packs,
      mentioned: { devices, zones, persons },
      hypothetical: this.#hypothetical(spoken),
    });
    const lastAct = new Map<number, number>();
    for (const [index, one] of spoken.entries()) {
      if ('acts' in one && one.acts.length > 0) lastAct.set(one.clause.sentence, index);
    }
    for (const [index, one] of spoken.entries()) {
      if ('turn' in one) {
        if (one.turn === 'cancel') composer.cancel();
        else composer.correct();
      } else if ('acts' in one) {
        composer.clause(one, (lastAct.get(one.clause.sentence) ?? -1) <= index);
      }
    }
    return composer.finish();
  }

  /** Somebody wonders what would happen: outside the text of messages, anywhere in what was said. */
  #hypothetical(spoken: readonly (ClauseMeaning | Stretch)[]): boolean {
    for (const one of spoken) {
      if (!('acts' in one)) continue;
      for (let at = one.clause.start; at < one.clause.end; at += 1) {
        const inText = one.acts.some(
          ({ text, reported }) => (text && at >= text.from) || (reported && at >= reported.start && at < reported.end),
        );
        if (!inText && this.#reading.markers.get(at)?.kind === 'hypothetical') return true;
      }
    }
    return false;
  }

  /** 再查一遍, 撤销 or "undo" and nothing else; with an object it is a sentence like any other. */
  #onlyWish(): 'repeat' | 'undo' | undefined {
    const { tokens, markers } = this.#reading;
    let wish: 'repeat' | 'undo' | undefined;
    for (let at = 0; at < tokens.length; ) {
      const marker = markers.get(at);
      if (marker?.kind === 'repeat' || marker?.kind === 'undo') wish = marker.kind;
      else if (marker && isUndoAlone(tokens.slice(at, marker.end))) wish = 'undo';
      else if (marker ? !IDLE.has(marker.kind) : tokens[at]?.kind !== 'mark') return undefined;
      at = marker?.end ?? at + 1;
    }
    return wish;
  }

  #repeat(): Understood {
    const { context } = this.#options;
    const { language } = this.#reading;
    const last = context.last_actions.filter((action) => action.effect === 'read' && action.when === undefined);
    if (last.length === 0) return plain(withoutPrompt(context), language, 'none', NOTHING.repeat[language]);
    const ids = new Set(last.map((action) => action.id));
    const actions = last.map((action) => ({
      ...action,
      depends_on: action.depends_on.filter((id) => ids.has(id)),
    }));
    return {
      understanding: {
        outcome: 'repeat',
        language,
        understood: understoodLine(actions, [], language),
        actions,
        placed_by: 'rules',
        stack: context.stack,
      },
      context: withoutPrompt(context),
    };
  }

  #undo(): Understood {
    const { context } = this.#options;
    const { language } = this.#reading;
    if (context.stack.length <= 1) return plain(withoutPrompt(context), language, 'none', NOTHING.undo[language]);
    return plain(popped(context), language, 'undo', NOTHING.undone[language]);
  }

  #settle(composition: Composition, meanings: readonly ClauseMeaning[]): Understood {
    const { context } = this.#options;
    const { language } = this.#reading;
    const { notDone } = composition;
    // Of a question asked before, the agent may have left.
    const drafts = composition.drafts.filter((one) => this.#packs.ruleOf(one.component, one.intent));
    const explain: { explain?: readonly Explanation[] } = this.#options.explain
      ? { explain: explained(this.#reading, meanings, notDone) }
      : {};
    const unconditional = notDone.some((one) => one.why === 'condition_unknown');
    if (drafts.length === 0 || unconditional) {
      const nothing = notDone.length > 0 && !unconditional;
      const understood = nothing
        ? understoodLine([], notDone, language)
        : (whyUnsupported(this.#reading, this.#packs, [], language) ??
          nearestCommands(this.#packs, this.#reading, language));
      const outcome = nothing ? 'none' : 'not_understood';
      const placed_by = nothing ? 'rules' : 'nobody';
      const base = plain(withoutPrompt(context), language, outcome, understood);
      return { ...base, understanding: { ...base.understanding, placed_by, ...explain } };
    }
    const resolution = new Resolver(this.#packs, this.#words).resolve(drafts);
    if (resolution.gap?.is === 'too_many') return plain(context, language, 'refuse', NOTHING.many[language]);
    const { gap } = resolution;
    const why =
      gap?.is === 'unserved'
        ? refusalOf(gap, drafts, this.#packs, this.#words, language)
        : gap && whyUnsupported(this.#reading, this.#packs, drafts, language);
    if (why !== undefined) {
      const base = plain(withoutPrompt(context), language, 'refuse', why);
      return { ...base, understanding: { ...base.understanding, ...explain } };
    }
    if (resolution.gap) {
      const open = promptOf(resolution, drafts, this.#packs, this.#words, language);
      const base = plain(
        withPrompt(context, open),
        language,
        'ask',
        understoodLine(resolution.actions, notDone, language, drafts),
      );
      return { ...base, understanding: { ...base.understanding, prompt: open.prompt, ...explain } };
    }
    const next = afterPlan(context, resolution.actions, resolution.nodes, namedIn(drafts));
    return {
      understanding: {
        outcome: 'plan',
        language,
        understood: understoodLine(resolution.actions, notDone, language),
        actions: resolution.actions,
        placed_by: 'rules',
        stack: next.stack,
        ...explain,
      },
      context: next,
    };
  }
}

/** Before an object it denies (撤销重启), behind a clause it cancels; alone it is "undo". */
const UNDO_ALONE = '撤销';

const isUndoAlone = (words: readonly { readonly text: string }[]): boolean =>
  words.map(({ text }) => text).join('') === UNDO_ALONE;

/** Words that may stand beside 再查一遍. */
const IDLE: ReadonlySet<string> = new Set(['filler', 'polite', 'seq', 'and', 'device_ref', 'question']);

/** Unquoted text of a message reaches over "and", and after a colon over commas too. */
function absorbs(reading: Reading, former: ClauseMeaning, next: Clause): boolean {
  const text = former.acts.at(-1)?.text;
  if (!text || text.quoted || next.sentence !== former.clause.sentence) return false;
  for (const link of ['seq', 'if', 'unless', 'else', 'but', 'hence', 'always'] as const) {
    if (next.links.has(link)) return false;
  }
  return !next.paused || reading.tokens[text.from - 1]?.text === ':';
}

function namedIn(drafts: readonly Draft[]): DialogueContext['last_entities'] {
  const values = drafts.flatMap((draft) => Object.values(draft.slots).flat());
  const ids = (kind: string): string[] => [
    ...new Set(values.filter((value) => value.kind === kind).flatMap((value) => value.ids.map(String))),
  ];
  return { devices: ids('device'), zones: ids('zone'), persons: ids('person') };
}

const answered = ({ understanding, context }: Understood): Understood => ({
  understanding: { ...understanding, answers_prompt: true },
  context,
});
