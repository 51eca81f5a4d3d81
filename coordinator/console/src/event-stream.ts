/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id?: string;
  readonly type: string;
  readonly data: string;
}

/**
 * Splits a stream's text into events (WHATWG HTML §9.2.6). Feed it pieces as they arrive; an event is returned once
 * its blank line has been seen. A comment (heartbeat) yields nothing.
 */
export function createEventParser(): (piece: string) => StreamEvent[] {
  let buffer = '';
  let id: string | undefined;
  let type = '';
  let data: string[] = [];
  const takeLine = (line: string): StreamEvent | undefined => {
    if (line === '') {
      const event =
        data.length > 0
          ? { ...(id !== undefined && { id }), type: type || 'message', data: data.join('\n') }
          : undefined;
      type = '';
      data = [];
      return event;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  };
  return (piece) => {
    buffer += piece;
    const events: StreamEvent[] = [];
    for (let end = lineEnd(buffer); end !== undefined; end = lineEnd(buffer)) {
      const event = takeLine(buffer.slice(0, end.at));
      buffer = buffer.slice(end.next);
      if (event) events.push(event);
    }
    return events;
  };
}

/** Lines end with LF, CRLF or CR; a CR at the very end may be half of a CRLF, so it waits. */
function lineEnd(text: string): { at: number; next: number } | undefined {
  const at = text.search(/[\r\n]/);
  if (at < 0) return undefined;
  if (text[at] === '\n') return { at, next: at + 1 };
  if (at + 1 === text.length) return undefined;
  return { at, next: text[at + 1] === '\n' ? at + 2 : at + 1 };
}

/** Reads one connection to its end; `onActivity` hears of every piece, heartbeats included. */
export async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  onActivity: () => void,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  if (reader === undefined) return;
  const parse = createEventParser();
  const decoder = new TextDecoder();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    onActivity();
    for (const event of parse(decoder.decode(piece.value, { stream: true }))) onEvent(event);
  }
}
