import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { View } from '../record/index.js';
import { type ApprovalGrant, type ApprovalNeed, approvalHash, stateHash } from './approval.js';
import { isGenuine, readGrant } from './grant.js';
import { type ApprovalPolicy, asksFor } from './policy.js';
import { type ApprovalUse, usesOf } from './uses.js';

export interface ApprovalGateDeps {
  readonly policy: ApprovalPolicy;
  readonly view: View;
  readonly clock: Clock;
  /** Public keys, by id, of the components that may speak for people. */
  readonly signers: () => Promise<ReadonlyMap<string, string>>;
}

/** What a call wants to do, and what it brought along. */
export interface Asking {
  readonly method: { readonly name: string; readonly risk: ApprovalNeed['risk']; readonly effect_class: string };
  /** Only asked for where a person is needed. */
  readonly need: () => Omit<ApprovalNeed, 'state_hash' | 'hash'>;
  readonly requestId: string;
  readonly approval: unknown;
}

/**
 * The gate before an effect: what needs a person's approval passes with a valid one, used by nobody else.
 *  1. Bound to tool, parameters, device and the state now: changed, it has to be asked anew.
 *  2. Used once: by one request, however often that is delivered.
 */
export interface ApprovalGate {
  /**
   * @returns the grant that has to be written down as used before the effect, or undefined when none is needed or
   * this request wrote its use before. The view has to have caught up with the scope.
   * @throws HermesError `approval_required` with an ApprovalNeed, and `why` where one was brought that does not do.
   */
  admit(asking: Asking): Promise<ApprovalGrant | undefined>;
}

export function createApprovalGate({ policy, view, clock, signers }: ApprovalGateDeps): ApprovalGate {
  const problemOf = async (grant: ApprovalGrant, hash: string): Promise<string | undefined> => {
    if (!isGenuine(grant, await signers())) return 'bad_signature';
    if (grant.hash !== hash) return 'changed';
    return grant.expires_at <= clock.now() ? 'expired' : undefined;
  };

  return {
    async admit(asking) {
      if (!asksFor(policy, asking.method)) return undefined;
      const said = asking.need();
      const state_hash = stateHash(said.pre_state);
      const need = { ...said, state_hash, hash: approvalHash({ ...said, state_hash }) };
      const required = (why?: string) =>
        new HermesError('approval_required', `${asking.method.name} needs a person's approval`, {
          ...need,
          ...(why ? { why } : {}),
          suggestion: 'ask by a goal (hermes goal), and decide with: hermes approvals approve <id>',
        });
      if (asking.approval === undefined) throw required();
      const grant = readGrant(asking.approval);
      if (!grant) throw required('malformed');
      const problem = await problemOf(grant, need.hash);
      if (problem) throw required(problem);
      const [use] = await view.rows<ApprovalUse>(usesOf.projection, usesOf.key(grant.id), { limit: 1 });
      if (!use) return grant;
      if (use.request_id !== asking.requestId) throw required('used');
      return undefined;
    },
  };
}
