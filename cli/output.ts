/** Data on stdout: JSON for programs, lines for people. */
export function print(value: unknown): void {
  process.stdout.write(typeof value === 'string' ? `${value}\n` : `${JSON.stringify(value, null, 2)}\n`);
}

/** One line on stdout, as it is. */
export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? '')))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Chinese characters take two cells of a terminal. */
const width = (text: string): number => [...text].reduce((sum, letter) => sum + (/[ᄀ-￠]/.test(letter) ? 2 : 1), 0);
