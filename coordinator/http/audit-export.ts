import { createHash } from 'node:crypto';
import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { HomeReader } from './home-reader.js';

interface Prepared {
  readonly export_id: string;
  readonly instance: string;
  readonly bytes: number;
  readonly pieces: number;
  readonly sha256: string;
}

/** Making a package reads a whole chain and draws a document. */
const PREPARE_MS = 60_000;

/**
 * A package, fetched from the instance that made it in pieces that a message can carry.
 * @throws HermesError of the home; `log_unavailable` when what came is not what was made.
 */
export async function fetchExport(
  reader: HomeReader,
  home: string,
  params: Readonly<Record<string, unknown>>,
  principal: Principal,
): Promise<Buffer> {
  const wish = { method: 'audit_export', params, principal, waitMs: PREPARE_MS };
  const { export_id, instance, bytes, pieces, sha256 } = (await reader.ask(home, wish)) as Prepared;
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
