import { invalidParams } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** @throws HermesError `invalid_params` over the limit of a message. */
export function checkSize(payload: Uint8Array): void {
  if (payload.byteLength <= LIMITS.messageBytes) return;
  const problem = `${payload.byteLength} bytes, the limit is ${LIMITS.messageBytes}`;
  throw invalidParams(`payload too large: ${problem}`, [{ pointer: '/payload', problem }]);
}
