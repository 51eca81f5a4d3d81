import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
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
/** Folder of an agent's code, beside the code that runs; default `agents/<name>`, with dashes or as it is. */
export const moduleFolder = (module: string | undefined, name: string): string => {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const [dashed, plain] = [join(root, 'agents', name.replaceAll('_', '-')), join(root, 'agents', name)];
  if (module === undefined) return existsSync(dashed) ? dashed : plain;
  return isAbsolute(module) ? module : join(root, module);
};
