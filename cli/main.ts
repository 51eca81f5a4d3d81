#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { HermesError, toHermesError } from '../shared/errors.js';

/** The command line: one file a command; data on stdout, errors on stderr with a next step; 0 ok, 1 failed, 2 usage. */
const COMMANDS: Readonly<Record<string, () => Promise<() => Command>>> = {
  up: async () => (await import('./commands/up.js')).upCommand,
  coordinator: async () => (await import('./commands/coordinator.js')).coordinatorCommand,
  simulate: async () => (await import('./commands/simulate.js')).simulateCommand,
  sim: async () => (await import('./commands/sim.js')).simCommand,
  goal: async () => (await import('./commands/goal.js')).goalCommand,
  call: async () => (await import('./commands/call.js')).callCommand,
  agent: async () => (await import('./commands/agent.js')).agentCommand,
  agents: async () => (await import('./commands/agents.js')).agentsCommand,
  approvals: async () => (await import('./commands/approvals.js')).approvalsCommand,
  tools: async () => (await import('./commands/tools.js')).toolsCommand,
  keys: async () => (await import('./commands/keys.js')).keysCommand,
  memory: async () => (await import('./commands/memory.js')).memoryCommand,
  trace: async () => (await import('./commands/trace.js')).traceCommand,
  audit: async () => (await import('./commands/audit.js')).auditCommand,
  backup: async () => (await import('./commands/backup.js')).backupCommand,
  restore: async () => (await import('./commands/restore.js')).restoreCommand,
  mcp: async () => (await import('./commands/mcp.js')).mcpCommand,
  journal: async () => (await import('./commands/journal.js')).journalCommand,
  events: async () => (await import('./commands/events.js')).eventsCommand,
  nats: async () => (await import('./commands/nats.js')).natsCommand,
  new: async () => (await import('./commands/new.js')).newCommand,
  config: async () => (await import('./commands/config.js')).configCommand,
};

const program = new Command('hermes')
  .description('A network of agents that runs a factory or a building and can prove what it did')
  .version('0.1.0')
  .exitOverride()
  .showHelpAfterError('(see hermes --help)');

try {
  // Only what was asked for is loaded: a short command does not wait for the rooms of a long one.
  const asked = process.argv[2] ?? '';
  const wanted = asked in COMMANDS ? [asked] : Object.keys(COMMANDS);
  for (const name of wanted) {
    const command = await COMMANDS[name]?.();
    if (command) program.addCommand(command().exitOverride());
  }
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = report(thrown);
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  const error = toHermesError(thrown);
  process.stderr.write(`hermes: ${error.message}\n`);
  const { suggestion, fields } = error.data;
  for (const field of fields ?? []) process.stderr.write(`  ${field.pointer || '(whole)'}: ${field.problem}\n`);
  if (suggestion) process.stderr.write(`  next: ${suggestion}\n`);
  if (error.reason === 'internal' && !(thrown instanceof HermesError) && thrown instanceof Error) {
    process.stderr.write(`${thrown.stack ?? ''}\n`);
  }
  return error.reason === 'invalid_params' ? 2 : 1;
}
