import { describe, expect, test } from 'vitest';
import { createEventParser } from '../../../coordinator/console/src/event-stream.js';

describe('event stream parser', () => {
  test('gives the same events however the text is cut', () => {
    const text = ': hello\n\nid: 1\nevent: state\ndata: {"a":1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\ndata\n\n';
    const whole = createEventParser()(text);
    const parse = createEventParser();
    const cut = [...text].flatMap((letter) => parse(letter));
    expect(cut).toEqual(whole);
    expect(whole).toEqual([
      { id: '1', type: 'state', data: '{"a":1}' },
      { id: '2', type: 'message', data: 'x\ny' },
      { id: '2', type: 'message', data: '' },
    ]);
  });

  test('a heartbeat is no event, and an unfinished event waits for its blank line', () => {
    const parse = createEventParser();
    expect(parse(': beat\n\n')).toEqual([]);
    expect(parse('data: 1\n')).toEqual([]);
    expect(parse('\n')).toEqual([{ type: 'message', data: '1' }]);
  });
});
