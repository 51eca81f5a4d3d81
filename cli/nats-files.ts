import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NatsFiles {
  readonly config: string;
  readonly seedFolder: string;
  readonly seeds: readonly string[];
}

const SEED_FILE = /^([a-z][a-z0-9_]*)\.nk$/;
const seedFolderOf = (folder: string): string => join(folder, 'seeds');

/** Seeds that were made earlier, by component. */
export function readSeeds(folder: string): ReadonlyMap<string, string> {
  const seeds = new Map<string, string>();
  const path = seedFolderOf(folder);
  for (const file of existsSync(path) ? readdirSync(path) : []) {
    const name = SEED_FILE.exec(file)?.[1];
    if (name) seeds.set(name, readFileSync(join(path, file), 'utf8').trim());
  }
  return seeds;
}

/** The configuration for the server, and a file (0600) with the seed of each component, each for its own host. */
export function writeNatsFiles(folder: string, text: string, seeds: ReadonlyMap<string, string>): NatsFiles {
  const config = join(folder, 'nats-server.conf');
  const seedFolder = seedFolderOf(folder);
  mkdirSync(seedFolder, { recursive: true, mode: 0o700 });
  writeFileSync(config, text);
  const files = [...seeds].map(([name, seed]) => {
    const path = join(seedFolder, `${name}.nk`);
    writeFileSync(path, `${seed}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
    return path;
  });
  return { config, seedFolder, seeds: files };
}
