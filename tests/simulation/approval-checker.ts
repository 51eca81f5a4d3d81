import type { StoredEntry } from '../../agents/runtime/index.js';
import type { Violation } from './violation.js';

const RISKY = new Set(['set_mode']);

/**
 * What needs a person's approval began after one: each beginning has the use of an approval before it, each approval
 * was used by one request at most, and a person had approved it.
 */
export function approvedFirst(entries: readonly StoredEntry[]): Violation[] {
  const events = entries.filter(({ kind }) => kind === 'approval');
  const uses = events.filter(({ data }) => data?.type === 'used');
  const approved = new Map(
    events
      .filter(({ data }) => data?.type === 'decided' && data.decision === 'approve')
      .map(({ data, seq }) => [data?.approval_id, seq]),
  );
  const bad = (what: string): Violation => ({ rule: 'approved first', what });
  const unasked = entries
    .filter(({ kind, tool }) => kind === 'started' && RISKY.has(tool?.name ?? ''))
    .filter((started) => !uses.some(({ request_id, seq }) => request_id === started.request_id && seq < started.seq))
    .map(({ request_id }) => bad(`${request_id} began without an approval`));
  const unlawful = uses.flatMap(({ data, request_id, seq }) => {
    const decided = approved.get(data?.approval_id);
    return decided !== undefined && decided < seq ? [] : [bad(`${request_id} used what nobody had approved`)];
  });
  const ids = uses.map(({ data }) => data?.approval_id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => bad(`${String(id)} was used twice`));
  return [...unasked, ...unlawful, ...twice];
}
