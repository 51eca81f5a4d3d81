import { HermesError } from '../../../../shared/errors.js';
import { TemplateMatcher } from './matcher.js';
import { PhraseTrie } from './phrase-trie.js';
import type { ConditionRule, IntentRule, RulePack } from './rule-pack.js';
import { parseTemplate, type TemplateNode } from './template.js';
import { tokenise } from './tokenise.js';

/** A pack and the component (name without version) that announced it. */
export interface ComponentPack {
  readonly component: string;
  readonly pack: RulePack;
}

export interface CompiledIntent {
  readonly is: 'intent';
  readonly component: string;
  readonly intent: IntentRule;
  /** Tokens that this intent's own templates and verbs explain. */
  readonly vocabulary: ReadonlySet<string>;
  readonly choices: PhraseTrie<Choice>;
}

export interface CompiledCondition {
  readonly is: 'condition';
  readonly component: string;
  readonly condition: ConditionRule;
}

export type CompiledRule = CompiledIntent | CompiledCondition;

export interface Choice {
  readonly slot: string;
  readonly value: string;
}

export interface VerbUse {
  readonly rule: number;
  /** `restart`; `restarted` or `restarting` report or describe, they do not order. */
  readonly form: 'base' | 'inflected';
}

export interface CompiledPacks {
  readonly packs: readonly ComponentPack[];
  readonly rules: readonly CompiledRule[];
  readonly matcher: TemplateMatcher;
  readonly verbs: PhraseTrie<readonly VerbUse[]>;
  /** Words of all choices, "by email": never the text of a message. */
  readonly choiceWords: PhraseTrie<true>;
  ruleOf(component: string, intent: string): CompiledIntent | undefined;
  conditionOf(component: string, condition: string): CompiledCondition | undefined;
}

const words = (phrase: string): string[] => tokenise(phrase).map((token) => token.text);

/** Words of a template that the text may leave out. */
const ARTICLES: ReadonlySet<string> = new Set(['的', 'the', 'a', 'an', 'of', "'s", 'me', 'on']);

/** Refuses with `invalid_params` a pack whose templates do not parse or name a slot that it does not declare. */
export function compilePacks(packs: readonly ComponentPack[]): CompiledPacks {
  const matcher = new TemplateMatcher((word) => ARTICLES.has(word));
  const rules: CompiledRule[] = [];
  const verbs = new PhraseTrie<readonly VerbUse[]>();
  const choiceWords = new PhraseTrie<true>();
  for (const { component, pack } of packs) {
    for (const intent of pack.intents) {
      rules.push(addIntent(component, intent, rules.length, { matcher, verbs, choiceWords }));
    }
    for (const condition of pack.conditions) {
      for (const template of [...condition.templates.zh, ...condition.templates.en]) {
        matcher.add(rules.length, parseTemplate(template), (slot) => {
          throw new HermesError('invalid_params', `condition ${condition.name}: no slot ${slot}`);
        });
      }
      rules.push({ is: 'condition', component, condition });
    }
  }
  const intents = new Map<string, CompiledIntent>();
  const conditions = new Map<string, CompiledCondition>();
  for (const rule of rules) {
    if (rule.is === 'intent') intents.set(`${rule.component}/${rule.intent.name}`, rule);
    else conditions.set(`${rule.component}/${rule.condition.name}`, rule);
  }
  return {
    packs,
    rules,
    matcher,
    verbs,
    choiceWords,
    ruleOf: (component, intent) => intents.get(`${component}/${intent}`),
    conditionOf: (component, condition) => conditions.get(`${component}/${condition}`),
  };
}

type Targets = Pick<CompiledPacks, 'matcher' | 'verbs' | 'choiceWords'>;

function addIntent(component: string, intent: IntentRule, index: number, to: Targets): CompiledIntent {
  const vocabulary = new Set<string>();
  const kindOf = (slot: string): string => {
    const declared = intent.slots[slot];
    if (!declared) throw new HermesError('invalid_params', `intent ${intent.name}: no slot ${slot}`);
    return declared.entity === 'choice' ? 'choice' : declared.entity;
  };
  for (const template of [...intent.templates.zh, ...intent.templates.en]) {
    const nodes = parseTemplate(template);
    collect(nodes, vocabulary);
    to.matcher.add(index, nodes, kindOf);
  }
  const use = (phrase: string, form: VerbUse['form']): void =>
    to.verbs.add(words(phrase), [{ rule: index, form }], (old, added) => [...old, ...added]);
  for (const verb of [...intent.verbs.zh, ...intent.verbs.en]) {
    use(verb, 'base');
    for (const word of words(verb)) vocabulary.add(word);
  }
  if (intent.effect === 'write') {
    for (const verb of intent.verbs.en) for (const form of inflected(verb)) use(form, 'inflected');
  }
  const choices = new PhraseTrie<Choice>();
  for (const [slot, declared] of Object.entries(intent.slots)) {
    for (const [value, said] of Object.entries(declared.choices ?? {})) {
      for (const phrase of [...said.zh, ...said.en]) {
        choices.add(words(phrase), { slot, value });
        to.choiceWords.add(words(phrase), true);
      }
    }
  }
  return { is: 'intent', component, intent, vocabulary, choices };
}

function collect(nodes: readonly TemplateNode[], into: Set<string>): void {
  for (const node of nodes) {
    if (node.is === 'word') into.add(node.text);
    else if (node.is === 'choice') for (const branch of node.of) collect(branch, into);
  }
}

/** Past and gerund of an English verb phrase, its first and its last word inflected. */
function inflected(phrase: string): string[] {
  const parts = phrase.split(' ');
  const forms: string[] = [];
  for (const at of new Set([0, parts.length - 1])) {
    for (const form of formsOf(parts[at] ?? '')) forms.push(parts.with(at, form).join(' '));
  }
  return forms;
}

const IRREGULAR: Readonly<Record<string, readonly string[]>> = {
  set: ['setting'],
  reset: ['resetting'],
  tell: ['told', 'telling'],
  send: ['sent', 'sending'],
  let: ['letting'],
  write: ['wrote', 'written', 'writing'],
  put: ['putting'],
  make: ['made', 'making'],
};

function formsOf(verb: string): readonly string[] {
  const known = IRREGULAR[verb];
  if (known) return known;
  if (verb.endsWith('e')) return [`${verb}d`, `${verb.slice(0, -1)}ing`];
  if (verb.endsWith('y')) return [`${verb.slice(0, -1)}ied`, `${verb}ing`];
  return [`${verb}ed`, `${verb}ing`];
}
