/** The log door: structured, injected, a constant message and fields. `pino` behind it is set up in the CLI. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

export interface LogFields {
  readonly tag?: LogTag;
  readonly [key: string]: unknown;
}

/** Tags of what recovery does; one structured line each, with goal and step. */
export type LogTag =
  | 'RECOVERY'
  | 'RETRY-ATTEMPT'
  | 'ALTERNATIVE'
  | 'ROLLBACK'
  | 'CHECKPOINT'
  | 'CONTEXT-REPAIR'
  | 'BUDGET-LIMIT'
  | 'APPROVAL'
  | 'DEGRADED';

/** Says nothing; for tests and the simulation. */
export function silentLogger(): Logger {
  const nothing = (_fields: LogFields, _message: string): void => undefined;
  const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => logger };
  return logger;
}
