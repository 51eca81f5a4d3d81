import { HermesError } from '../../shared/errors.js';
import { MCP_VERSION } from './envelope.js';

/** The one before: no deadline, `max_retries`. */
export const OLD_MCP_VERSION = '1.1';

/** Protocol versions that this build speaks. */
export const SUPPORTED_MCP_VERSIONS: readonly string[] = [OLD_MCP_VERSION, MCP_VERSION];

type Raw = Record<string, unknown>;

/**
 * Brings a message of a supported version to the newest shape. 1.1 had no deadline and said `max_retries`: the
 * deadline becomes arrival plus `timeout_ms` (default 30 s).
 * @throws HermesError `bad_version`, with what is supported.
 */
export function upgradeRequest(raw: Raw, now: number): { message: Raw; deprecated?: string } {
  const version = raw.mcp_version;
  if (version === MCP_VERSION) return { message: raw };
  if (version === '1.1') {
    const { max_retries, ...rest } = raw;
    const timeout = typeof raw.timeout_ms === 'number' ? raw.timeout_ms : 30_000;
    const message: Raw = { ...rest, mcp_version: MCP_VERSION };
    if (typeof max_retries === 'number') message.retry_policy = { max_attempts: Math.min(10, max_retries + 1) };
    message.deadline_unix_ms ??= now + timeout;
    return { message, deprecated: '1.1' };
  }
  throw new HermesError('bad_version', `mcp_version ${JSON.stringify(version)} is not supported`, {
    supported: SUPPORTED_MCP_VERSIONS,
    fields: [{ pointer: '/mcp_version', problem: `one of ${SUPPORTED_MCP_VERSIONS.join(', ')}` }],
  });
}

/** The other way, for a callee that speaks only 1.1; the caller keeps the deadline itself. */
export function downgradeRequest(message: Raw): Raw {
  const { retry_policy, deadline_unix_ms, ...rest } = message;
  const attempts = (retry_policy as { max_attempts?: number } | undefined)?.max_attempts;
  const down: Raw = { ...rest, mcp_version: '1.1' };
  if (attempts !== undefined) down.max_retries = attempts - 1;
  if (typeof deadline_unix_ms === 'number' && typeof message.sent_at_unix_ms === 'number') {
    down.timeout_ms ??= Math.max(1, deadline_unix_ms - message.sent_at_unix_ms);
  }
  return down;
}
