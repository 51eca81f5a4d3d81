/**
 * Drivers: how a component talks to the devices of a link.
 *
 * Owns connections, framing, time limits per request and the mapping between engineering values and registers; owns no
 * policy about what may be written and no idea of a device's meaning.
 *
 * 1. One connection per link, shared by its units; one request in flight; writes before reads.
 * 2. A read is sent at most twice, a write once. A write without an answer is `sent: true`: its outcome is unknown.
 * 3. A reply is matched by transaction id, unit, function and length, or dropped; nothing that arrives throws.
 * 4. One silent unit costs its neighbours time, never their answers.
 * 5. Every failure is a HermesError with a cause of CONNECTION_CAUSES.
 * 6. Values are refused, never clipped; a float that is no number is null.
 */
export { createDeviceAccess } from './device-access.js';
export { type FaultyLinkOptions, faultyLink } from './faulty-link.js';
export { type ModbusLinkDeps, type ModbusLinkOptions, openModbusLink } from './modbus/open-modbus-link.js';
export {
  decodeBlock,
  decodePoint,
  encodePoint,
  isBitTable,
  planReads,
  pointSize,
  READ_LIMITS,
  type ReadBlock,
  WRITE_LIMITS,
} from './points.js';
export { createSmtpSender, type SmtpAddress } from './smtp/smtp-sender.js';
