import type { StoredEntry } from '../record/index.js';

type Column = readonly [name: string, cell: (entry: StoredEntry) => unknown];

const COLUMNS: readonly Column[] = [
  ['n', ({ n }) => n],
  ['seq', ({ seq }) => seq],
  ['at', ({ at }) => new Date(at).toISOString()],
  ['kind', ({ kind }) => kind],
  ['outcome', ({ outcome }) => outcome],
  ['principal', ({ principal }) => principal?.id],
  ['caller', ({ caller }) => caller],
  ['component', ({ component }) => component],
  ['instance', ({ instance }) => instance],
  ['tool', ({ tool }) => tool && `${tool.name} ${tool.version}`],
  ['tool_digest', ({ tool }) => tool?.digest],
  ['operation_id', ({ operation_id }) => operation_id],
  ['request_id', ({ request_id }) => request_id],
  ['goal_id', ({ goal_id }) => goal_id],
  ['step_id', ({ step_id }) => step_id],
  ['params', ({ params }) => params],
  ['pre_state', ({ pre_state }) => pre_state],
  ['effects', ({ effects }) => effects],
  ['verification', ({ verification }) => verification],
  ['rollback', ({ rollback }) => rollback],
  ['error', ({ error }) => error],
  ['data', ({ data }) => data],
  ['snapshot_ids', ({ snapshot_ids }) => snapshot_ids?.join(' ')],
  ['clock_offset_ms', ({ clock_offset_ms }) => clock_offset_ms],
  ['prev', ({ prev }) => prev],
  ['hash', ({ hash }) => hash],
];

/** What spreadsheets take for the beginning of a formula, full-width forms too; they pass over blanks before it. */
const FORMULA = /^[\s\u00a0\u3000]*[=+\-@|%＝＋－＠]/;

/** Entries as CSV (RFC 4180), UTF-8 with a byte order mark: spreadsheets take it for another encoding without. */
export function renderCsv(entries: readonly StoredEntry[]): string {
  const rows = [COLUMNS.map(([name]) => name), ...entries.map((entry) => COLUMNS.map(([, cell]) => cell(entry)))];
  return `\ufeff${rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')}`;
}

/** A text that a spreadsheet would run gets an apostrophe before it; numbers stay numbers. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const inert = FORMULA.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
