import { type Field, fieldsOf, PLAIN, parseTemplate, type Segment, type Speech, say, valueAt } from './template.js';

/**
 * An answer template as CEL over an earlier step: what is known when the plan is made stands, the rest is looked up.
 * Short on purpose: an expression of a plan has a size, and one message may tell of many steps.
 */
export function templateToCel(
  template: string,
  stepId: string,
  params: Readonly<Record<string, unknown>>,
  speech: Speech = PLAIN,
): string {
  const known = ({ field }: Field): unknown => valueAt(params, field);
  /** `sure`: it has been seen that the field is there. */
  const part = (segment: Segment, sure: boolean): string => {
    if ('text' in segment) return literal(segment.text);
    if ('optional' in segment) {
      const looked = fieldsOf(segment.optional).filter((inner) => known(inner) === undefined);
      const text = join(segment.optional.map((inner) => part(inner, true)));
      return looked.length === 0 ? text : `(${looked.map(({ field }) => there(field)).join(' && ')} ? ${text} : '')`;
    }
    const value = known(segment);
    if (value !== undefined) return literal(say(segment, value, speech));
    const said = told(segment, speech);
    return sure ? said : `(${there(segment.field)} ? ${said} : '—')`;
  };
  const parts = parseTemplate(template);
  const text = join(parts.map((segment) => part(segment, false)));
  return fieldsOf(parts).every((field) => known(field) !== undefined)
    ? text
    : `[steps.${stepId}.result].map(r, ${text})[0]`;
}

const isIndex = (key: string): boolean => /^\d+$/.test(key);

/** `r.findings[0].fault` */
const path = (field: string): string =>
  field.split('.').reduce((whole, key) => (isIndex(key) ? `${whole}[${key}]` : `${whole}.${key}`), 'r');

/** Each part of the path is there and is not null. */
function there(field: string): string {
  const keys = field.split('.');
  const checks = keys.map((key, index) => {
    const inner = path(keys.slice(0, index + 1).join('.'));
    if (index === 0) return `has(${inner}) && ${inner} != null`;
    const outer = path(keys.slice(0, index).join('.'));
    const reaches = isIndex(key) ? `size(${outer}) > ${key}` : `'${key}' in ${outer}`;
    return `${reaches} && ${inner} != null`;
  });
  return checks.join(' && ');
}

/** A value of the result in words: each member of a list, and of a point its value. */
function told({ field, words, as }: Field, speech: Speech): string {
  const value = path(field);
  const table = { ...(as ? speech.table(as) : {}), ...words };
  const one = Object.keys(table).length > 0 ? lookedUp(table) : shown;
  return `(type(${value}) == list ? ${value} : [${value}]).map(v, ${one}).join(${literal(speech.list)})`;
}

const shown = "type(v) in [string, int, double, bool] ? string(v) : '…'";

/**
 * One text holds the table, "\nid\tname\n": a look-up in it is as small for a hundred words as for two, and what has
 * no word is not an error.
 */
function lookedUp(table: Readonly<Record<string, string>>): string {
  const rows = Object.entries(table).filter((row) => row.every((text) => !/[\n\t]/.test(text)));
  const text = literal(`\n${rows.map(([id, name]) => `${id}\t${name}\n`).join('')}`);
  const key = "'\\n' + string(v) + '\\t'";
  return `${text}.contains(${key}) ? ${text}.split(${key})[1].split('\\n')[0] : string(v)`;
}

const join = (parts: readonly string[]): string => (parts.length === 0 ? "''" : parts.join(' + '));

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

const literal = (text: string): string => `'${text.replace(/[\\'\n\r\t]/g, (c) => ESCAPES.get(c) ?? c)}'`;
