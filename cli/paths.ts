import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the product: the folder that holds package.json, from sources and from dist alike. */
export function productRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export const pageDir = (): string => join(productRoot(), 'dist', 'console');
/** The demo site, beside the code that runs. */
export const demoSite = (): string => {
  const beside = join(dirname(fileURLToPath(import.meta.url)), '..', 'topology', 'sites', 'x-lab.yaml');
  return existsSync(beside) ? beside : join(productRoot(), 'topology', 'sites', 'x-lab.yaml');
};
