import canonicalize from 'canonicalize';
import { z } from 'zod';
import { isSignedBy, type SigningKey } from '../../../shared/keys/index.js';
import type { Approval, ApprovalGrant } from './approval.js';

const grantSchema = z.object({
  id: z.string().min(1).max(64),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  approver: z.string().min(1).max(128),
  expires_at: z.number().int().nonnegative(),
  key_id: z.string().min(1).max(64),
  signature: z.string().min(1).max(128),
});

const signed = ({ id, hash, approver, expires_at, key_id }: Omit<ApprovalGrant, 'signature'>): Uint8Array =>
  Buffer.from(canonicalize({ id, hash, approver, expires_at, key_id }) as string, 'utf8');

/** Signs what a person approved; `undefined` for anything else. */
export function grantOf(approval: Approval, key: SigningKey): ApprovalGrant | undefined {
  if (approval.decision !== 'approve' || approval.decided_by === undefined) return undefined;
  const { approval_id: id, hash, decided_by: approver, expires_at } = approval;
  const said = { id, hash, approver, expires_at, key_id: key.id };
  return { ...said, signature: Buffer.from(key.sign(signed(said))).toString('base64url') };
}

/** The grant in a request; `undefined` for none, and for what is none. */
export function readGrant(raw: unknown): ApprovalGrant | undefined {
  const parsed = grantSchema.safeParse(raw);
  return parsed.success ? parsed.data : undefined;
}

/** @param keys public PEMs by key id, of the components that may speak for people. */
export function isGenuine(grant: ApprovalGrant, keys: ReadonlyMap<string, string>): boolean {
  const pem = keys.get(grant.key_id);
  return pem !== undefined && isSignedBy(pem, signed(grant), Buffer.from(grant.signature, 'base64url'));
}
