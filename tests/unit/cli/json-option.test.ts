import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { agentsCommand } from '../../../cli/commands/agents.js';
import { auditCommand } from '../../../cli/commands/audit.js';
import { callCommand } from '../../../cli/commands/call.js';
import { configCommand } from '../../../cli/commands/config.js';
import { goalCommand } from '../../../cli/commands/goal.js';
import { memoryCommand } from '../../../cli/commands/memory.js';
import { simCommand } from '../../../cli/commands/sim.js';
import { traceCommand } from '../../../cli/commands/trace.js';

/** A command, or the commands inside it. */
const ends = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(ends);

const asking = [
  auditCommand,
  callCommand,
  simCommand,
  goalCommand,
  agentsCommand,
  memoryCommand,
  traceCommand,
  configCommand,
];
const commands = asking.flatMap((make) => ends(make()));

describe('a command that asks', () => {
  test.each(commands.map((command) => [command.name(), command] as const))('%s accepts --json', (_name, command) => {
    expect(command.options.map((option) => option.long)).toContain('--json');
  });
});
