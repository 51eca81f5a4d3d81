import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../shared/telemetry/logger.js';

const SECRETS = [
  '*.master_key',
  '*.authorization',
  '*.password',
  '*.token',
  'master_key',
  'authorization',
  'password',
  'token',
];

/** pino behind the log door: a JSON line each, pretty on a terminal, secrets redacted; on stderr, stdout is data. */
export function openLogger(level: string): Logger {
  const redact = { paths: SECRETS, censor: '[redacted]' };
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, redact }, stream) as unknown as Logger;
}
