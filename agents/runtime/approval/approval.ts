import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { MethodManifest, Risk } from '../../../mcp/index.js';
import type { Branded } from '../../../shared/ids.js';

export type ApprovalId = Branded<'ApprovalId'>;

/** An effect that is about to be made, as far as the tool knows before it begins. */
export interface PlannedEffect {
  readonly capability: string;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * What a callee says when a method needs a person's approval (403 `approval_required`, in `data`); callers hand it up
 * unchanged to whoever owns the goal.
 */
export interface ApprovalNeed {
  readonly tool: { readonly name: string; readonly version: string; readonly digest: string };
  readonly params: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly risk: Risk;
  readonly effects: readonly PlannedEffect[];
  readonly rollback: MethodManifest['rollback'];
  readonly pre_state: Readonly<Record<string, unknown>>;
  /** SHA-256 over the canonical JSON of `pre_state`. */
  readonly state_hash: string;
  /** What an approval is bound to; see `approvalHash`. */
  readonly hash: string;
}

export type Decision = 'approve' | 'reject';

/** One question to people, and what became of it. */
export interface Approval extends Omit<ApprovalNeed, 'tool' | 'pre_state' | 'state_hash'> {
  readonly approval_id: ApprovalId;
  readonly goal_id: string;
  readonly step_id: string;
  readonly callee: string;
  readonly method: string;
  readonly tool: ApprovalNeed['tool'];
  readonly pre_state: ApprovalNeed['pre_state'];
  readonly state_hash: string;
  /** Who asked for the goal. */
  readonly requester: string;
  /** Unix ms. */
  readonly asked_at: number;
  readonly expires_at: number;
  readonly decision?: Decision;
  readonly decided_by?: string;
  readonly decided_at?: number;
  readonly comment?: string;
  /** The requester decided; lawful only where nobody has to prove who they are. */
  readonly self_approved?: boolean;
  /** How the person who decided was known: `none` is a name that they gave themselves. */
  readonly auth?: 'none' | 'token';
}

/** An approval as it travels with the call that uses it. */
export interface ApprovalGrant {
  readonly id: string;
  readonly hash: string;
  readonly approver: string;
  readonly expires_at: number;
  /** Id of the Ed25519 key of the component that asked the person. */
  readonly key_id: string;
  /** Base64url, over the canonical JSON of the other fields. */
  readonly signature: string;
}

const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) as string)
    .digest('hex');

export const stateHash = (preState: Readonly<Record<string, unknown>>): string => sha256(preState);

/**
 * What an approval is for: this tool as it was shown, these parameters, this device, this state. Any of them changed,
 * and it is an approval of something else.
 */
export const approvalHash = ({
  tool,
  params,
  scope,
  state_hash,
}: Pick<ApprovalNeed, 'tool' | 'params' | 'scope' | 'state_hash'>): string =>
  sha256({ tool, params, scope, state_hash });
