import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../shared/config.js';
import { invalidParams } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { AdmissionOptions } from '../topology/index.js';

/** Sources, or what was built of them. */
const IS_BUILT = import.meta.url.endsWith('.js');

/** Key with which the tools of a built product were signed, beside its code. */
export const productKey = (): string => fileURLToPath(new URL('../tools.pub.pem', import.meta.url));
/** Key with which `hermes tools sign` signs, and its public half. */
export const toolsKey = (dataDir: string): { folder: string; name: string; publicFile: string } => {
  const folder = join(dataDir, 'keys');
  return { folder, name: 'tools', publicFile: join(folder, 'tools.pub.pem') };
};

/** How this process admits tools. @throws HermesError `invalid_params` for a key file that is not there. */
export function admissionOf(values: Config, dataDir: string, logger: Logger): AdmissionOptions {
  const { tools_mode, tools_keys, nats_url } = values;
  return {
    mode: tools_mode ?? (IS_BUILT && nats_url !== undefined ? 'enforce' : 'develop'),
    known: tools_keys === undefined ? usualKeys(dataDir) : namedKeys(tools_keys),
    logger,
  };
}

const usualKeys = (dataDir: string): string[] =>
  [toolsKey(dataDir).publicFile, productKey()].filter((file) => existsSync(file)).map(pemIn);

function namedKeys(files: string): string[] {
  return files.split(',').map((file) => {
    const path = file.trim();
    if (existsSync(path)) return pemIn(path);
    const problem = `no file ${path}`;
    throw invalidParams(`tools_keys: ${problem}`, [{ pointer: '/tools_keys', problem }]);
  });
}

const pemIn = (file: string): string => readFileSync(file, 'utf8');

/** What the start says of it. */
export const toolsLine = (admission: AdmissionOptions | undefined): string[] => {
  if (!admission) return [];
  const what = admission.mode === 'enforce' ? 'signed tools only' : 'unsigned ones run too';
  return [`  tools    ${admission.mode}: ${what} (HERMES_TOOLS_MODE)`];
};
