import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../shared/config.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the public data is: `field_data` of the configuration, from the project's root. */
const fieldFolder = (): string => resolve(ROOT, loadConfig().values.field_data);

/** Why a test on this file of the public data is skipped; undefined where the file is there. */
export function fieldDataMissing(file: string): string | undefined {
  const path = resolve(fieldFolder(), file);
  return existsSync(path) ? undefined : `no public data at ${path}; set HERMES_FIELD_DATA`;
}

/** Rows of a CSV file of the public data by their heading. Cells hold no commas. */
export function fieldCsv(file: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(resolve(fieldFolder(), file), 'utf8').trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}
