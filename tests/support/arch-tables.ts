/** Body rows of the Markdown tables of a page, without heads, one blank beside each bar however they are laid out. */
export function tableRows(page: string): string[] {
  const lines = page.split('\n').map((line) => line.trim());
  const isRow = (line: string | undefined): boolean => line?.startsWith('|') === true;
  const isRule = (line: string | undefined): boolean => line !== undefined && /^\|[\s|:-]+\|$/.test(line);
  return lines
    .filter((line, index) => isRow(line) && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.replace(/\s*\|\s*/g, ' | ').trim());
}
