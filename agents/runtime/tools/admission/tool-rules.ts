import { covers } from '../capabilities.js';
import type { Tool } from '../define-tool.js';

/** Capabilities that a context can hand over. */
const CAPABILITIES: ReadonlySet<string> = new Set([
  ...['modbus.read', 'modbus.write', 'smtp.send', 'memory.read', 'alarm.raise'],
]);
/** Nothing that has to be taken back: reads, and alarms, which a person ends. */
const HARMLESS: ReadonlySet<string> = new Set(['modbus.read', 'memory.read', 'alarm.raise']);

const capabilityOf = (effect: string): string => effect.split(':', 1)[0] as string;
const targetOf = (effect: string): string => effect.slice(capabilityOf(effect).length + 1) || '*';

/** What a manifest has to say before its tool is admitted. In words, none when it says it. */
export function ruleProblems(tool: Tool): string[] {
  const { side_effects, effect_class, risk, rollback, alternatives, risk_reason } = tool.spec;
  const problems: string[] = [];
  const kinds = new Set(side_effects.map(capabilityOf));
  const unknown = [...kinds].filter((kind) => !CAPABILITIES.has(kind));
  if (unknown.length > 0) problems.push(`side_effects name no capability: ${unknown.join(', ')}`);
  const writes = [...kinds].filter((kind) => !HARMLESS.has(kind));
  if (effect_class === 'read' && writes.length > 0) problems.push(`effect_class read, but it declares ${writes}`);
  const undone = 'none' in rollback ? [] : (rollback.undoes ?? writes.slice(0, writes.length === 1 ? 1 : 0));
  const left = writes.filter((kind) => !undone.includes(kind));
  if (writes.length > 1 && left.length > 0)
    problems.push(`several kinds of write effect need a rollback for each; rollback.undoes lacks ${left.join(', ')}`);
  if (effect_class !== 'read' && risk !== 'low' && alternatives === undefined)
    problems.push(`risk ${risk}: alternatives has to name siblings, or say {none: why}`);
  if (effect_class === 'irreversible' && risk !== 'high' && !risk_reason)
    problems.push(`irreversible with risk ${risk}: risk_reason has to say why it is no higher`);
  return problems.map((problem) => `${tool.manifest.name}: ${problem}`);
}

/** How what a tool declares meets what the operator granted. */
export interface GrantAudit {
  /** Capabilities of which nothing is granted: the tool cannot do its work. */
  readonly missing: readonly string[];
  /** Declared effects that are granted for a part of their targets, or for none. */
  readonly narrowed: readonly string[];
}

/** Compares patterns: a grant may be narrower than what is declared, the tool is then held to it. */
export function auditGrants({ spec: { side_effects } }: Tool, granted: readonly string[]): GrantAudit {
  const missing = [...new Set(side_effects.map(capabilityOf))].filter(
    (kind) =>
      !side_effects.some((effect) => capabilityOf(effect) === kind && granted.some((one) => meets(effect, one))),
  );
  const narrowed = side_effects.filter((effect) => !granted.some((one) => covers(one, withTarget(effect))));
  return { missing, narrowed };
}

const withTarget = (effect: string): string => `${capabilityOf(effect)}:${targetOf(effect)}`;

/** Whether some target falls under both patterns. */
function meets(one: string, other: string): boolean {
  if (other === '*') return true;
  if (capabilityOf(one) !== capabilityOf(other)) return false;
  const [a, b] = [targetOf(one), targetOf(other)];
  const stem = (pattern: string): string => pattern.replace(/\*$/, '');
  if (a.endsWith('*') && b.endsWith('*')) return stem(a).startsWith(stem(b)) || stem(b).startsWith(stem(a));
  if (a.endsWith('*')) return b.startsWith(stem(a));
  return b.endsWith('*') ? a.startsWith(stem(b)) : a === b;
}
