import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_NAMES, REASONS, type ReasonRow } from '../../shared/errors.js';
import { ROOT } from '../support/arch-source.js';
import { tableRows } from '../support/arch-tables.js';

const expectedRow = ([reason, row]: [string, ReasonRow]): string[] => [
  `\`${reason}\``,
  `${row.code} \`${ERROR_NAMES[row.code]}\``,
  String(row.http),
  row.retryable ? 'yes' : 'no',
  row.acts,
  row.meaning,
];

/** What the page says otherwise than the table: rows that are missing, wrong or of no reason. */
function errorTableViolations(page: string, reasons: Readonly<Record<string, ReasonRow>>): string[] {
  const wanted = Object.entries(reasons).map((entry) => `| ${expectedRow(entry).join(' | ')} |`);
  const written = tableRows(page);
  return [
    ...wanted.filter((row) => !written.includes(row)).map((row) => `docs/errors.md lacks: ${row}`),
    ...written.filter((row) => !wanted.includes(row)).map((row) => `shared/errors.ts does not say: ${row}`),
  ];
}

test('docs/errors.md and the table of shared/errors.ts say the same', () => {
  expect(errorTableViolations(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8'), REASONS)).toEqual([]);
});

test('every reason keeps to its code: the HTTP status belongs to the family of the code', () => {
  const families: Readonly<Record<number, readonly number[]>> = {
    400: [400, 404, 409, 413, 415, 422, 429],
    403: [401, 403],
    408: [408, 503, 504],
    500: [500],
  };
  const strays = Object.entries<ReasonRow>(REASONS).filter(([, { code, http }]) => !families[code]?.includes(http));
  expect(strays).toEqual([]);
});

test('a reason without a row, and a row without a reason, are caught', () => {
  const reason: ReasonRow = { code: 400, http: 400, retryable: false, acts: 'caller', meaning: 'planted' };
  const row = `| ${expectedRow(['planted', reason]).join(' | ')} |`;
  expect(errorTableViolations('', { planted: reason })).toHaveLength(1);
  expect(errorTableViolations(`| reason |\n| --- |\n${row}`, {})).toHaveLength(1);
  expect(errorTableViolations(`| reason |\n| --- |\n${row}`, { planted: reason })).toEqual([]);
});
