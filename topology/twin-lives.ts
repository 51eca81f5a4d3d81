import type { SimConnection, SimControls } from '../mcp/transport/index.js';
import type { OpenLink } from '../shared/device.js';
import type { MailSender } from '../shared/mail.js';
import type { DealtDoors } from './component-doors.js';
import { createLife, type Life } from './revocable.js';

/** What lives in a simulated process: by place, each with doors of its own that a crash takes away. */
export interface TwinLives {
  /** A new life in a place. */
  open(place: string, outside: TwinOutside): Pick<DealtDoors, 'transport' | 'openLink' | 'mail'>;
  /** @returns whether anybody lived there. */
  crash(place: string): boolean;
  crashAll(): void;
  /** All have ended in order: nothing goes out any more. */
  end(): void;
}

export interface TwinOutside {
  readonly openLink: OpenLink;
  readonly mail: MailSender;
}

interface Lived {
  readonly connection: SimConnection;
  readonly life: Life;
}

export function createTwinLives(sim: SimControls): TwinLives {
  const places = new Map<string, Lived>();
  const kill = ({ connection, life }: Lived): void => {
    connection.crash();
    life.revoke();
  };
  return {
    open(place, { openLink, mail }) {
      const lived = { connection: sim.connect(place), life: createLife() };
      places.set(place, lived);
      return {
        transport: lived.connection.transport,
        openLink: lived.life.openLink(openLink),
        mail: lived.life.mail(mail),
      };
    },
    crash(place) {
      const lived = places.get(place);
      if (!lived) return false;
      places.delete(place);
      kill(lived);
      return true;
    },
    crashAll() {
      for (const lived of places.values()) kill(lived);
      places.clear();
    },
    end() {
      for (const { life } of places.values()) life.revoke();
      places.clear();
    },
  };
}
