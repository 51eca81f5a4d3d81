import { type AgentDefinition, auditGrants, manifestProblems, ruleProblems } from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import { type Logger, silentLogger } from '../../shared/telemetry/logger.js';
import { type AgentSources, readAgent, readLock } from './agent-sources.js';

/**
 * `enforce`: tools that nobody known signed, or that were changed since, do not start. `develop`: they do, with a
 * warning. What the scan or the rules of manifests find starts in neither.
 */
export type ToolsMode = 'enforce' | 'develop';

export interface AdmissionOptions {
  readonly mode: ToolsMode;
  /** Public keys (PEM) whose signatures count. */
  readonly known: readonly string[];
  readonly logger: Logger;
}

export const DEVELOPING: AdmissionOptions = { mode: 'develop', known: [], logger: silentLogger() };

/** How an agent's tools came in, as `hermes tools list` shows it. */
export interface Admitted {
  readonly mode: ToolsMode;
  /** Key that signed them, null where nobody known did. */
  readonly signed_by: string | null;
}

/** An agent whose files have passed; its tools have not been seen yet. */
export interface Admission {
  /** @throws HermesError `not_allowed` for tools that are not admitted. */
  admit(definition: AgentDefinition, grants: readonly string[]): Admitted;
}

/**
 * The gates before an agent's code runs: scan, and signature of its files. @param entry path of its module.
 * @throws HermesError `not_allowed` that names each file and line.
 */
export function admitFiles(agent: string, entry: string, options: AdmissionOptions): Admission {
  const sources = readAgent(entry);
  const findings = sources.findings.filter(({ unreadable }) => !unreadable);
  if (findings.length > 0) throw scanned(agent, findings);
  const { lock, problems } = readLock(sources, options.known);
  const unsigned = (found: readonly string[]): void => {
    if (found.length === 0) return;
    if (options.mode === 'enforce') throw unsignedTools(agent, found);
    // Sources are rarely signed; a signature that does not hold is another matter.
    const level = lock ? 'warn' : 'info';
    options.logger[level]({ agent, problems: found }, 'unsigned tools run: HERMES_TOOLS_MODE=develop');
  };
  unsigned(problems);
  return {
    admit({ tools }, grants) {
      const rules = tools.flatMap(ruleProblems);
      if (rules.length > 0) throw refused(agent, rules, 'mend the manifest of the tool');
      const isSigned = lock !== undefined && problems.length === 0;
      const changed = isSigned ? manifestProblems(lock, tools) : [];
      unsigned(changed);
      for (const tool of tools) {
        const { missing } = auditGrants(tool, grants);
        if (missing.length === 0) continue;
        const what = `${tool.manifest.name} needs ${missing.join(', ')}, of which nothing is granted`;
        const suggestion = `add it to the grants of ${agent} in the topology`;
        if (options.mode === 'enforce') throw refused(agent, [what], suggestion);
        options.logger.warn({ agent, tool: tool.manifest.name, missing }, 'a tool lacks a grant');
      }
      return { mode: options.mode, signed_by: isSigned && changed.length === 0 ? lock.key_id : null };
    },
  };
}

const SHOWN = 10;

const refused = (agent: string, problems: readonly string[], suggestion: string): HermesError =>
  new HermesError('not_allowed', `the tools of ${agent} are not admitted: ${problems.join('; ')}`, {
    problems,
    suggestion,
  });

const unsignedTools = (agent: string, problems: readonly string[]): HermesError =>
  refused(agent, problems, 'look at what changed; then sign anew: hermes tools sign, or HERMES_TOOLS_MODE=develop');

function scanned(agent: string, findings: AgentSources['findings']): HermesError {
  const lines = findings.map(({ file, line, message }) => `${file}:${line} ${message}`);
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
  return refused(agent, [...lines.slice(0, SHOWN), ...more], 'see them all: hermes tools scan');
}
