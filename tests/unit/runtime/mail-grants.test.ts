import { describe, expect, test } from 'vitest';
import type { Effect } from '../../../agents/runtime/record/index.js';
import { openCapabilities } from '../../../agents/runtime/tools/capabilities.js';
import { covers } from '../../../agents/runtime/tools/index.js';
import { openDeadline } from '../../../shared/deadline.js';
import type { Mail } from '../../../shared/mail.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { siteFixture } from '../../support/site-fixture.js';

function bench(granted: readonly string[], declared: readonly string[] = ['smtp.send']) {
  const clock = new VirtualClock();
  const sent: Mail[] = [];
  const effects: Effect[] = [];
  const never = async (): Promise<never> => {
    throw new Error('not in this test');
  };
  const { smtp } = openCapabilities(
    {
      site: siteFixture,
      devices: { read: never, write: never, fence: never, release: never },
      mail: { send: async (mail) => ({ response: `250 ${sent.push(mail)}` }), close: async () => undefined },
      raiseAlarm: never,
      now: () => clock.now(),
      snapshot: never,
      scopesOf: never,
      hold: async () => undefined,
      identify: async () => undefined,
    },
    { tool: 'notify', declared, granted },
    { effects, deadline: openDeadline(clock, clock.now() + 1_000), forward: true },
  );
  const send = (to: readonly string[], cc?: readonly string[]) =>
    smtp.send({ from: 'h@x', to, ...(cc ? { cc } : {}), subject: 's', text: 't', message_id: '<m@x>' });
  return { send, sent, effects };
}

describe('a grant of smtp.send', () => {
  test('is needed for each address of to and cc', async () => {
    const { send, sent, effects } = bench(['smtp.send:zhang@*']);
    for (const [to, cc] of [
      [['zhang@x', 'evil@y'], undefined],
      [['evil@y', 'zhang@x'], undefined],
      [['zhang@x'], ['evil@y']],
    ] as const) {
      await expect(send(to, cc)).rejects.toMatchObject({
        reason: 'not_allowed',
        message: expect.stringContaining('smtp.send:evil@y'),
        data: { suggestion: expect.stringContaining('smtp.send:evil@y') },
      });
    }
    expect([sent, effects]).toEqual([[], []]);
  });

  test('covers what is granted, and the effect names every address', async () => {
    const { send, sent, effects } = bench(['smtp.send:zhang@*', 'smtp.send:li@x']);
    await send(['zhang@x', 'zhang@y'], ['li@x']);
    expect(sent).toHaveLength(1);
    expect(effects).toMatchObject([{ target: 'zhang@x,zhang@y,li@x', outcome: 'confirmed' }]);
  });

  test('without a target covers everybody', async () => {
    const { send, sent } = bench(['smtp.send']);
    await send(['a@x'], ['b@y']);
    expect(sent).toHaveLength(1);
    expect(covers('smtp.send', 'smtp.send:b@y')).toBe(true);
  });

  test('is not stretched by an address that is more than one', async () => {
    const { send, sent } = bench(['smtp.send:zhang@*']);
    for (const odd of [
      'zhang@x,evil@y',
      'zhang@x;evil@y',
      'zhang@x evil@y',
      'zhang@x><evil@y',
      'zhang@x@y',
      'zhang',
      '',
    ]) {
      await expect(send([odd]), odd).rejects.toMatchObject({ reason: 'invalid_params' });
      await expect(send(['zhang@x'], [odd]), odd).rejects.toMatchObject({ reason: 'invalid_params' });
    }
    await expect(send([])).rejects.toMatchObject({ reason: 'invalid_params' });
    expect(sent).toEqual([]);
  });

  test('must be declared for each address too', async () => {
    const { send, sent } = bench(['smtp.send'], ['smtp.send:zhang@*']);
    await expect(send(['zhang@x'], ['li@x'])).rejects.toMatchObject({ reason: 'undeclared_effect' });
    expect(sent).toEqual([]);
  });
});
