import type { ServedCall } from '../../../mcp/index.js';
import { HermesError, invalidParams, type WireError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { EntryDraft } from '../record/index.js';
import type { PreState, Tool } from './define-tool.js';

/*
 * An entry is no larger and no deeper than a message. What would not fit is refused while nothing is done, is bad
 * output while it can still be undone, and is left out, with its size, of what only explains: so the end of an
 * operation can always be written.
 */

/** Levels that an answer and an entry put around a value. */
const AROUND = 8;

type Named = Readonly<Record<string, unknown>>;

/** @throws HermesError `invalid_params` for params that cannot stand in an entry: before anything is done with them. */
export function checkParams({ request }: ServedCall): void {
  const problem = unrecordable(request.params, LIMITS.recordedBytes);
  if (problem) throw invalidParams(`params of ${request.method} are ${problem}`, [{ pointer: '/params', problem }]);
}

/** @throws HermesError `bad_output` for what was seen before and cannot stand in an entry: before anything is done. */
export function checkPreState(tool: Tool, preState: PreState): PreState {
  const problem = unrecordable(preState, LIMITS.recordedAsideBytes);
  if (problem) throw badOutput(tool, `a prior state that is ${problem}`);
  return preState;
}

/**
 * The output as its schema has it. @throws HermesError `bad_output` where it breaks that, or cannot stand in an entry:
 * then what was done is undone, and the entry that says so can be written.
 */
export function checkOutput(tool: Tool, output: unknown): unknown {
  const parsed = tool.output.safeParse(output);
  if (!parsed.success) throw badOutput(tool, 'outside its own schema', parsed.error);
  const problem = unrecordable(parsed.data, LIMITS.recordedBytes);
  if (problem) throw badOutput(tool, `what is ${problem}`);
  return parsed.data;
}

/** As for the output. @throws HermesError `bad_output`. */
export function checkSnapshot<S>(tool: Tool, snapshot: S): S {
  const problem = unrecordable(snapshot, LIMITS.recordedBytes);
  if (problem) throw badOutput(tool, `a snapshot that is ${problem}`);
  return snapshot;
}

/** The end of an operation, with no more beside what it did than an entry has room for. */
export function recordableEnd<D extends EntryDraft>(draft: D): D {
  const { error, verification, rollback } = draft;
  return {
    ...draft,
    ...(error ? { error: briefError(error) } : {}),
    ...(verification ? { verification: { ...verification, evidence: brief(verification.evidence) } } : {}),
    ...(rollback?.error ? { rollback: { ...rollback, error: briefError(rollback.error) } } : {}),
  };
}

function briefError({ message, data, ...error }: WireError): WireError {
  const { reason, ...rest } = data;
  const room = LIMITS.recordedMessageChars;
  const cut =
    message.length > room ? `${message.slice(0, room)} … ${message.length - room} characters left out` : message;
  return { ...error, message: cut, data: { ...brief(rest), reason } };
}

/** The fields, each as long as there is room; the bytes of the others. */
function brief(fields: Named): Named {
  if (!unrecordable(fields, LIMITS.recordedAsideBytes)) return fields;
  const kept: Record<string, unknown> = {};
  const leftOut = { bytes: 0, names: [] as string[] };
  let room: number = LIMITS.recordedAsideBytes;
  for (const [name, value] of Object.entries(fields)) {
    const bytes = sizeOf({ [name]: value });
    if (bytes === undefined || bytes > room) {
      leftOut.bytes += bytes ?? 0;
      if (leftOut.names.length < NAMES) leftOut.names.push(name.slice(0, NAME_CHARS));
      continue;
    }
    room -= bytes;
    kept[name] = value;
  }
  return { ...kept, left_out: leftOut };
}

const NAMES = 8;
const NAME_CHARS = 64;

const badOutput = (tool: Tool, what: string, cause?: unknown): HermesError =>
  new HermesError('bad_output', `${tool.manifest.name} answered ${what}`, {}, { cause });

function unrecordable(value: unknown, limit: number): string | undefined {
  const bytes = sizeOf(value);
  if (bytes === undefined) return `no JSON, or deeper than ${LIMITS.nestingDepth - AROUND}`;
  return bytes > limit ? `${bytes} bytes long, the limit is ${limit}` : undefined;
}

/** Bytes as JSON; undefined where it is none, or too deep to be one on the record. */
function sizeOf(value: unknown): number | undefined {
  if (isOdd(value, LIMITS.nestingDepth - AROUND)) return undefined;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function isOdd(value: unknown, levels: number): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const child of Object.values(value)) if (isOdd(child, levels - 1)) return true;
  return false;
}
