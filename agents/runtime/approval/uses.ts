import type { EntryDraft, Projection, StoredEntry } from '../record/index.js';
import type { ApprovalGrant } from './approval.js';

const NAME = 'approvals';

export interface ApprovalUse {
  readonly approval_id: string;
  readonly request_id: string;
}

/** What an entry says of the use of an approval; an approval is used once, by one request. */
export const entryOfUse = (grant: ApprovalGrant, about: Omit<EntryDraft, 'kind'>): EntryDraft => ({
  ...about,
  kind: 'approval',
  data: {
    type: 'used',
    approval_id: grant.id,
    approver: grant.approver,
    hash: grant.hash,
    expires_at: grant.expires_at,
    key_id: grant.key_id,
  },
});

/** Which approvals were used, by their id. */
export const approvalUses: Projection = {
  name: NAME,
  rows(entry: StoredEntry) {
    const { kind, data, request_id } = entry;
    if (kind !== 'approval' || data?.type !== 'used' || request_id === undefined) return [];
    const value: ApprovalUse = { approval_id: data.approval_id as string, request_id };
    return [{ key: `used/${value.approval_id}`, value }];
  },
};

export const usesOf = { projection: NAME, key: (approvalId: string): string => `used/${approvalId}` } as const;
