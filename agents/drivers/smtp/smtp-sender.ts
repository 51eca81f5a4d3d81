import { createTransport, type Transporter } from 'nodemailer';
import { HermesError } from '../../../shared/errors.js';
import type { MailSender } from '../../../shared/mail.js';

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Mail over SMTP (nodemailer). The server is asked for at each mail, so that start order does not matter. TLS is used
 * where the server offers it, except on loopback.
 */
export function createSmtpSender(deps: { resolve: () => Promise<SmtpAddress> }): MailSender {
  return {
    async send(mail, options) {
      const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
      const { host, port } = await deps.resolve();
      const transport = createTransport({
        host,
        port,
        ignoreTLS: host === '127.0.0.1' || host === 'localhost',
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
      });
      const abort = (): void => transport.close();
      signal?.addEventListener('abort', abort, { once: true });
      try {
        return await deliver(transport, mail);
      } finally {
        signal?.removeEventListener('abort', abort);
        transport.close();
      }
    },
    close: async () => undefined,
  };
}

async function deliver(transport: Transporter, mail: Parameters<MailSender['send']>[0]): Promise<{ response: string }> {
  try {
    const info = await transport.sendMail({
      from: mail.from,
      to: [...mail.to],
      ...(mail.cc ? { cc: [...mail.cc] } : {}),
      subject: mail.subject,
      text: mail.text,
      messageId: mail.message_id,
    });
    return { response: String(info.response ?? '') };
  } catch (cause) {
    const { code, command, responseCode } = cause as { code?: string; command?: string; responseCode?: number };
    const refused = code === 'ECONNECTION' || code === 'ESOCKET' || responseCode !== undefined;
    const sent = command === 'DATA' && responseCode === undefined;
    throw new HermesError(
      'tool_failed',
      `the mail server did not take the mail: ${(cause as Error).message}`,
      {
        sent: sent && !refused,
        suggestion: 'check channels.email.url in the topology',
        ...(responseCode === undefined ? {} : { smtp_code: responseCode }),
      },
      { cause },
    );
  }
}
