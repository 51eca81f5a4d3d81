import { connect } from '@nats-io/transport-node';
import { ANSWER, type Stack } from './stack.js';

const SUBJECT = 'bench.mux.call';
/** Bytes of a message beside the note that it carries: an MCP call of a read, as it was first measured. */
const MESSAGE_BYTES = 435;

/**
 * The least that request and reply can be: one reply subject for the process, a number before the payload to match by,
 * bytes that nobody looks at. No identity, no deadline, no retry: the price of the broker and the client library.
 */
export const mux: Stack = {
  async openWorker(url) {
    const connection = await connect({ servers: url });
    const answer = new TextEncoder().encode(JSON.stringify(ANSWER));
    connection.subscribe(SUBJECT, {
      queue: 'mux',
      callback: (_error, message) => {
        const reply = new Uint8Array(4 + answer.length);
        reply.set(message.data.subarray(0, 4));
        reply.set(answer, 4);
        message.respond(reply);
      },
    });
    await connection.flush();
  },
  async openClient(url, { note }) {
    const connection = await connect({ servers: url });
    const question = new Uint8Array(MESSAGE_BYTES + note.length);
    const waiting = new Map<number, () => void>();
    const reply = `bench.mux.reply.${process.pid}`;
    connection.subscribe(reply, {
      callback: (_error, message) => {
        const id = new DataView(message.data.buffer, message.data.byteOffset).getUint32(0);
        const done = waiting.get(id);
        waiting.delete(id);
        done?.();
      },
    });
    let next = 0;
    return {
      call: () =>
        new Promise<void>((resolve) => {
          const id = next++;
          const bytes = question.slice();
          new DataView(bytes.buffer).setUint32(0, id);
          waiting.set(id, resolve);
          connection.publish(SUBJECT, bytes, { reply });
        }),
    };
  },
};
