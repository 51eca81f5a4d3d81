import { ambientUses, type Fault, importsOf, type ModuleImport } from './ambient.js';
import { constantsOf, undeclaredUses } from './declared-uses.js';
import { parseModule, type Syntax } from './syntax.js';

/** A place in an agent's sources that keeps it from being admitted. */
export interface ScanFinding {
  /** As it was given to the scan. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** It is not there, or no module: whoever loads it says so. */
  readonly unreadable?: true;
}

/** The sources of an agent, read by whoever may read files. */
export interface SourceReader {
  /** Text of a module, undefined when there is none. */
  read(path: string): string | undefined;
  /**
   * Where an import leads: `own`, a module of the agent's folder with its path; `given`, what every tool may have;
   * `outside`, everything else.
   */
  resolve(from: string, specifier: string): { readonly kind: 'own'; readonly path: string } | Foreign;
}
export interface Foreign {
  readonly kind: 'given' | 'outside';
}

export interface Scan {
  readonly findings: readonly ScanFinding[];
  /** Every module that was reached, in order of reaching. */
  readonly files: readonly string[];
}

/**
 * Packages and built-ins that bring no I/O, time or chance. Of a built-in only the names that stand here.
 */
const GIVEN: Readonly<Record<string, readonly string[] | '*'>> = {
  zod: '*',
  'hermes-network': '*',
  'node:crypto': ['createHash', 'createHmac', 'timingSafeEqual'],
};

/**
 * Goes through an agent's modules from its entry, by their imports: a tool reaches for nothing but its context.
 * Dynamic imports are refused, so every module that can run is seen. A defence against mistakes, not against hostile
 * code: what is computed is not followed.
 */
export function scanSources(entry: string, reader: SourceReader): Scan {
  const findings: ScanFinding[] = [];
  const modules = new Map<string, Syntax>();
  const constants = new Map<string, readonly string[]>();
  const say = (file: string, fault: Fault & Pick<ScanFinding, 'unreadable'>): void =>
    void findings.push({ file, ...fault });
  const queue = [entry];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (modules.has(path)) continue;
    const syntax = parsed(path, reader.read(path), (fault) => say(path, { ...fault, unreadable: true }));
    if (!syntax) continue;
    modules.set(path, syntax);
    for (const [name, texts] of constantsOf(syntax)) constants.set(name, texts);
    for (const one of importsOf(syntax)) {
      const found = reader.resolve(path, one.specifier);
      if (found.kind === 'own') queue.push(found.path);
      const fault = found.kind === 'outside' ? foreignFault(one) : undefined;
      if (fault) say(path, { line: one.line, message: fault });
    }
  }
  for (const [path, syntax] of modules) {
    for (const fault of [...ambientUses(syntax), ...undeclaredUses(syntax, constants)]) say(path, fault);
  }
  return { findings, files: [...modules.keys()] };
}

function parsed(path: string, text: string | undefined, say: (fault: Fault) => void): Syntax | undefined {
  if (text === undefined) {
    say({ line: 1, message: 'is imported and not there' });
    return undefined;
  }
  try {
    return parseModule(path, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    say({ line: 1, message: `is no module: ${error.message}` });
    return undefined;
  }
}

function foreignFault({ specifier, names }: ModuleImport): string | undefined {
  const given = GIVEN[specifier];
  if (given === '*') return undefined;
  const odd = given ? names.filter((name) => !given.includes(name)) : [];
  if (given && odd.length === 0 && names.length > 0) return undefined;
  const what = odd.length > 0 ? `${odd.join(', ')} of '${specifier}'` : `'${specifier}'`;
  return `${what} is not for tools: I/O comes from the context, and everything else from the agent’s own folder`;
}
