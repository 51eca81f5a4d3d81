import canonicalize from 'canonicalize';
import { componentName } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { plainJson } from '../../../shared/plain-json.js';
import type { EntryDraft } from '../record/index.js';

/**
 * What makes two deliveries one call, beside their request id: who first asked, for which tool, with which parameters.
 * Request ids are a caller's own; another caller may use the same.
 */
export const callIdentity = ({ caller, tool, params }: Pick<EntryDraft, 'caller' | 'tool' | 'params'>): string =>
  canonicalize([componentName(caller ?? ''), tool?.name ?? '', plainJson(params ?? {})]) as string;

/** @throws HermesError `version_conflict`: nobody gets the answer of another call. */
export function checkSameCall(requestId: string, known: string, asked: string): void {
  if (known === asked) return;
  throw new HermesError('version_conflict', `request_id ${requestId} was used for another call`, {
    request_id: requestId,
    suggestion: 'give each call an id of its own',
  });
}
