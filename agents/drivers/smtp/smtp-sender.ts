import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection, { type SMTPConnectionEnvelope } from 'nodemailer/lib/smtp-connection';
import { raceSignal } from '../../../shared/deadline.js';
import { HermesError } from '../../../shared/errors.js';
import type { Mail, MailSender } from '../../../shared/mail.js';

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

/** Connecting, greeting and each silence of the server, ms; the whole is bounded by the caller's signal. */
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Mail over SMTP (nodemailer's own connection, RFC 5321). The server is asked for at each mail, so that start order
 * does not matter. TLS is used where the server offers it, except on loopback.
 *  1. No byte of the message goes out before every recipient is accepted: a mail reaches all or nobody.
 *  2. From the first byte on, only a 4xx or 5xx of the server says that the mail was not taken; else `sent: true`.
 *  3. An abort destroys the socket at once: nothing goes out after it.
 */
export function createSmtpSender(deps: { resolve: () => Promise<SmtpAddress> }): MailSender {
  const open = new Set<SMTPConnection>();
  return {
    async send(mail, { signal = new AbortController().signal, timeoutMs = DEFAULT_TIMEOUT_MS }) {
      const { host, port } = await raceSignal(deps.resolve(), signal).catch((thrown: unknown) => {
        throw signal.aborted ? aborted(signal, false) : failure(thrown as Error, false, []);
      });
      const composed = compose(mail);
      const body = await composed.build();
      if (signal.aborted) throw aborted(signal, false);
      const connection = new SMTPConnection({
        host,
        port,
        ignoreTLS: host === '127.0.0.1' || host === 'localhost',
        dnsTimeout: timeoutMs,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        socketCloseTimeout: 0, // close() destroys the socket
      });
      open.add(connection);
      connection.once('end', () => open.delete(connection));
      const to = [...mail.to, ...(mail.cc ?? [])];
      const envelope = { from: composed.getEnvelope().from, to, size: body.byteLength };
      return transact(connection, { envelope, body }, signal);
    },
    async close() {
      for (const connection of open) connection.close();
    },
  };
}

/** Addresses are handed over as such: a comma in one is no second recipient. */
function compose(mail: Mail) {
  const addresses = (list: readonly string[]) => list.map((address) => ({ name: '', address }));
  return new MailComposer({
    from: mail.from,
    to: addresses(mail.to),
    ...(mail.cc ? { cc: addresses(mail.cc) } : {}),
    subject: mail.subject,
    text: mail.text,
    messageId: mail.message_id,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
}

interface Envelope {
  readonly from: string | false;
  readonly to: string[];
  /** Bytes of the message. */
  readonly size: number;
}

/** One mail over one connection, which is over afterwards. @throws HermesError, see `failure` and `aborted`. */
function transact(
  connection: SMTPConnection,
  { envelope, body }: { envelope: Envelope; body: Buffer },
  signal: AbortSignal,
): Promise<{ response: string }> {
  let begun = false;
  let stop: () => void = () => undefined;
  /** The connection keeps the answers to each RCPT on the envelope that it was given. */
  const refused = (): readonly SmtpFailure[] => (envelope as Partial<SMTPConnectionEnvelope>).rejectedErrors ?? [];
  const message = messageStream(body, () => {
    if (refused().length > 0) return new Error('not every recipient was accepted');
    begun = true;
    return undefined;
  });
  const ending = new Promise<{ response: string }>((resolve, reject) => {
    const fail = (cause: SmtpFailure): void => reject(failure(cause, begun, refused()));
    stop = () => {
      reject(aborted(signal, begun));
      connection.close();
    };
    signal.addEventListener('abort', stop, { once: true });
    connection.on('error', fail);
    // what ended it is told in the same turn, sometimes after the end
    connection.once('end', () => void Promise.resolve().then(() => fail(new Error('the connection is closed'))));
    connection.connect((refusal) => {
      if (refusal) return fail(refusal);
      connection.send(envelope, message, (error, info) => {
        if (error) return fail(error);
        resolve({ response: String(info?.response ?? '') });
        connection.quit();
      });
    });
  });
  return ending
    .catch((error: unknown) => {
      connection.close();
      throw error;
    })
    .finally(() => signal.removeEventListener('abort', stop));
}

/** The message in one piece. `begin` is asked before its first byte may go out; an error of it keeps all back. */
function messageStream(body: Buffer, begin: () => Error | undefined): Readable {
  return new Readable({
    read() {
      const obstacle = begin();
      if (obstacle) {
        this.destroy(obstacle);
        return;
      }
      this.push(body);
      this.push(null);
    },
  });
}

/** What nodemailer says of a failure; `recipient` with a refused RCPT. */
interface SmtpFailure extends Error {
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly recipient?: string | undefined;
}

/** `tool_failed`; `data.sent: true` when the message had begun to go out and the server did not refuse it. */
function failure(cause: SmtpFailure, begun: boolean, refused: readonly SmtpFailure[]): HermesError {
  if (cause instanceof HermesError) return cause;
  const code = refused[0]?.responseCode ?? cause.responseCode;
  const answered = code !== undefined && code >= 400 && code <= 599;
  const addresses = refused.map(({ recipient }) => recipient ?? '');
  const detail =
    refused.length > 0
      ? `it refused ${refused.map(({ recipient, response }) => `${recipient} (${response})`).join(', ')}`
      : cause.message;
  const data = {
    sent: begun && !answered,
    suggestion:
      refused.length > 0
        ? 'check the email of these people in the topology'
        : 'check channels.email.url in the topology',
    ...(answered ? { smtp_code: code } : {}),
    ...(refused.length > 0 ? { refused: addresses } : {}),
  };
  return new HermesError('tool_failed', `the mail server did not take the mail: ${detail}`, data, { cause });
}

/** The signal's own reason; `data.sent: true` when the message had begun to go out. */
function aborted(signal: AbortSignal, sent: boolean): HermesError {
  const cause: unknown = signal.reason;
  if (!(cause instanceof HermesError)) return new HermesError('cancelled', 'the mail was stopped', { sent }, { cause });
  return new HermesError(cause.reason, cause.message, { ...cause.data, sent }, { cause });
}
