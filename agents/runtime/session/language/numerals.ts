/** Chinese numerals: 七, 十二, 二十四, 一百零五, 两, 〇〇七 (read digit by digit). */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...[...'零一二三四五六七八九'].map((c, index): [string, number] => [c, index]),
  ['〇', 0],
  ['两', 2],
]);
const TENS: ReadonlyMap<string, number> = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);

export const isNumeral = (c: string): boolean => DIGITS.has(c) || TENS.has(c);

/** Value of a run of numerals; nothing when the run is not a number. */
export function numeralValue(run: string): number | undefined {
  let total = 0;
  let digit: number | undefined;
  let digits = '';
  let scaled = false;
  for (const c of run) {
    const scale = TENS.get(c);
    if (scale === undefined) {
      digit = DIGITS.get(c);
      if (digit === undefined) return undefined;
      digits += digit;
    } else {
      total += (digit ?? 1) * scale;
      digit = undefined;
      scaled = true;
    }
  }
  if (run === '') return undefined;
  return scaled ? total + (digit ?? 0) : Number(digits);
}

const UNITS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen'
).split(' ');
const DECADES = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const ENGLISH: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, index): [string, number] => [word, index]),
  ...DECADES.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

/** `seven`, `forty` and so on; compounds are added by the caller. */
export const englishNumber = (word: string): number | undefined => ENGLISH.get(word);

const WRITTEN = '零一二三四五六七八九';

/** 1 to 99 in Chinese numerals, 三 or 十二; other numbers in digits. */
export function chineseNumber(value: number): string {
  if (!Number.isInteger(value) || value < 1 || value > 99) return String(value);
  const [tens, units] = [Math.floor(value / 10), value % 10];
  const unit = units === 0 ? '' : WRITTEN.charAt(units);
  return tens === 0 ? unit : `${tens === 1 ? '' : WRITTEN.charAt(tens)}十${unit}`;
}
