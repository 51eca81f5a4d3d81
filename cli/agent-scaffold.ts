import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RESERVED_NAMES } from '../mcp/index.js';
import { HermesError } from '../shared/errors.js';

/** One name in the forms that a folder, a component, an identifier and a sentence need. */
export interface AgentNames {
  /** Folder and file names, `pump-guard`. */
  readonly kebab: string;
  /** Component and method names, `pump_guard`. */
  readonly snake: string;
  /** `pumpGuard` */
  readonly camel: string;
  /** `PUMP_GUARD` */
  readonly constant: string;
  /** In English sentences, `pump guard`. */
  readonly spoken: string;
  /** In Chinese sentences. */
  readonly zh: string;
}

/** Leaves every line of what is made within its width. */
const NAME_CHARS = 24;
/** No digits: in a sentence they are heard as a number. */
const NAME = /^[a-z]+([-_][a-z]+)*$/;
/** No mark that a template of a sentence could take for its own. */
const WORD = /^\p{L}{1,8}$/u;
/** Folders below agents/ that are no agents. */
const ROOMS = ['runtime', 'drivers', 'template'];

/** @throws HermesError `invalid_params` naming `/name` or `/zh`. */
export function agentNames(name: string, zh?: string): AgentNames {
  const words = name.split(/[-_]/);
  const snake = words.join('_');
  if (!NAME.test(name) || name.length > NAME_CHARS) {
    const problem = `lower-case letters and dashes, no digits, at most ${NAME_CHARS} characters`;
    throw refuse(`"${name}" is no name for an agent`, '/name', problem, 'for example: hermes new agent pump-guard');
  }
  if (ROOMS.includes(snake) || RESERVED_NAMES.has(snake)) {
    throw refuse(`"${name}" means something else here`, '/name', 'reserved', 'take another name');
  }
  if (zh !== undefined && !WORD.test(zh)) {
    throw refuse(`"${zh}" is no word`, '/zh', 'letters alone, at most 8', 'for example: --zh 冷却液');
  }
  return {
    kebab: words.join('-'),
    snake,
    camel: words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join(''),
    constant: snake.toUpperCase(),
    spoken: words.join(' '),
    zh: zh ?? words.join(' '),
  };
}

/** Folder of the checkout that holds `from`. @throws HermesError `not_found` outside of one. */
export function findCheckout(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (isCheckout(folder)) return folder;
    if (dirname(folder) === folder) break;
  }
  throw new HermesError('not_found', `${from} is in no checkout of hermes-network: an agent is made from its sources`, {
    suggestion: 'go into a checkout, where agents/template is, and run it there',
  });
}

function isCheckout(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file) || !existsSync(join(folder, 'agents', 'template', 'index.ts'))) return false;
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'hermes-network';
}

/**
 * Copies `agents/template` under the new name; nothing else in the checkout changes.
 * @returns what was made, relative to the checkout. @throws HermesError `invalid_params` when the folder is there.
 */
export function scaffoldAgent(checkout: string, names: AgentNames): string[] {
  const folder = `agents/${names.kebab}`;
  if (existsSync(join(checkout, folder))) {
    throw refuse(`${folder} is there already`, '/name', 'taken', `take another name, or remove ${folder} first`);
  }
  const template = join(checkout, 'agents', 'template');
  const files = readdirSync(template, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|md)$/.test(path));
  return files.sort().map((path) => {
    const made = `${folder}/${renamed(path, names)}`;
    mkdirSync(dirname(join(checkout, made)), { recursive: true });
    writeFileSync(join(checkout, made), renamed(readFileSync(join(template, path), 'utf8'), names));
    return made;
  });
}

/** The template's own name has two words, so that each form of it can be told from every other word. */
function renamed(text: string, { kebab, snake, camel, constant, spoken, zh }: AgentNames): string {
  return text
    .replaceAll('agents/template', `agents/${kebab}`)
    .replaceAll('sample-agent', kebab)
    .replaceAll('sample_agent', snake)
    .replaceAll('sampleAgent', camel)
    .replaceAll('SAMPLE_AGENT', constant)
    .replaceAll('sample agent', spoken)
    .replaceAll('样板', zh);
}

const refuse = (message: string, pointer: string, problem: string, suggestion: string): HermesError =>
  new HermesError('invalid_params', message, { fields: [{ pointer, problem }], suggestion });
