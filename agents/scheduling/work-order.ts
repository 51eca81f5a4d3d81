import { createHash } from 'node:crypto';
import { z } from 'zod';

/** What a work order is, its states, and how it is named. */
export const WORK_ORDER_STATES = ['open', 'in_progress', 'on_hold', 'completed', 'cancelled'] as const;
export type WorkOrderState = (typeof WORK_ORDER_STATES)[number];
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What may follow on a state; the last two are final. To stay as it is, is always allowed. */
export const TRANSITIONS: Readonly<Record<WorkOrderState, readonly WorkOrderState[]>> = {
  open: ['in_progress', 'on_hold', 'completed', 'cancelled'],
  in_progress: ['open', 'on_hold', 'completed', 'cancelled'],
  on_hold: ['open', 'in_progress', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export const isClosed = (state: WorkOrderState): boolean => TRANSITIONS[state].length === 0;
/** An order on hold takes nobody's time. */
export const takesTime = (state: WorkOrderState): boolean => state === 'open' || state === 'in_progress';

/** It ends after it was due. */
export const isLate = ({ end, due }: Pick<WorkOrder, 'end' | 'due'>): boolean =>
  due !== null && Date.parse(end) > Date.parse(due);

const SEVERITIES = ['low', 'medium', 'high'] as const;
const FINDINGS_CHARS = 65_536;

/** Another agent's finding, kept as it came: only what planning asks for has a shape. */
export const finding = z.looseObject({
  fault: z.string().max(64).optional(),
  severity: z.enum(SEVERITIES).optional(),
  skills: z.array(z.string().min(1).max(64)).max(16).optional(),
});
export type Finding = z.output<typeof finding>;

export const findings = z
  .array(finding)
  .max(50)
  .refine((list) => JSON.stringify(list).length <= FINDINGS_CHARS, `at most ${FINDINGS_CHARS} characters in all`);

export const workOrderId = z
  .string()
  .regex(/^WO-[0-9A-HJKMNP-TV-Z]{8}$/, 'WO- and 8 letters or digits, as create_work_order gave it');
export const skills = z.array(z.string().min(1).max(64)).max(16);
/** ISO 8601 with its offset: an hour without a zone is nobody's hour. */
export const instant = z.iso.datetime({ offset: true });
export const note = z.string().min(1).max(500);

/** Why this person and this hour: facts and codes. */
export const why = z.object({
  /** The trade that was looked for, the first of `skills`. */
  skill: z.string().nullable(),
  skills: z.array(z.string()),
  skills_from: z.enum(['request', 'findings', 'place', 'none']),
  candidates: z.array(z.string()),
  chosen_because: z.enum(['only_one', 'on_duty_now', 'earliest', 'least_work', 'first_by_id', 'named']),
  /** Orders of the same person or on the same asset that it had to wait for. */
  waits_for: z.array(z.string()),
  minutes: z.number(),
  /** It ends after it was due. */
  late: z.boolean(),
});
export type Why = z.output<typeof why>;

/** An order as memory keeps it; times are ISO 8601 in the offset of the site. */
export const workOrder = z.object({
  work_order_id: z.string(),
  state: z.enum(WORK_ORDER_STATES),
  priority: z.enum(PRIORITIES),
  device_id: z.string().nullable(),
  zone: z.string().nullable(),
  fault: z.string().nullable(),
  findings: z.array(finding),
  skills: z.array(z.string()),
  assigned_to: z.string(),
  start: z.string(),
  end: z.string(),
  due: z.string().nullable(),
  note: z.string().nullable(),
  why,
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});
export type WorkOrder = z.output<typeof workOrder>;

/** What an order keeps to itself while it lasts: its device; its zone, where no device is named. */
export const assetOf = ({ device_id, zone }: Pick<WorkOrder, 'device_id' | 'zone'>): string | undefined =>
  device_id ?? (zone === null ? undefined : `zone ${zone}`);

/** Crockford's base 32: no I, L, O or U, which are read as something else. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS = 8;

/** `WO-` and 40 bits of the SHA-256 of the request: the same request is the same order, however often it comes. */
export function workOrderIdOf(requestId: string): string {
  const digest = createHash('sha256').update(requestId).digest();
  let bits = digest.readUIntBE(0, 5);
  let letters = '';
  for (let at = 0; at < LETTERS; at++) {
    letters = `${ALPHABET[bits % ALPHABET.length]}${letters}`;
    bits = Math.floor(bits / ALPHABET.length);
  }
  return `WO-${letters}`;
}
