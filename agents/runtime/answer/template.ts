import type { Language, Site } from '../../../shared/site.js';

/**
 * Answer templates, facts in, prose out; nothing that is rendered here can be stored as a snapshot.
 *
 * `{field}` a parameter or a field of the result · `{field|A=x|B=y}` with words for values · `{field@person}` ids of
 * the directory by their names · `[…{field}…]` only when each field in it is there.
 */
export type Segment =
  | { readonly text: string }
  | { readonly field: string; readonly words: Readonly<Record<string, string>>; readonly person: boolean }
  | { readonly optional: readonly Segment[] };

type Field = Extract<Segment, { field: string }>;

const PLACE = /^\{([a-z0-9_]+)(@person)?((?:\|[^|{}=]+=[^|{}]*)*)\}$/;

export function parseTemplate(template: string): Segment[] {
  return template
    .split(/(\[[^[\]]*\]|\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part): Segment => {
      if (part.startsWith('[')) return { optional: parseTemplate(part.slice(1, -1)) };
      const place = PLACE.exec(part);
      if (!place) return { text: part };
      const words = (place[3] ?? '')
        .split('|')
        .filter(Boolean)
        .map((pair) => pair.split('=') as [string, string]);
      return { field: place[1] as string, words: Object.fromEntries(words), person: place[2] !== undefined };
    });
}

/** How ids of the directory are said. */
export type NameOf = (id: string) => string;

export const nameIn =
  (site: Site, language: Language): NameOf =>
  (id) => {
    const known = site.people.find((person) => person.id === id) ?? site.groups.find((group) => group.id === id);
    return known?.names[language][0] ?? known?.names.en[0] ?? id;
  };

export function fillTemplate(
  template: string,
  fields: Readonly<Record<string, unknown>>,
  nameOf: NameOf = (id) => id,
): string {
  const fill = (segments: readonly Segment[]): string =>
    segments
      .map((segment) => {
        if ('text' in segment) return segment.text;
        if ('field' in segment) return say(segment, fields[segment.field], nameOf);
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
  nameOf: NameOf = (id) => id,
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
    if (known !== undefined) return literal(say(segment, known, nameOf));
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

const fieldsOf = (segments: readonly Segment[]): Field[] =>
  segments.flatMap((segment) =>
    'optional' in segment ? fieldsOf(segment.optional) : 'field' in segment ? [segment] : [],
  );

const isThere = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

function say(segment: Field, value: unknown, nameOf: NameOf): string {
  const words = (one: unknown): string =>
    segment.words[String(one)] ?? (segment.person ? nameOf(String(one)) : show(one));
  return Array.isArray(value) ? value.map(words).join('、') : words(value);
}

const literal = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;

/** A value as a person reads it; a point with its unit, and with its quality when that is not good. */
export function show(value: unknown): string {
  if (!isThere(value)) return '—';
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value)) return value.map(show).join('、');
  if (typeof value !== 'object') return String(value);
  const point = value as { value?: unknown; unit?: string; quality?: string };
  if ('value' in point && 'quality' in point) {
    const doubt = point.quality === 'good' ? '' : ` (${point.quality})`;
    return `${show(point.value)}${point.unit ? ` ${point.unit}` : ''}${doubt}`;
  }
  return Object.entries(value as object)
    .map(([key, inner]) => `${key} ${show(inner)}`)
    .join('，');
}
