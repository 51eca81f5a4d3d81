import type { Clock } from '../shared/clock.js';
import type { Mail, MailSender } from '../shared/mail.js';

export interface SimMail extends MailSender {
  readonly sent: readonly (Mail & { readonly at: number })[];
}

const ROUND_TRIP_MS = 20;

/** A mail server of the simulation: takes every mail, remembers it, costs virtual time. */
export function createSimMail(clock: Clock): SimMail {
  const sent: (Mail & { at: number })[] = [];
  return {
    sent,
    async send(mail, { signal }) {
      await clock.sleep(ROUND_TRIP_MS / 2, signal);
      sent.push({ ...mail, at: clock.now() });
      await clock.sleep(ROUND_TRIP_MS / 2);
      return { response: '250 taken' };
    },
    close: async () => undefined,
  };
}
