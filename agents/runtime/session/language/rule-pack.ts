import { z } from 'zod';

/**
 * A rule pack: plain data in which one agent says which sentences it understands, in Chinese and English. It travels
 * in the manifest. Patterns are templates, never regular expressions from the wire:
 * `(a|b)` alternatives, `[x]` optional, `{slot}` an entity.
 */
const text = z.string().min(1).max(200);
const prose = z.string().min(1).max(2000);
const bilingual = z.object({ zh: prose, en: prose });
const words = z.object({ zh: z.array(text).max(32), en: z.array(text).max(32) });
const template = z.string().min(1).max(600);
const templates = z.object({ zh: z.array(template).max(64), en: z.array(template).max(64) });

export const ENTITY_KINDS = ['device', 'person', 'zone', 'floor', 'number', 'point', 'text', 'choice', 'code'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export const slotSchema = z.object({
  entity: z.enum(ENTITY_KINDS),
  /** Parameter of the method that the slot fills. */
  param: z.string().regex(/^[a-z][a-z0-9_]{0,47}$/),
  /** Several values, "zhang and li", fill an array. */
  list: z.boolean().default(false),
  /**
   * The agent has to serve what is named: only then the sentence is about this method, and of several agents with the
   * same pack the one that serves it is called.
   */
  served: z.boolean().default(false),
  /** Of a `code` or a `device`: letters before the dash, `WO` for WO-7K2M9QXD. Others are not taken by the slot. */
  pattern_prefix: z
    .string()
    .regex(/^[A-Z]{1,8}$/)
    .optional(),
  /** Asked for when nobody said it. */
  required: z.boolean().default(true),
  /** Not asked for when an earlier step gives the facts: the planner fills it from `answers`. */
  told_by_steps: z.boolean().default(false),
  /** Of a `choice`: value of the parameter → words that mean it, anywhere in the clause. */
  choices: z.record(z.string(), words).optional(),
  /** Taken when nobody said it. Never for a device or a value to be written. */
  default: z.union([z.string().max(200), z.number(), z.boolean()]).optional(),
  /** The question that asks for it. */
  ask: bilingual.optional(),
});

export const bindSchema = z.object({
  /** Parameter that an earlier step's result fills; several rows of one parameter are added up, in their order. */
  param: z.string(),
  /** Method of the earlier step (the nearest one for the same entity). */
  from: z.string(),
  /** CEL over `result`, for example `result.error_code`. */
  cel: z.string().max(500),
});

export const intentSchema = z.object({
  /** Node of the dialogue stack, `DEVICE_STATUS_QUERY_INIT`. */
  name: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/),
  method: z.string(),
  effect: z.enum(['read', 'write']),
  /**
   * The sentence reports a state, and that is what calls for it: "三楼A区空调坏了". Words of past and denial inside the
   * template that matched are the report itself; outside it they mean that nothing is to be done.
   */
  report: z.boolean().default(false),
  templates,
  /** Words that call for it where no template matches; may be empty. */
  verbs: words,
  slots: z.record(z.string(), slotSchema).default({}),
  bind: z.array(bindSchema).max(16).default([]),
  /** Parameters that are told from the results of earlier steps, when nobody said them. */
  tell: z.object({ subject: z.string().optional(), body: z.string() }).optional(),
  /** Shown when a sentence was not understood: the nearest known command. */
  example: bilingual,
});

export const conditionSchema = z.object({
  name: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/),
  /** Method whose result the condition speaks about. */
  of: z.string(),
  templates,
  /** CEL over `result`, for example `result.status == 'OFFLINE'`. */
  cel: z.string().max(500),
});

/** What operators call a point; `written_as` is the point meant when the sentence sets it. */
export const pointWordsSchema = z.object({
  zh: z.array(text).max(32),
  en: z.array(text).max(32),
  written_as: text.optional(),
});

export const rulePackSchema = z.object({
  intents: z.array(intentSchema).max(64),
  conditions: z.array(conditionSchema).max(64).default([]),
  /** Point name → its words; device points are recognised by their own names anyway. */
  points: z.record(z.string(), pointWordsSchema).default({}),
  /** What people call a method, "restart". */
  titles: z.record(z.string(), bilingual).default({}),
  /** What people call a value of a result, by the value: `fan_failure`. Said by `{field@word}` in answers. */
  words: z.record(z.string(), bilingual).default({}),
  /** How a method's result is told, `{device_id}` a parameter or field of the result, `{findings.0.fault}` within. */
  answers: z.record(z.string(), bilingual).default({}),
});

export type RulePack = z.infer<typeof rulePackSchema>;
export type IntentRule = z.infer<typeof intentSchema>;
export type ConditionRule = z.infer<typeof conditionSchema>;
export type RulePackInput = z.input<typeof rulePackSchema>;
