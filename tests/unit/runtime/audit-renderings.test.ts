import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvCell, renderCsv, renderPdf } from '../../../agents/runtime/audit/index.js';
import type { StoredEntry } from '../../../agents/runtime/record/index.js';
import { chainOf, partsOf } from '../../support/audit-parts.js';
import { testSigning } from '../../support/test-signing.js';

const { about, head } = partsOf(chainOf(3), testSigning());

/** Pixels darker than half, by page: what is printed counts, not what can be copied out. */
function darkPixels(pdf: Uint8Array): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-pdf-'));
  try {
    writeFileSync(join(folder, 'a.pdf'), pdf);
    execFileSync('pdftoppm', ['-gray', '-r', '120', join(folder, 'a.pdf'), join(folder, 'page')]);
    const pages = readdirSync(folder).filter((name) => name.endsWith('.pgm'));
    return pages.sort().map((name) => {
      const bytes = readFileSync(join(folder, name));
      const [header] = /^P5\s+\d+\s+\d+\s+255\s/.exec(bytes.toString('latin1')) ?? [''];
      return bytes.subarray(header.length).filter((grey) => grey < 128).length;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const noted = (note: string): StoredEntry[] =>
  chainOf(1).map((entry) => ({ ...entry, principal: { id: 'z', roles: [] }, params: { note } }));

describe('the PDF of a package', () => {
  test('shows Chinese: each character more is ink more', async () => {
    const ink = async (note: string): Promise<number> => {
      const [first = 0] = darkPixels(await renderPdf(about, noted(note), head));
      return first;
    };
    const none = await ink('');
    const some = await ink('重启七号空调');
    const more = await ink('重启七号空调并通知张工，温度℃');
    expect(none).toBeGreaterThan(200);
    expect(some).toBeGreaterThan(none + 60);
    expect(more).toBeGreaterThan(some + 60);
  }, 30_000);

  test('has the same bytes for the same parts', async () => {
    const one = Buffer.from(await renderPdf(about, chainOf(3), head));
    expect(one.equals(await renderPdf(about, chainOf(3), head))).toBe(true);
  }, 30_000);

  test('of a long record shows the newest entries, and is made in time', async () => {
    const pages = darkPixels(await renderPdf(about, chainOf(2_000), head));
    expect(pages.length).toBeGreaterThan(10);
    expect(Math.min(...pages)).toBeGreaterThan(200);
  }, 60_000);
});

describe('the CSV of a package', () => {
  test.each(['=cmd|calc', '+1+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '  =1+1', '\u3000＝1', '＋1', '%0A', '|x'])(
    '%j is no formula',
    (text) => {
      expect(csvCell(text)).toBe(`"'${text}"`);
    },
  );

  test('quotes, line ends and commas stay within their cell', () => {
    expect(csvCell('a "b", c\nd')).toBe('"a ""b"", c\nd"');
    expect(csvCell({ note: '=1' })).toBe('"{""note"":""=1""}"');
    expect(csvCell(undefined)).toBe('');
    expect(csvCell(-3)).toBe('-3');
  });

  test('has one line an entry, whatever the entry says', () => {
    const entries = chainOf(4).map((entry) => ({ ...entry, caller: '=HYPERLINK("x")', goal_id: '"\r\n=1' }));
    const csv = renderCsv(entries);
    expect(csv.startsWith('\ufeff"n","seq","at","kind"')).toBe(true);
    expect(csv).toContain(`"'=HYPERLINK(""x"")"`);
    const cells = csv.match(/"(?:[^"]|"")*"|[^",\r\n]+/g) ?? [];
    expect(cells.filter((cell) => /^"?[=+@]/.test(cell))).toEqual([]);
  });
});
