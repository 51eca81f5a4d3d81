/**
 * Answer templates, facts in, prose out; nothing that is rendered here can be stored as a snapshot.
 *
 * `{field}` a parameter or a field of the result · `{field|A=x|B=y}` with words for values · `{field@person}` ids of
 * the directory by their names, `{field@point}` points by theirs · `[…{field}…]` only when each field in it is there.
 */
export type Segment =
  | { readonly text: string }
  | { readonly field: string; readonly words: Readonly<Record<string, string>>; readonly as?: 'person' | 'point' }
  | { readonly optional: readonly Segment[] };

type Field = Extract<Segment, { field: string }>;

/** How things are said in one language at one site. */
export interface Speech {
  person(id: string): string;
  point(name: string): string;
  /** Between the members of a list. */
  readonly list: string;
}

const PLAIN: Speech = { person: (id) => id, point: (name) => name, list: ', ' };
const PLACE = /^\{([a-z0-9_]+)(?:@(person|point))?((?:\|[^|{}=]+=[^|{}]*)*)\}$/;

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
      return { field: place[1] as string, words, ...(place[2] ? { as: place[2] as 'person' | 'point' } : {}) };
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
        if ('field' in segment) return say(segment, fields[segment.field], speech);
        return fieldsOf(segment.optional).every((inner) => isThere(fields[inner.field])) ? fill(segment.optional) : '';
      })
      .join('');
  return fill(parseTemplate(template));
}

/** The same template as CEL over an earlier step: what is known when the plan is made stands, the rest is looked up. */
export function templateToCel(
  template: string,
  stepId: string,
  params: Readonly<Record<string, unknown>>,
  speech: Speech = PLAIN,
): string {
  const path = (field: string): string => `steps.${stepId}.result.${field}`;
  const there = (field: string): string => `has(${path(field)}) && ${path(field)} != null`;
  const part = (segment: Segment): string => {
    if ('text' in segment) return literal(segment.text);
    if ('optional' in segment) {
      const looked = fieldsOf(segment.optional).filter((inner) => params[inner.field] === undefined);
      const text = join(segment.optional.map(part));
      return looked.length === 0 ? text : `(${looked.map((inner) => there(inner.field)).join(' && ')} ? ${text} : '')`;
    }
    const known = params[segment.field];
    if (known !== undefined) return literal(say(segment, known, speech));
    const value = `string(${path(segment.field)})`;
    const said = Object.entries(segment.words).reduceRight(
      (otherwise, [from, to]) => `(${value} == ${literal(from)} ? ${literal(to)} : ${otherwise})`,
      value,
    );
    return `(${there(segment.field)} ? ${said} : '—')`;
  };
  return join(parseTemplate(template).map(part));
}

const join = (parts: readonly string[]): string => (parts.length === 0 ? "''" : parts.join(' + '));

function fieldsOf(segments: readonly Segment[]): Field[] {
  return segments.flatMap((segment) => {
    if ('optional' in segment) return fieldsOf(segment.optional);
    return 'field' in segment ? [segment] : [];
  });
}

const isThere = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

function say(segment: Field, value: unknown, speech: Speech): string {
  const one = (item: unknown): string => {
    const words = segment.words[String(item)];
    if (words !== undefined) return words;
    return segment.as ? speech[segment.as](String(item)) : show(item, speech.list);
  };
  return Array.isArray(value) ? value.map(one).join(speech.list) : one(value);
}

const literal = (text: string): string =>
  `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;

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
