/** Body rows of the Markdown tables of a page, without their heads. */
export function tableRows(page: string): string[] {
  const lines = page.split('\n').map((line) => line.trim());
  const isRow = (line: string | undefined): boolean => line?.startsWith('|') === true;
  const isRule = (line: string | undefined): boolean => line !== undefined && /^\|[\s|:-]+\|$/.test(line);
  return lines.filter((line, index) => isRow(line) && !isRule(line) && !isRule(lines[index + 1]));
}
