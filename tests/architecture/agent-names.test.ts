import { expect, test } from 'vitest';
import {
  isInside,
  isTest,
  listed,
  loadSources,
  parseSource,
  type Source,
  type SyntaxNode,
  type Violation,
  walk,
} from '../support/arch-source.js';
import { demoTopology } from '../support/demo-site.js';

/** Rooms that meet agents as manifests, at run time. */
const ROOMS = ['coordinator', 'mcp', 'agents/runtime'];
const INSTEAD = 'whom to call comes from manifests, whom a device belongs to from the topology';

/** Without case, `_`, `-` and blanks: `plc_controller`, `plcController` and `PLC controller` are one name. */
const fold = (text: string): string => text.toLowerCase().replace(/[_\-\s]/g, '');

/** Names of the demo site's agents, and what kinds of agents are called. */
function agentWords(): string[] {
  const { agents } = demoTopology();
  const kinds = [...new Set(agents.map(({ kind }) => kind))];
  const ofKinds = kinds.flatMap((kind) => [`agents/${kind}`, `${kind}agent`]);
  return [...agents.map(({ name }) => fold(name)), ...ofKinds];
}

/** What the code says: identifiers, strings, texts of the page. Comments may give examples. */
function saidBy(node: SyntaxNode): string | undefined {
  if (node.type === 'Identifier' || node.type === 'JSXIdentifier') return String(node.name);
  if (node.type === 'PrivateIdentifier') return String(node.name);
  if (node.type === 'JSXText') return String(node.value);
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'Literal' && node.regex) return String((node.regex as { pattern?: string }).pattern);
  if (node.type === 'TemplateElement') return (node.value as { cooked?: string }).cooked ?? '';
  return undefined;
}

function nameViolations(sources: readonly Source[], words: readonly string[]): Violation[] {
  const watched = sources.filter(({ path }) => !isTest(path) && ROOMS.some((room) => isInside(path, room)));
  return watched.flatMap((source) => {
    const found: Violation[] = [];
    walk(source.program, (node) => {
      const said = saidBy(node);
      const word = said === undefined ? undefined : words.find((one) => fold(said).includes(one));
      if (word === undefined) return;
      const message = `names an agent, '${said?.trim().slice(0, 60)}': ${INSTEAD}`;
      found.push({ path: source.path, line: source.lineAt(node.start), message });
    });
    return found;
  });
}

const words = agentWords();

test('coordinator, protocol and runtime know no agent by its name', () => {
  expect(words).toEqual(expect.arrayContaining(['plccontroller', 'maintenanceschedulingagent', 'agents/plc']));
  expect(listed(nameViolations(loadSources(), words))).toEqual([]);
});

test.each([
  ['coordinator/planner/a.ts', "export const a = 'plc_controller_v1.2';"],
  ['coordinator/goals/a.ts', 'export const plcController = 1;'],
  ['coordinator/goals/a.ts', 'export const a = `maintenance_scheduling_agent.notify`;'],
  ['mcp/a.ts', 'export const a = /^plc_controller/;'],
  ['agents/runtime/a.ts', "export const a = await import('../../agents/plc/index.js');"],
  ['agents/runtime/a.ts', 'export const a = { floor1_hvac_agent: 1 };'],
  ['coordinator/console/src/a.tsx', 'export const a = <p>power supply agent</p>;'],
])('in %s, %s is caught', (path, text) => {
  expect(nameViolations([parseSource(path, text)], words).length).toBeGreaterThan(0);
});

test('a comment may give an example, and an agent may say its own name', () => {
  expect(nameViolations([parseSource('mcp/a.ts', '/** `plc_controller_v1.2` */\nexport const a = 1;')], words)).toEqual(
    [],
  );
  expect(nameViolations([parseSource('agents/plc/a.ts', "export const a = 'plc_controller';")], words)).toEqual([]);
});
