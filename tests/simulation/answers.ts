import { decodeMessage } from '../../mcp/index.js';
import { lastToken } from '../../mcp/protocol/subjects.js';
import type { Bus, Transport } from '../../mcp/transport/index.js';
import { HermesError } from '../../shared/errors.js';

/** Requests that came in and answers that went out, of each life of each component. */
export interface Answers {
  /** Listens at one place's end of its bus. */
  tap(place: string, transport: Transport): Transport;
  /** What those owe who did not die: the dead answer nobody. */
  owed(): readonly { readonly place: string; readonly count: number }[];
}

interface Book {
  readonly place: string;
  readonly component: string;
  readonly transport: Transport;
  taken: number;
  given: number;
}

/**
 * Every request with a reply address is answered, or passed on with that address, for each delivery. What was passed on
 * to an instance that died may be answered here besides. Of a message that was passed on and came broken nobody can say
 * whom to answer.
 */
export function createAnswers(): Answers {
  const books: Book[] = [];
  return {
    tap(place, transport) {
      const book = { place, component: place.split('#')[0] as string, transport, taken: 0, given: 0 };
      books.push(book);
      return { ...transport, bus: counting(transport.bus, book) };
    },
    owed: () =>
      books
        .filter(({ taken, given, transport }) => taken > given && lives(transport))
        .map(({ place, taken, given }) => ({ place, count: taken - given })),
  };
}

function lives({ liveness }: Transport): boolean {
  try {
    liveness.members();
    return true;
  } catch (error) {
    if (error instanceof HermesError && error.reason === 'instance_lost') return false;
    throw error;
  }
}

function counting(bus: Bus, book: Book): Bus {
  const asked = [`.call.${book.component}.`, `.direct.${book.component}.`];
  return {
    ...bus,
    publish(subject, payload, options) {
      bus.publish(subject, payload, options);
      const forwarded = subject.includes('.direct.') && options?.reply?.includes(`.reply.${book.component}.`) === false;
      if (subject.includes('.reply.') || forwarded) book.given++;
    },
    subscribe: (pattern, handle, options) =>
      bus.subscribe(
        pattern,
        (message) => {
          const request = message.reply !== undefined && asked.some((way) => pattern.includes(way));
          if (request && (lastToken(message.subject) !== book.component || isSound(message.payload))) book.taken++;
          return handle(message);
        },
        options,
      ),
  };
}

function isSound(payload: Uint8Array): boolean {
  try {
    decodeMessage(payload);
    return true;
  } catch {
    return false;
  }
}
