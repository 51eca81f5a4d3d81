import { expect, test } from 'vitest';
import {
  isInside,
  listed,
  loadSources,
  parseSource,
  type Source,
  type Violation,
  walk,
} from '../support/arch-source.js';

const ROOM = 'agents/runtime/session';
const INSTEAD = 'the session only asks and understands; approvals are decided by the approval room, above it';

/** The session cannot tell an approval from any other reply, so no sentence can ever approve by accident. */
function sessionViolations(sources: readonly Source[]): Violation[] {
  return sources
    .filter(({ path }) => isInside(path, ROOM))
    .flatMap((source) => {
      const { path } = source;
      const found: Violation[] = source.imports
        .filter(({ specifier }) => /approval/i.test(specifier))
        .map(({ line, specifier }) => ({ path, line, message: `imports '${specifier}': ${INSTEAD}` }));
      walk(source.program, (node) => {
        if (node.type === 'Identifier' && /approval/i.test(String(node.name)))
          found.push({ path, line: source.lineAt(node.start), message: `names ${String(node.name)}: ${INSTEAD}` });
      });
      return found;
    });
}

test('the session room knows no approvals', () => {
  expect(listed(sessionViolations(loadSources()))).toEqual([]);
});

test('an import of the approval room and an identifier that names approvals are caught', () => {
  const texts = ["import { ask } from '../approval/index.js';", 'export const pendingApproval = 1;'];
  for (const text of texts) expect(sessionViolations([parseSource(`${ROOM}/a.ts`, text)]), text).toHaveLength(1);
});
