import type { Language } from '../../../shared/site.js';
import type { Draft } from './draft.js';
import { nearestCommands } from './explanation.js';
import type { CompiledPacks } from './language/compile-packs.js';
import type { Reading } from './language/reading.js';
import { notSupported, type Unsupported } from './phrases.js';

/** What stands right before an amount of change, 调高2度; 调高到24度 names a value. */
const BEFORE_AMOUNT =
  /(?:[调提升][高低]|降低|[上下]调|增加|减少|调[大小]|加|减|升|降|凉快|暖和|[再更][高低热冷]|\b(?:by|up|down))[了个]?\s*$/;
/** 调高三楼A区温度2度, "raise F3-A 2 degrees": a change, and no word that leads to a value. */
const NO_TARGET =
  /(?:[调提升][高低]|降低|\b(?:raise|lower|increase|decrease|reduce)\b)(?!.*(?:[到至为成=]|\b(?:to|at)\b)).*$/;
const BEHIND_AMOUNT = /^\s*(?:degrees?\s*)?(?:warmer|cooler|colder|hotter|higher|lower|more|less)\b/;
const SOMEWHAT =
  /(?:[调提升][高低]|降低|[上下]调|调[大小]|[高低热冷]|凉快|暖和)(?:一点|一些|点|些)|\b(?:a little|a bit|slightly)\b/;
const SWITCHING_ZH = /关[掉闭机停上]|停[掉机]|打开|开启|把.{0,40}[关停]|(?<![有开相无])关(?![于注键系心联])/;
const SWITCHING_EN = /\b(?:turn|switch|shut|power)\b.{0,60}\boff\b|\b(?:turn|switch|power) on\b/;
/** 关了吗 asks for the state. */
const ASKS_WHETHER = /[了着]吗|[了着]没|^\s*(?:is|are|was|did)\b/;
const CLOCK = /^\s*(?:am|pm|o'clock|:|点|号|月)/;

/** Characters around a number that are looked at: a long sentence costs no more for each of them. */
const NEAR = 60;

/** A wish of the sentence that no method can serve yet: a change by an amount, or switching on or off. */
function unsupportedIn(reading: Reading): Unsupported | undefined {
  const text = reading.text.toLowerCase();
  for (const [at, { kind, end }] of reading.entities) {
    if (kind !== 'number') continue;
    const from = reading.tokens[at]?.start ?? 0;
    const to = reading.tokens[end - 1]?.end ?? text.length;
    const before = text.slice(Math.max(0, from - NEAR), from);
    const behind = text.slice(to, to + NEAR);
    const change = BEFORE_AMOUNT.test(before) || NO_TARGET.test(before);
    if ((change && !CLOCK.test(behind)) || BEHIND_AMOUNT.test(behind)) return 'relative';
  }
  if (SOMEWHAT.test(text)) return 'relative';
  return (SWITCHING_ZH.test(text) || SWITCHING_EN.test(text)) && !ASKS_WHETHER.test(text) ? 'switching' : undefined;
}

/**
 * Says so where a value is wanted and the sentence gives none but such a wish: a question for the value would be
 * answered "by 2 degrees" again. Nothing where the sentence is about something else.
 */
export function whyUnsupported(
  reading: Reading,
  packs: CompiledPacks,
  drafts: readonly Draft[],
  language: Language,
): string | undefined {
  const what = unsupportedIn(reading);
  if (!what) return undefined;
  const rules = drafts.flatMap((draft) => packs.ruleOf(draft.component, draft.intent) ?? []);
  const setting = rules.find(
    ({ intent }) =>
      intent.effect === 'write' &&
      Object.values(intent.slots).some((slot) => slot.entity === 'number' && slot.required),
  );
  const names = [...reading.entities.values()].some(({ kind }) => kind === 'device' || kind === 'zone');
  if (!setting && (rules.length > 0 || !names)) return undefined;
  const example = setting?.intent.example[language] ?? nearestCommands(packs, reading, language);
  return notSupported(what, example, language);
}
