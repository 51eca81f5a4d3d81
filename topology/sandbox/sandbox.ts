import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import { openDeadline, raceSignal } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { type Child, startChild } from '../child-process.js';
import { bundleSandbox } from './bundle.js';
import type { CasesWanted } from './run-cases.js';

const answerSchema = z.object({
  reports: z.array(z.object({ tool: z.string(), case: z.string(), problems: z.array(z.string()) })).default([]),
  /** What the agent’s modules reached for outside of their context. */
  reached: z.array(z.string()),
  /** Why nothing could be run at all. */
  failed: z.string().optional(),
});
export type SandboxAnswer = z.output<typeof answerSchema>;

/** `network` where the child has a network namespace of its own, `guard` where it only has the guard. */
export type SandboxLevel = 'network' | 'guard';

export interface Sandbox {
  readonly level: SandboxLevel;
  readonly answer: SandboxAnswer;
}

/** All cases of one agent take a few seconds; what takes so long does not end. */
const LIMIT_MS = 120_000;
const MEMORY_MB = 512;

/**
 * Runs the cases of an agent’s tools in a process that has no files, network, environment, children, workers or
 * addons. @param entry path of the agent’s module. @throws HermesError `invalid_params` when it cannot be bundled;
 * `deadline` when it does not end.
 */
export async function runInSandbox(entry: string, wanted: CasesWanted, clock: Clock): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-sandbox-'));
  try {
    const file = join(folder, 'agent.cjs');
    writeFileSync(file, await bundled(entry));
    const level = (await hasNetworkNamespace()) ? 'network' : 'guard';
    const flags = ['--experimental-permission', `--allow-fs-read=${folder}`, '--no-warnings'];
    const limits = [`--max-old-space-size=${MEMORY_MB}`, '--disallow-code-generation-from-strings'];
    const node = [process.execPath, ...flags, ...limits, file];
    const [command = '', ...args] = level === 'network' ? ['unshare', '-n', '--', ...node] : node;
    const child = await startChild({ command, args, channel: true, env: {} });
    return { level, answer: await answerOf(child, wanted, clock) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answerOf(child: Child, wanted: CasesWanted, clock: Clock): Promise<SandboxAnswer> {
  const limit = openDeadline(clock, clock.now() + LIMIT_MS);
  const answered = new Promise<unknown>((resolve) => child.onMessage(resolve));
  const ended = child.exited.then((code) => ({ failed: `the sandbox ended with ${code}`, reached: [] }));
  child.send(wanted);
  try {
    return answerSchema.parse(await raceSignal(Promise.race([answered, ended]), limit.signal));
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    throw new HermesError('deadline', `the cases did not end within ${LIMIT_MS / 1_000} s`, { agent: wanted.agent });
  } finally {
    limit.close();
    child.kill('SIGKILL');
  }
}

async function bundled(entry: string): Promise<string> {
  try {
    return await bundleSandbox(entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HermesError('invalid_params', `${entry} cannot be put together: ${why}`, {}, { cause });
  }
}

/** Whether a child of ours may have a network of its own (Linux, root or user namespaces). */
async function hasNetworkNamespace(): Promise<boolean> {
  try {
    const probe = await startChild({ command: 'unshare', args: ['-n', '--', process.execPath, '-e', '0'], env: {} });
    return (await probe.exited) === 0;
  } catch (error) {
    if (error instanceof HermesError && error.reason === 'not_found') return false;
    throw error;
  }
}
