import { HermesError } from '../../shared/errors.js';
import type { Appended, AppendOptions } from './log.js';
import { type LogEntry, type LogHeads, messageKey } from './log-backend.js';

export interface AppendRequest {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly options: AppendOptions;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: HermesError) => void;
}

/** What one commit will do. Nothing is answered before it is known, so no answer rests on a record that may fail. */
export interface CommitPlan {
  readonly entries: readonly LogEntry[];
  /** Answers the requests of the plan, in the order of their arrival. */
  succeed(): void;
  fail(error: (written: boolean) => HermesError): void;
}

/** Decides requests in order of arrival against the heads plus what the same plan appends before them. */
export function planCommit(requests: readonly AppendRequest[], known: LogHeads, at: number): CommitPlan {
  const entries: LogEntry[] = [];
  const heads = new Map<string, number>();
  const ids = new Map<string, number>();
  const answers: { readonly request: AppendRequest; readonly written: boolean; give(): void }[] = [];
  for (const request of requests) {
    const { subject, options } = request;
    const key = options.messageId === undefined ? undefined : messageKey(subject, options.messageId);
    const first = key === undefined ? undefined : (ids.get(key) ?? known.ids.get(key));
    if (first !== undefined) {
      answers.push({ request, written: false, give: () => request.resolve({ seq: first, duplicate: true }) });
      continue;
    }
    const actual = heads.get(subject) ?? known.heads.get(subject) ?? 0;
    if (options.expectedLastSeq !== undefined && options.expectedLastSeq !== actual) {
      const conflict = versionConflict(subject, options.expectedLastSeq, actual);
      answers.push({ request, written: false, give: () => request.reject(conflict) });
      continue;
    }
    const seq = known.lastSeq + entries.length + 1;
    entries.push({ record: { subject, seq, payload: request.payload, at }, key });
    heads.set(subject, seq);
    if (key !== undefined) ids.set(key, seq);
    answers.push({ request, written: true, give: () => request.resolve({ seq, duplicate: false }) });
  }
  return {
    entries,
    succeed: () => {
      for (const answer of answers) answer.give();
    },
    fail: (error) => {
      for (const answer of answers) answer.request.reject(error(answer.written));
    },
  };
}

function versionConflict(subject: string, expected: number, actual: number): HermesError {
  return new HermesError('version_conflict', `${subject}: expected last sequence ${expected}, it is ${actual}`, {
    subject,
    expected,
    actual,
  });
}
