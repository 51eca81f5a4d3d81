import { decodeMessage } from '../../mcp/index.js';
import { lastToken } from '../../mcp/protocol/subjects.js';
import type { Bus, Transport } from '../../mcp/transport/index.js';

/** Requests that came in and answers that went out, of each life of each component. */
export interface Answers {
  /** Listens at one component's end of its bus. */
  tap(component: string, transport: Transport): Transport;
  /** What the living owe: the dead answer nobody. */
  owed(): readonly { readonly component: string; readonly count: number }[];
  /** Everybody who lives now is dead. */
  died(component?: string): void;
}

interface Book {
  readonly component: string;
  taken: number;
  given: number;
}

/**
 * Every request with a reply address is answered, or passed on with that address, for each delivery. What was passed on
 * to an instance that died may be answered here besides. Of a message that was passed on and came broken nobody can say
 * whom to answer.
 */
export function createAnswers(): Answers {
  let books: Book[] = [];
  return {
    tap(component, transport) {
      const book = { component, taken: 0, given: 0 };
      books.push(book);
      return { ...transport, bus: counting(transport.bus, book) };
    },
    owed: () =>
      books.flatMap(({ component, taken, given }) => (taken <= given ? [] : [{ component, count: taken - given }])),
    died(component) {
      books = books.filter((book) => component !== undefined && book.component !== component);
    },
  };
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
