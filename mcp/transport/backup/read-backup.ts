import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HermesError } from '../../../shared/errors.js';
import type { LogRecord } from '../log.js';
import { BACKUP_FORMAT, BACKUP_STREAMS, type BackupEnd, type BackupHead, type BackupStream } from './backup-lines.js';

const count = z.number().int().min(0);
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/);
const headSchema = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  tenant: z.string().min(1),
  at: z.string(),
  master: z.string(),
});
const lineSchema = z.strictObject({
  s: z.enum(BACKUP_STREAMS),
  seq: z.number().int().min(1),
  at: z.number(),
  subject: z.string().min(1),
  payload: base64,
});
const endSchema = z.strictObject({
  records: z.strictObject({ heads: count, log: count }),
  sha256: z.string(),
  key_id: z.string(),
  signature: base64,
});

export type BackupPart =
  | { readonly kind: 'head'; readonly head: BackupHead }
  | { readonly kind: 'record'; readonly stream: BackupStream; readonly record: LogRecord }
  | { readonly kind: 'end'; readonly end: BackupEnd };

/**
 * Reads a backup line by line; its end is only told where everything before it is what its digest says.
 * @throws HermesError `invalid_params` naming the line, for anything that no backup has.
 */
export async function* readBackup(lines: AsyncIterable<string>): AsyncGenerator<BackupPart> {
  const digest = createHash('sha256');
  const counted = { heads: 0, log: 0 };
  const newest = { heads: 0, log: 0 };
  let number = 0;
  let ended = false;
  for await (const text of lines) {
    number++;
    if (ended) throw damaged(number, 'stands after the end');
    const value = jsonOf(text, number);
    if (number === 1) {
      const head = headSchema.safeParse(value);
      if (!head.success) throw damaged(1, `is no head of a ${BACKUP_FORMAT}`);
      yield { kind: 'head', head: head.data };
    } else if (typeof value === 'object' && value !== null && 'sha256' in value) {
      yield { kind: 'end', end: checkedEnd(value, number, digest.digest('hex'), counted) };
      ended = true;
      continue;
    } else {
      const parsed = lineSchema.safeParse(value);
      if (!parsed.success) throw damaged(number, 'is no record');
      const { s: stream, seq, at, subject, payload } = parsed.data;
      if (seq !== newest[stream] + 1) throw damaged(number, `has record ${seq} of ${stream} after ${newest[stream]}`);
      newest[stream] = seq;
      counted[stream]++;
      yield { kind: 'record', stream, record: { seq, at, subject, payload: Buffer.from(payload, 'base64') } };
    }
    digest.update(`${text}\n`);
  }
  if (!ended) throw damaged(number + 1, 'is missing: the file is cut');
}

function checkedEnd(value: object, line: number, sha256: string, counted: BackupEnd['records']): BackupEnd {
  const parsed = endSchema.safeParse(value);
  if (!parsed.success) throw damaged(line, 'is no end');
  const end = parsed.data;
  if (end.records.heads !== counted.heads || end.records.log !== counted.log)
    throw damaged(line, `speaks of ${end.records.log} records, ${counted.log} are there`);
  if (end.sha256 !== sha256) throw damaged(line, 'has another digest than what is before it: the file was changed');
  return end;
}

function jsonOf(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(line, 'is no JSON');
  }
}

const damaged = (line: number, problem: string): HermesError =>
  new HermesError('invalid_params', `the backup is damaged: line ${line} ${problem}`, {
    fields: [{ pointer: `/${line}`, problem }],
    suggestion: 'take another copy of it, or an older backup',
  });
