import { describe, expect, test } from 'vitest';
import type { Member } from '../../../../../mcp/transport/index.js';
import { encodeBeat, LiveView, parseBeat } from '../../../../../mcp/transport/nats/live-view.js';

const member = (state: Member['state'] = 'ready'): Member => ({
  component: 'plc',
  instance: 'plc-a',
  version: '1.0',
  since: 1,
  state,
});

describe('who lives, as one watcher sees it', () => {
  test('a first beat joins, a new state changes, a renewal says nothing, an old beat is ignored', () => {
    const view = new LiveView(100);
    expect(view.hear({ member: member('starting'), beat: 10 }, 0)?.kind).toBe('joined');
    expect(view.hear({ member: member(), beat: 11 }, 1)?.kind).toBe('changed');
    expect(view.hear({ member: member(), beat: 12 }, 2)).toBeUndefined();
    expect(view.hear({ member: member('draining'), beat: 11 }, 3)).toBeUndefined();
    expect(view.remove('plc-a', 'left')).toEqual({ kind: 'left', member: member() });
    expect(view.remove('plc-a', 'left')).toBeUndefined();
  });

  test('silence is counted from the last beat, on the watcher’s clock; one that was deaf begins anew', () => {
    const view = new LiveView(100);
    view.hear({ member: member(), beat: 1 }, 0);
    view.hear({ member: member(), beat: 2 }, 50);
    expect(view.overdue(149)).toEqual([]);
    expect(view.overdue(150).map(({ beat }) => beat)).toEqual([2]);
    view.refresh(150);
    expect(view.overdue(249)).toEqual([]);
  });

  test('what is left of a dead instance does not bring it back, its own next beat does', () => {
    const view = new LiveView(100);
    view.hear({ member: member(), beat: 5 }, 0);
    view.remove('plc-a', 'expired');
    expect(view.hear({ member: member(), beat: 5 }, 1)).toBeUndefined();
    expect(view.hear({ member: member(), beat: 6 }, 2)?.kind).toBe('joined');
  });

  test.each(['{}', 'null', '{"member":{},"beat":1}', '{"member":{"component":"a"},"beat":"1"}', 'no json'])(
    '%s is no beat',
    (text) => {
      expect(() => parseBeat(new TextEncoder().encode(text))).toThrow();
    },
  );

  test('a beat arrives as it was sent', () => {
    const beat = { member: member(), beat: 7 };
    expect(parseBeat(new TextEncoder().encode(encodeBeat(beat)))).toEqual(beat);
  });
});
