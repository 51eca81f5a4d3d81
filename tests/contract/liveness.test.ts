import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Liveness, type Member, openTransport, type SimConnection } from '../../mcp/transport/index.js';
import { LIMITS } from '../../shared/limits.js';
import { seededRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import type { TransportHarness } from '../support/transport-harness.js';
import { transports } from '../support/transports.js';

const member = (component: string, instance: string, state: Member['state'] = 'ready'): Member => ({
  component,
  instance,
  version: '1.0',
  since: 1,
  state,
});

describe.each(transports({ kills: true }))('liveness contract: $name', (factory) => {
  let h: TransportHarness;
  let liveness: Liveness;
  let changes: string[];
  beforeEach(async () => {
    h = await factory.open();
    liveness = h.transport.liveness;
    changes = [];
    liveness.watch(({ kind, member: { instance, state } }) => void changes.push(`${kind} ${instance} ${state}`));
  });
  afterEach(() => h.close());
  afterAll(() => factory.end());

  test('a member is there from joining to leaving, and a goodbye counts at once', async () => {
    const one = await h.run(liveness.join(member('plc', 'plc-b')));
    await h.run(liveness.join(member('plc', 'plc-a')));
    await h.run(liveness.join(member('hvac', 'hvac-a')));
    expect(liveness.members('plc').map(({ instance }) => instance)).toEqual(['plc-a', 'plc-b']);
    expect(liveness.members().length).toBe(3);
    await h.run(one.leave());
    await h.until(() => changes.length === 4);
    expect(liveness.members('plc').map(({ instance }) => instance)).toEqual(['plc-a']);
    expect(changes).toEqual(['joined plc-b ready', 'joined plc-a ready', 'joined hvac-a ready', 'left plc-b ready']);
    await h.run(one.leave());
    await expect(h.run(one.update('ready'))).rejects.toMatchObject({ reason: 'instance_lost' });
  });

  test('changes of state are reported in order, a repeat is none', async () => {
    const joined = await h.run(liveness.join(member('plc', 'p', 'starting')));
    await h.run(joined.update('ready'));
    await h.run(joined.update('ready'));
    await h.run(joined.update('draining'));
    await h.until(() => changes.length === 3);
    expect(changes).toEqual(['joined p starting', 'changed p ready', 'changed p draining']);
    expect(liveness.members('plc')[0]?.state).toBe('draining');
  });

  test('what a member owns is seen, stays through a change of state, and a repeat is no change', async () => {
    const joined = await h.run(liveness.join(member('plc', 'p')));
    await h.run(joined.update('ready', ['link:a', 'link:b']));
    await h.run(joined.update('ready', ['link:a', 'link:b']));
    await h.run(joined.update('draining'));
    await h.until(() => changes.length === 3);
    expect(liveness.members('plc')[0]).toMatchObject({ state: 'draining', owns: ['link:a', 'link:b'] });
    await h.run(joined.update('draining', []));
    await h.until(() => changes.length === 4);
    expect(liveness.members('plc')[0]?.owns).toEqual([]);
    expect(changes).toEqual(['joined p ready', 'changed p ready', 'changed p draining', 'changed p draining']);
  });

  test('renewals keep a member alive, also when time jumps', async () => {
    await h.run(liveness.join(member('plc', 'p')));
    await h.pass(h.ttlMs * (factory.virtual ? 20 : 3));
    expect(liveness.members('plc').length).toBe(1);
    expect(changes).toEqual(['joined p ready']);
  });

  test('a watcher that throws is logged, others hear on; one that stopped hears nothing', async () => {
    const later: string[] = [];
    liveness.watch(() => {
      throw new Error('watcher');
    });
    const stopped = liveness.watch(() => void later.push('stopped'));
    liveness.watch(({ member: { instance } }) => void later.push(instance));
    stopped.stop();
    await h.run(liveness.join(member('plc', 'p')));
    await h.until(() => later.length === 1);
    expect(later).toEqual(['p']);
    expect(h.complaints).toContain('a liveness watcher failed');
  });

  test('watchers see one order, also when one of them causes the next change', async () => {
    const second: string[] = [];
    liveness.watch(({ kind, member: { instance } }) => {
      if (kind === 'joined' && instance === 'p') void liveness.join(member('plc', 'q'));
    });
    liveness.watch(({ member: { instance } }) => void second.push(instance));
    await h.run(liveness.join(member('plc', 'p')));
    await h.until(() => second.length === 2);
    expect(second).toEqual(['p', 'q']);
  });

  test('after close there are no timers left and nobody joins', async () => {
    await h.run(liveness.join(member('plc', 'p')));
    await h.run(liveness.close());
    expect(h.clock.pending).toBe(0);
    await expect(h.run(liveness.join(member('plc', 'q')))).rejects.toMatchObject({ reason: 'not_ready' });
  });
});

describe('liveness of a component that died', () => {
  const setUp = async (): Promise<{ clock: VirtualClock; dying: SimConnection; liveness: Liveness }> => {
    const clock = new VirtualClock();
    const sim = await openTransport('sim', { clock, random: seededRandom(1), logger: silentLogger() });
    return { clock, dying: sim.connect('plc'), liveness: sim.liveness };
  };

  test('it is seen until the time to live is over, then it expires without goodbye', async () => {
    const { clock, dying, liveness } = await setUp();
    const changes: string[] = [];
    liveness.watch(({ kind, member: { instance } }) => void changes.push(`${kind} ${instance}`));
    await clock.run(dying.transport.liveness.join(member('plc', 'p')));
    await clock.advance(10_000);
    dying.crash();
    await clock.advance(LIMITS.livenessTtlMs - LIMITS.livenessRenewMs - 1);
    expect(liveness.members('plc').length).toBe(1);
    await clock.advance(LIMITS.livenessRenewMs + 1);
    expect(liveness.members('plc').length).toBe(0);
    expect(changes).toEqual(['joined p', 'expired p']);
    expect(clock.pending).toBe(0);
  });
});
