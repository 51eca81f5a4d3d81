import type { LinkDriver, OpenLink } from '../shared/device.js';
import { HermesError } from '../shared/errors.js';
import type { MailSender } from '../shared/mail.js';

/**
 * Doors of one life of a simulated process. After `revoke` nothing goes out any more, and what comes back from a
 * request that was under way reaches nobody: a zombie continuation gets `instance_lost`.
 */
export interface Life {
  openLink(open: OpenLink): OpenLink;
  mail(sender: MailSender): MailSender;
  revoke(): void;
}

export function createLife(): Life {
  let alive = true;
  const check = (): void => {
    if (!alive) throw new HermesError('instance_lost', 'the process has crashed');
  };
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    check();
    try {
      return await work();
    } finally {
      check();
    }
  };
  return {
    openLink: (open) => (link) => {
      const driver = open(link);
      const guarded: LinkDriver = {
        get state() {
          return driver.state;
        },
        read: (request, options) => guard(() => driver.read(request, options)),
        write: (request, options) => guard(() => driver.write(request, options)),
        fence: (unit, register, epoch, options) => guard(() => driver.fence(unit, register, epoch, options)),
        close: () => driver.close(),
      };
      return guarded;
    },
    mail: (sender) => ({
      send: (mail, options) => guard(() => sender.send(mail, options)),
      close: () => sender.close(),
    }),
    revoke() {
      alive = false;
    },
  };
}
