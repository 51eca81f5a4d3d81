/**
 * Answer templates: text with `{field}` places, filled from parameters and results. Facts in, prose out; nothing that
 * is rendered here can be stored as a snapshot.
 */
export type Segment = { readonly text: string } | { readonly field: string };

export function parseTemplate(template: string): Segment[] {
  return template
    .split(/(\{[a-z0-9_]+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{[a-z0-9_]+\}$/.test(part) ? { field: part.slice(1, -1) } : { text: part }));
}

export function fillTemplate(template: string, fields: Readonly<Record<string, unknown>>): string {
  return parseTemplate(template)
    .map((segment) => ('text' in segment ? segment.text : show(fields[segment.field])))
    .join('');
}

/** The same template as a CEL expression over an earlier step: literal parameters stand, results are looked up. */
export function templateToCel(template: string, stepId: string, params: Readonly<Record<string, unknown>>): string {
  const parts = parseTemplate(template).map((segment) => {
    if ('text' in segment) return literal(segment.text);
    const known = params[segment.field];
    if (known !== undefined) return literal(show(known));
    const path = `steps.${stepId}.result.${segment.field}`;
    return `(has(${path}) && ${path} != null ? string(${path}) : '—')`;
  });
  return parts.length === 0 ? "''" : parts.join(' + ');
}

const literal = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;

/** A value as a person reads it. */
export function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value)) return value.map(show).join('、');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${show(inner)}`)
      .join('，');
  }
  return String(value);
}
