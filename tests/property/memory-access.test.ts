import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseScope } from '../../agents/runtime/index.js';
import { checkScope, patternProblem, type Roles, reaches } from '../../agents/runtime/memory/index.js';
import { HermesError } from '../../shared/errors.js';

// Few letters: what is drawn for a role and what is asked for have to meet.
const word = fc.stringMatching(/^[de]{1,2}$/);
const part = fc.stringMatching(/^[dD-]{1,2}$/);
const scopeText = fc
  .tuple(word, fc.array(part, { minLength: 1, maxLength: 4 }))
  .map(([kind, parts]) => [kind, ...parts].join('_'));
const crafted = fc.oneof(
  scopeText,
  scopeText.map((text) => `${text.slice(0, Math.max(1, text.length - 2))}*`),
  scopeText.map((text) => `${text.split('_').slice(0, -1).join('_')}_*`),
  word.map((kind) => `${kind}_*`),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('*', '_*', '**', 'device_*', '__proto__', 'constructor', ''),
);
const rights = fc.record({ read: fc.array(crafted, { maxLength: 4 }), write: fc.array(crafted, { maxLength: 4 }) });
const roleName = fc.oneof(
  fc.constantFrom('a', 'b', 'admin'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', ''),
);
const rolesOf = fc.dictionary(roleName, rights, { maxKeys: 4 });

/** The rule again, in other words: by splitting at the dashes below, never by prefix of text. */
function allowed(pattern: string, scope: string): boolean {
  if (pattern === '*') return true;
  const wanted = pattern.split('_');
  const given = scope.split('_');
  const words = wanted.at(-1) === '*' ? wanted.slice(0, -1) : wanted;
  if (words.length === 0 || words.some((one) => !/^[A-Za-z0-9-]+$/.test(one)) || !/^[a-z]+$/.test(words[0] as string))
    return false;
  if (wanted.at(-1) !== '*') return words.length > 1 && pattern === scope;
  return given.length > words.length && words.every((one, index) => one === given[index]);
}

describe('rights on scopes', () => {
  test('nobody reads or writes what no pattern of their roles reaches, and who is reached may', () => {
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        rolesOf,
        fc.array(roleName, { maxLength: 4 }),
        scopeText,
        fc.constantFrom('read', 'write'),
        (drawn, held, text, right) => {
          const roles: Roles = drawn;
          const side = right as 'read' | 'write';
          const patterns = held
            .filter((role) => Object.hasOwn(roles, role))
            .flatMap((role) => roles[role]?.[side] ?? []);
          const expected = patterns.some((pattern) => allowed(pattern, text));
          seen[expected ? 'yes' : 'no'] += 1;
          let reason: string | undefined;
          try {
            checkScope(roles, { id: 'x', roles: held }, parseScope(text), side);
          } catch (error) {
            reason = error instanceof HermesError ? error.reason : String(error);
          }
          expect(reason).toBe(expected ? undefined : 'scope_denied');
        },
      ),
      { numRuns: 3_000 },
    );
    // Both sides were drawn: a generator that only ever refuses proves nothing.
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(100);
  });

  test('a node reaches exactly what begins with its words; what is named as a problem reaches nothing', () => {
    fc.assert(
      fc.property(crafted, scopeText, (pattern, text) => {
        const scope = parseScope(text);
        if (patternProblem(pattern) !== undefined) expect(reaches(pattern, scope)).toBe(false);
        expect(reaches(pattern, scope)).toBe(allowed(pattern, text));
      }),
      { numRuns: 3_000 },
    );
  });

  test('a scope that was accepted is one token: no text goes through the parser with anything else in it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 160 }), fc.string({ unit: 'binary' }), scopeText), (text) => {
        let accepted = true;
        try {
          parseScope(text);
        } catch {
          accepted = false;
        }
        if (accepted) expect(text).toMatch(/^[a-z]+(_[A-Za-z0-9-]+)+$/);
        expect(accepted && (text.length > 128 || /[^A-Za-z0-9_-]/.test(text))).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });
});
