/**
 * The thread that keeps the members of a process alive while its main loop is busy. It has a connection of its own,
 * takes `KeeperCommand`s and answers with `KeeperReport`s.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../shared/clock.js';
import { toHermesError } from '../../../shared/errors.js';
import { systemRandom } from '../../../shared/random.js';
import type { LogFields, Logger } from '../../../shared/telemetry/logger.js';
import { createJet } from './jet.js';
import { type Line, openLine } from './line.js';
import { LivenessKeeper } from './liveness-keeper.js';
import type { KeeperCommand, KeeperOptions, KeeperReport } from './liveness-messages.js';

const report = (message: KeeperReport): void => parentPort?.postMessage(message);

function reportingLogger(): Logger {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: LogFields, message: string): void =>
      report({ is: 'log', level, fields, message });
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return logger;
}

async function open(options: KeeperOptions): Promise<{ readonly line: Line; readonly keeper: LivenessKeeper }> {
  const clock = systemClock();
  const logger = reportingLogger();
  const line = await openLine({
    ...options,
    name: 'liveness',
    inboxPrefix: `_INBOX.${options.component}`,
    clock,
    random: systemRandom(),
    logger,
    fault: (kind) => report({ is: 'fault', kind }),
  });
  line.onUp(() => report({ is: 'connected', connected: true }));
  line.onDown(() => report({ is: 'connected', connected: false }));
  const keeper = new LivenessKeeper({ line, jet: createJet(line), clock, logger, report }, options);
  return { line, keeper };
}

async function obey(keeper: LivenessKeeper, line: Line, command: KeeperCommand): Promise<void> {
  if (command.do === 'join') await keeper.join(command.member);
  else if (command.do === 'update') await keeper.update(command.instance, command.state, command.owns);
  else if (command.do === 'leave') await keeper.leave(command.instance);
  else if (command.do === 'close') {
    await keeper.close();
    await line.close();
  }
}

async function main(options: KeeperOptions): Promise<void> {
  const { line, keeper } = await open(options);
  parentPort?.on('message', (command: KeeperCommand) => {
    if (command.do === 'tick') {
      keeper.tick(command.at);
      return;
    }
    const { id } = command;
    obey(keeper, line, command).then(
      () => report({ is: 'done', id }),
      (thrown: unknown) => report({ is: 'done', id, error: toHermesError(thrown).toWire() }),
    );
  });
  await keeper.start();
  report({ is: 'ready' });
}

main(workerData as KeeperOptions).catch((thrown: unknown) => {
  report({ is: 'failed', error: toHermesError(thrown, 'log_unavailable').toWire() });
});
