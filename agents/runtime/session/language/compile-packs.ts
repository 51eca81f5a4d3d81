import { HermesError } from '../../../../shared/errors.js';
import type { Serving } from '../../../../shared/site.js';
import { type SlotKind, TemplateMatcher } from './matcher.js';
import { PhraseTrie } from './phrase-trie.js';
import type { ConditionRule, IntentRule, RulePack } from './rule-pack.js';
import { type ComponentPack, groupPacks, isThing, type PackGroup, Servers } from './serving.js';
import { parseTemplate, type TemplateNode } from './template.js';
import { tokenise } from './tokenise.js';

export interface CompiledIntent {
  readonly is: 'intent';
  /** The first of its components: the name of the rule, not who is called. */
  readonly component: string;
  readonly servers: Servers;
  readonly pack: RulePack;
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
  readonly groups: readonly PackGroup[];
  readonly rules: readonly CompiledRule[];
  readonly matcher: TemplateMatcher;
  readonly verbs: PhraseTrie<readonly VerbUse[]>;
  /** Words of all choices, "by email": never the text of a message. */
  readonly choiceWords: PhraseTrie<true>;
  /** By any component of the group; when it has left since, by a name of which there is only one. */
  ruleOf(component: string, intent: string): CompiledIntent | undefined;
  conditionOf(component: string, condition: string): CompiledCondition | undefined;
  /** The read whose result a condition speaks about. */
  sourceOf(component: string, condition: string): CompiledIntent | undefined;
}

const words = (phrase: string): string[] => tokenise(phrase).map((token) => token.text);

/** Words of a template that the text may leave out. */
const ARTICLES: ReadonlySet<string> = new Set(['的', 'the', 'a', 'an', 'of', "'s", 'me', 'on']);

/** Refuses with `invalid_params` a pack whose templates do not parse or name a slot that it does not declare. */
export function compilePacks(packs: readonly ComponentPack[], agents: readonly Serving[]): CompiledPacks {
  const matcher = new TemplateMatcher((word) => ARTICLES.has(word));
  const rules: CompiledRule[] = [];
  const verbs = new PhraseTrie<readonly VerbUse[]>();
  const choiceWords = new PhraseTrie<true>();
  const targets: Targets = { matcher, verbs, choiceWords, kinds: new Map() };
  const intents = new Map<string, CompiledIntent>();
  const conditions = new Map<string, CompiledCondition>();
  const groups = groupPacks(packs);
  for (const [index, { components, pack }] of groups.entries()) {
    const component = components[0] ?? '';
    const servers = new Servers(components, agents);
    for (const intent of pack.intents) {
      const rule = addIntent({ component, servers, pack, intent }, { rule: rules.length, group: index }, targets);
      rules.push(rule);
      for (const one of components) intents.set(`${one}/${intent.name}`, rule);
    }
    for (const condition of pack.conditions) {
      for (const template of [...condition.templates.zh, ...condition.templates.en]) {
        matcher.add(rules.length, parseTemplate(template), (slot) => {
          throw new HermesError('invalid_params', `condition ${condition.name}: no slot ${slot}`);
        });
      }
      const rule: CompiledCondition = { is: 'condition', component, condition };
      rules.push(rule);
      for (const one of components) conditions.set(`${one}/${condition.name}`, rule);
    }
  }
  const conditionOf: CompiledPacks['conditionOf'] = (component, condition) =>
    conditions.get(`${component}/${condition}`);
  const sources = new Map<CompiledCondition, CompiledIntent>();
  for (const condition of rules) {
    if (condition.is === 'intent') continue;
    const source = rules.find(
      (rule) =>
        rule.is === 'intent' && rule.component === condition.component && rule.intent.method === condition.condition.of,
    );
    if (source?.is === 'intent') sources.set(condition, source);
  }
  return {
    matcher,
    verbs,
    choiceWords,
    groups,
    rules,
    ruleOf: (component, intent) => intents.get(`${component}/${intent}`) ?? onlyOne(rules, intent),
    conditionOf,
    sourceOf(component, name) {
      const condition = conditionOf(component, name);
      return condition && sources.get(condition);
    },
  };
}

function onlyOne(rules: readonly CompiledRule[], intent: string): CompiledIntent | undefined {
  const [rule, other] = rules.filter((one) => one.is === 'intent' && one.intent.name === intent);
  return rule?.is === 'intent' && !other ? rule : undefined;
}

interface Targets extends Pick<CompiledPacks, 'matcher' | 'verbs' | 'choiceWords'> {
  readonly kinds: Map<string, SlotKind>;
}

function addIntent(
  of: Pick<CompiledIntent, 'component' | 'servers' | 'pack' | 'intent'>,
  index: { readonly rule: number; readonly group: number },
  to: Targets,
): CompiledIntent {
  const { intent, servers } = of;
  const vocabulary = new Set<string>();
  const kindOf = (slot: string): SlotKind => {
    const declared = intent.slots[slot];
    if (!declared) throw new HermesError('invalid_params', `intent ${intent.name}: no slot ${slot}`);
    const kind = declared.entity;
    const served = declared.served && isThing(kind);
    const prefix = declared.pattern_prefix;
    const label = [served ? `${kind}@${index.group}` : kind, ...(prefix === undefined ? [] : [prefix])].join(':');
    const known = to.kinds.get(label) ?? {
      label,
      kind,
      ...(served ? { servers } : {}),
      ...(prefix === undefined ? {} : { prefix }),
    };
    to.kinds.set(label, known);
    return known;
  };
  for (const template of [...intent.templates.zh, ...intent.templates.en]) {
    const nodes = parseTemplate(template);
    collect(nodes, vocabulary);
    to.matcher.add(index.rule, nodes, kindOf);
  }
  const use = (phrase: string, form: VerbUse['form']): void =>
    to.verbs.add(words(phrase), [{ rule: index.rule, form }], (old, added) => [...old, ...added]);
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
  return { is: 'intent', ...of, vocabulary, choices };
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
