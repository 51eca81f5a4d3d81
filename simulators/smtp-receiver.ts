import { SMTPServer } from 'smtp-server';
import type { Clock } from '../shared/clock.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type MailAttachment, parseMail } from './mime.js';

/** A mail that the receiver has accepted with 250. */
export interface ReceivedMail {
  readonly from: string;
  /** Header `To`, decoded: names and addresses. */
  readonly to: string;
  readonly cc: string;
  /** Addresses of the envelope: where it was really delivered. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
  /** Unix milliseconds. */
  readonly at: number;
  readonly message_id: string;
}

export interface SmtpReceiver {
  readonly host: string;
  readonly port: number;
  /** Mails whose recipients, by address or by name, contain the text; all without it. */
  mails(to?: string): ReceivedMail[];
  clear(): void;
  close(): Promise<void>;
}

const MAX_MAILS = 10_000;

/** An SMTP server that delivers to nobody and remembers everything. Plain text on loopback; no TLS, no login. */
export async function openSmtpReceiver(
  deps: { readonly clock: Clock; readonly logger: Logger },
  options: { readonly host: string; readonly port: number },
): Promise<SmtpReceiver> {
  const { clock, logger } = deps;
  let mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ ...parseMail(Buffer.concat(chunks)), recipients, at: clock.now() });
        mails = mails.slice(-MAX_MAILS);
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error: Error) => logger.debug({ err: error.message }, 'simulated mail server: client lost'));
  const address = server.server.address();
  return {
    host: options.host,
    port: typeof address === 'object' && address ? address.port : options.port,
    mails(to) {
      if (to === undefined || to === '') return [...mails];
      const wanted = to.toLowerCase();
      return mails.filter((mail) =>
        [mail.to, mail.cc, ...mail.recipients].some((text) => text.toLowerCase().includes(wanted)),
      );
    },
    clear() {
      mails = [];
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
