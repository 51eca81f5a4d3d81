import { HermesError } from '../../shared/errors.js';

/** `name_vMAJOR.MINOR`, for example `plc_controller_v1.2`. In subjects, keys and folders only the name stands. */
export interface ComponentId {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
}

const PATTERN = /^([a-z][a-z0-9_]{0,47})_v(\d{1,4})\.(\d{1,4})$/;
export const COMPONENT_NAME = /^[a-z][a-z0-9_]{0,47}$/;
/** Names that already mean something in the log, in data folders or as callers: no agent bears one of them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'site', // keeps the keys in the log
  'log', // its folder
  'journal', // its store
  'production_coordinator',
  'hermes_cli', // reads from everybody
  'tester', // reads from everybody
]);
export const TENANT = /^[a-z][a-z0-9-]{0,31}$/;

export function parseComponentId(text: string): ComponentId {
  const match = PATTERN.exec(text);
  if (!match) {
    throw new HermesError('invalid_params', `"${text}" is not a component id`, {
      suggestion: 'write it as name_vMAJOR.MINOR, for example pump_agent_v1.0',
    });
  }
  return { name: match[1] as string, major: Number(match[2]), minor: Number(match[3]) };
}

export const isComponentId = (value: unknown): boolean => typeof value === 'string' && PATTERN.test(value);

export const formatComponentId = (id: ComponentId): string => `${id.name}_v${id.major}.${id.minor}`;

/** Name of a component id that is known to be well formed; the text itself when it carries no version. */
export const componentName = (text: string): string => PATTERN.exec(text)?.[1] ?? text;

/** Same major, minor at least as high as asked. */
export const serves = (offered: ComponentId, asked: ComponentId): boolean =>
  offered.name === asked.name && offered.major === asked.major && offered.minor >= asked.minor;
