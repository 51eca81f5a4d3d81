/**
 * Answer templates, facts in, prose out; nothing that is rendered here can be stored as a snapshot.
 *
 * `{field}` a parameter or a field of the result, `{findings.0.fault}` one inside it · `{field|A=x|B=y}` with words
 * for values · `{field@person}` ids of the directory by their names, `@point` points, `@zone` zones by theirs, `@word`
 * values by the `words` of the pack, `@time` instants to the minute · `[…{field}…]` only when each field in it is
 * there.
 */
export type Segment = { readonly text: string } | Field | { readonly optional: readonly Segment[] };

export interface Field {
  /** `findings.0.fault`: names of fields and indexes of lists. */
  readonly field: string;
  readonly words: Readonly<Record<string, string>>;
  readonly as?: SaidAs;
}

/** What a value is the id of, for those that people say otherwise. */
export type SaidAs = 'person' | 'point' | 'zone' | 'word' | 'time';

/** How things are said in one language at one site. */
export interface Speech {
  person(id: string): string;
  point(name: string): string;
  zone(id: string): string;
  word(value: string): string;
  time(iso: string): string;
  /** Everything of a kind that is said otherwise, by its id. */
  table(as: SaidAs): Readonly<Record<string, string>>;
  /** Between the members of a list. */
  readonly list: string;
}

const same = (id: string): string => id;
export const PLAIN: Speech = {
  person: same,
  point: same,
  zone: same,
  word: same,
  time: same,
  table: () => ({}),
  list: ', ',
};

const PLACE = /^\{([a-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?:@(person|point|zone|word|time))?((?:\|[^|{}=]+=[^|{}]*)*)\}$/;

export function parseTemplate(template: string): Segment[] {
  return template
    .split(/(\[[^[\]]*\]|\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part): Segment => {
      if (part.startsWith('[')) return { optional: parseTemplate(part.slice(1, -1)) };
      const place = PLACE.exec(part);
      if (!place) return { text: part };
      const pairs = (place[3] ?? '').split('|').filter(Boolean);
      const words = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
      return { field: place[1] as string, words, ...(place[2] ? { as: place[2] as SaidAs } : {}) };
    });
}

export function fillTemplate(
  template: string,
  fields: Readonly<Record<string, unknown>>,
  speech: Speech = PLAIN,
): string {
  const fill = (segments: readonly Segment[]): string =>
    segments
      .map((segment) => {
        if ('text' in segment) return segment.text;
        if ('field' in segment) return say(segment, valueAt(fields, segment.field), speech);
        const inner = fieldsOf(segment.optional);
        return inner.every(({ field }) => isThere(valueAt(fields, field))) ? fill(segment.optional) : '';
      })
      .join('');
  return fill(parseTemplate(template));
}

/** What stands at a path; nothing where the path leads nowhere. */
export function valueAt(fields: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = fields;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

export function fieldsOf(segments: readonly Segment[]): Field[] {
  return segments.flatMap((segment) => {
    if ('optional' in segment) return fieldsOf(segment.optional);
    return 'field' in segment ? [segment] : [];
  });
}

const isThere = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** A value in words; a list of values one after another. */
export function say({ words, as }: Field, value: unknown, speech: Speech): string {
  const one = (item: unknown): string => {
    const word = words[String(item)];
    if (word !== undefined) return word;
    return as && isThere(item) ? speech[as](String(item)) : show(item, speech.list);
  };
  return Array.isArray(value) && value.length > 0 ? value.map(one).join(speech.list) : one(value);
}

/** A value as a person reads it; a point with its unit, and with its quality when that is not good. */
export function show(value: unknown, list = ', '): string {
  if (!isThere(value)) return '—';
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value)) return value.map((item) => show(item, list)).join(list);
  if (typeof value !== 'object') return String(value);
  const point = value as { value?: unknown; unit?: string; quality?: string };
  if ('value' in point && 'quality' in point) {
    const doubt = point.quality === 'good' ? '' : ` (${point.quality})`;
    return `${show(point.value, list)}${point.unit ? ` ${point.unit}` : ''}${doubt}`;
  }
  return Object.entries(value as object)
    .map(([key, inner]) => `${key} ${show(inner, list)}`)
    .join(list);
}
