import { createHash } from 'node:crypto';
import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalsTold } from './goals-told.js';
import type { HomeReader } from './home-reader.js';

interface Prepared {
  readonly export_id: string;
  readonly instance: string;
  readonly goals: readonly string[];
}
interface Sealed {
  readonly bytes: number;
  readonly pieces: number;
  readonly sha256: string;
}

/** Making a package reads a whole chain and draws a document. */
const MAKE_MS = 60_000;

/**
 * A package: its home reads, the coordinator adds what it knows of the goals, the home signs, and it is fetched in
 * pieces that a message can carry.
 * @throws HermesError of the home; `log_unavailable` when what came is not what was made.
 */
export async function fetchExport(
  reader: HomeReader,
  home: string,
  params: Readonly<Record<string, unknown>>,
  principal: Principal,
  tell: (goals: readonly string[]) => Promise<GoalsTold>,
): Promise<Buffer> {
  const wish = { method: 'audit_export', params, principal, waitMs: MAKE_MS };
  const { export_id, instance, goals } = (await reader.ask(home, wish)) as Prepared;
  const sealing = { export_id, ...(await tell(goals)) };
  const order = { method: 'audit_seal', params: sealing, principal, instance, waitMs: MAKE_MS };
  const { bytes, pieces, sha256 } = (await reader.ask(home, order)) as Sealed;
  const parts: Buffer[] = [];
  for (let index = 0; index < pieces; index++) {
    const question = { method: 'audit_piece', params: { export_id, index }, principal, instance };
    const { piece } = (await reader.ask(home, question)) as { piece: string };
    parts.push(Buffer.from(piece, 'base64'));
  }
  const whole = Buffer.concat(parts);
  if (whole.byteLength === bytes && createHash('sha256').update(whole).digest('hex') === sha256) return whole;
  throw new HermesError('log_unavailable', `the export of ${String(params.scope)} did not arrive whole`, {
    suggestion: 'ask for it again',
  });
}
