import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../../../mcp/transport/index.js';
import { SubscriptionIndex } from '../../../../mcp/transport/subscription-index.js';

/** The definition, word by word. */
function naive(pattern: readonly string[], subject: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return subject.length === 0;
  if (head === '>' && rest.length === 0) return subject.length > 0;
  const [first, ...others] = subject;
  if (first === undefined || (head !== '*' && head !== first)) return false;
  return naive(rest, others);
}

const word = fc.constantFrom('a', 'b', 'c', 'ab');
const subjects = fc.array(word, { minLength: 1, maxLength: 5 });
const patterns = fc
  .tuple(fc.array(fc.oneof(word, fc.constant('*')), { minLength: 0, maxLength: 4 }), fc.boolean())
  .map(([tokens, open]) => (open ? [...tokens, '>'] : tokens))
  .filter((tokens) => tokens.length > 0);

test('a compiled pattern matches what the definition matches', () => {
  fc.assert(
    fc.property(patterns, subjects, (pattern, subject) => {
      expect(compilePattern(pattern.join('.')).matches(subject.join('.'))).toBe(naive(pattern, subject));
    }),
    { numRuns: 2_000 },
  );
});

test('the index finds exactly the subscriptions that match, through additions and removals', () => {
  fc.assert(
    fc.property(fc.array(patterns, { maxLength: 30 }), fc.array(subjects), fc.array(fc.nat(29)), (all, asked, gone) => {
      const index = new SubscriptionIndex<{ readonly tokens: readonly string[] }>(4);
      const entries = new Set(all.map((tokens) => ({ tokens })));
      for (const entry of entries) index.add(entry);
      const check = (): void => {
        for (const subject of asked) {
          const expected = [...entries].filter((entry) => naive(entry.tokens, subject));
          expect(new Set(index.match(subject.join('.')))).toEqual(new Set(expected));
          expect(index.match(subject.join('.')).length).toBe(expected.length);
        }
      };
      check();
      const list = [...entries];
      for (const at of gone) {
        const entry = list[at];
        if (!entry) continue;
        entries.delete(entry);
        index.remove(entry);
      }
      check();
    }),
    { numRuns: 300 },
  );
});
