import { type HermesError, invalidParams } from '../../shared/errors.js';

/** A subscription pattern, checked once and matched often. */
export interface SubjectPattern {
  readonly text: string;
  readonly tokens: readonly string[];
  /** No wildcard: it matches one subject, itself. */
  readonly literal: boolean;
  /** The subject must be well-formed. */
  matches(subject: string): boolean;
}

/** A broker's control line ends at 4096; nobody needs a quarter of it. */
const SUBJECT_CHARS = 1_024;
const SUBJECT = /^[^\s.*>\p{Cc}]+(?:\.[^\s.*>\p{Cc}]+)*$/u;

const malformed = (text: string, problem: string, pointer: string): HermesError =>
  invalidParams(`malformed subject "${text.slice(0, 80)}": ${problem}`, [{ pointer, problem }]);

export const isSubject = (text: string): boolean => text.length <= SUBJECT_CHARS && SUBJECT.test(text);

/** @throws HermesError `invalid_params` unless it is dot-separated, non-empty tokens without wildcards or spaces. */
export function checkSubject(text: string, pointer = '/subject'): void {
  if (isSubject(text)) return;
  const problem =
    text.length > SUBJECT_CHARS
      ? `longer than ${SUBJECT_CHARS} characters`
      : 'tokens are separated by single dots and hold no space, control character, * or >';
  throw malformed(text, problem, pointer);
}

/** @throws HermesError `invalid_params` when it is malformed: `*` stands for a whole token, `>` for the whole rest. */
export function compilePattern(text: string): SubjectPattern {
  const tokens = text.split('.');
  const last = tokens.length - 1;
  const plain = tokens.filter((token, index) => token !== '*' && !(token === '>' && index === last));
  if (text.length > SUBJECT_CHARS || !plain.every(isSubject)) {
    throw malformed(text, '* stands for one whole token, > for the rest and only at the end', '/pattern');
  }
  return { text, tokens, literal: plain.length === tokens.length, matches: matcher(text, tokens, plain.length) };
}

function matcher(text: string, tokens: readonly string[], plain: number): (subject: string) => boolean {
  if (plain === tokens.length) return (subject) => subject === text;
  const open = tokens.at(-1) === '>';
  if (open && plain === tokens.length - 1) {
    const prefix = text.slice(0, -1);
    return (subject) => subject.length > prefix.length && subject.startsWith(prefix);
  }
  const fixed = open ? tokens.slice(0, -1) : tokens;
  return (subject) => {
    const parts = subject.split('.');
    if (open ? parts.length <= fixed.length : parts.length !== fixed.length) return false;
    return fixed.every((token, index) => token === '*' || token === parts[index]);
  };
}
