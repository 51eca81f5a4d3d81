#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { HermesError, toHermesError } from '../shared/errors.js';
import { agentsCommand } from './commands/agents.js';
import { callCommand } from './commands/call.js';
import { configCommand } from './commands/config.js';
import { goalCommand } from './commands/goal.js';
import { simCommand } from './commands/sim.js';
import { simulateCommand } from './commands/simulate.js';
import { traceCommand } from './commands/trace.js';
import { upCommand } from './commands/up.js';

/** The command line: one file a command; data on stdout, errors on stderr with a next step; 0 ok, 1 failed, 2 usage. */
const program = new Command('hermes')
  .description('A network of agents that runs a factory or a building and can prove what it did')
  .version('0.1.0')
  .exitOverride()
  .showHelpAfterError('(see hermes --help)');

for (const command of [
  upCommand,
  simulateCommand,
  simCommand,
  goalCommand,
  callCommand,
  agentsCommand,
  traceCommand,
  configCommand,
]) {
  program.addCommand(command().exitOverride());
}

try {
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
