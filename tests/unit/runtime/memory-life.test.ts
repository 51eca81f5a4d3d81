import { describe, expect, test } from 'vitest';
import { scopes } from '../../../agents/runtime/index.js';
import { checkMemory } from '../../../agents/runtime/memory/check.js';
import {
  createRecord,
  type Evicted,
  openVault,
  openView,
  type SnapshotDraft,
  type View,
} from '../../../agents/runtime/record/index.js';
import { unpackValue } from '../../../mcp/index.js';
import { openSim, type Store } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { createIds, type Scope } from '../../../shared/ids.js';
import { softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { recordingLogger, silentMetrics } from '../../support/transport-harness.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function bench(seed = 1) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const ids = createIds(clock, random);
  const logger = recordingLogger([]);
  const sim = openSim({ clock, random, logger });
  const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
  const { log } = sim.connect('worker').transport;
  const run = <T>(work: Promise<T>): Promise<T> => clock.run(work);
  const vault = await run(openVault({ log, keys, random }, 'default'));
  const record = createRecord(
    { log, vault, clock, ids, metrics: silentMetrics() },
    { tenant: 'default', component: 'worker_v1.0', name: 'worker', instance: 'worker-1' },
  );
  const open = async (name: string, wrap = (store: Store) => store) => {
    const store = await run(sim.openStore(name));
    const view = await run(
      openView({ log: sim.log, store: wrap(store), vault, clock, logger }, { tenant: 'default', component: 'worker' }),
    );
    await run(view.catchUp());
    return { store, view };
  };
  /** Keys and opened values of a view. */
  const rowsIn = async (store: Store): Promise<[string, unknown][]> => {
    const rows: [string, unknown][] = [];
    for await (const [key, value] of store.range({ from: '', to: '\u{10ffff}' })) {
      rows.push([key, value.length === 0 ? null : unpackValue(vault.open(value, `view|worker|${key}`))]);
    }
    return rows;
  };
  const write = (scope: Scope, snapshot: Partial<SnapshotDraft> = {}, session?: string) =>
    run(
      record.append(scope, {
        kind: 'finished',
        ...(session ? { session_context_id: session } : {}),
        snapshots: [{ data: { at: clock.now() }, ...snapshot }],
      }),
    );
  const evict = async (view: View, told: (evicted: Evicted) => void = () => undefined, limit = 7): Promise<number> => {
    let gone = 0;
    for (let due = limit; due >= limit; gone += due) due = await run(view.evict(clock.now(), limit, told));
    return gone;
  };
  return { clock, run, record, open, rowsIn, write, evict };
}

/** A day and a half of a site: short lives, long ones, endless ones, sessions, an order that is closed. */
async function lived() {
  const made = await bench();
  const { clock, write } = made;
  for (let hour = 0; hour < 36; hour++) {
    await write(scopes.device(`PLC-${hour % 5}`), {}, `s-${hour % 3}`);
    await write(scopes.meter('M-1'), { expires_in_ms: hour % 2 ? HOUR : 40 * HOUR });
    if (hour % 6 === 0) await write(scopes.inspection(`I-${hour}`), {}, 's-1');
    await write(scopes.workOrder('WO-1'), { open: hour < 30, ...(hour < 30 ? {} : { expires_in_ms: 2 * HOUR }) });
    await clock.advance(HOUR);
  }
  return made;
}

describe('eviction', () => {
  test('takes what has expired out of the hot view, by scope and by session, and nothing else', async () => {
    const { open, evict, clock, rowsIn } = await lived();
    const { view, store } = await open('a');
    const before = await rowsIn(store);
    const told: Evicted[] = [];
    expect(await evict(view, (one) => void told.push(one))).toBeGreaterThan(20);
    const rows = await rowsIn(store);
    const over = rows.filter(([key]) => key.startsWith('s/')).map(([, value]) => value as { expires_at?: string });
    expect(over.every(({ expires_at }) => !expires_at || Date.parse(expires_at) > clock.now())).toBe(true);
    const others = (all: [string, unknown][]) => all.filter(([key]) => !/^(s|ss|t)\//.test(key));
    expect(others(rows)).toEqual(others(before));
    expect(await view.bySession('s-1')).not.toHaveLength(0);
    const versions = told.flatMap(({ scope, versions: gone }) => gone.map((version) => `${scope}/${version}`));
    expect(new Set(versions).size).toBe(versions.length);
  });

  test('no version outlives its successor: an order that is over does not come back as it once was', async () => {
    const { open, evict, clock } = await lived();
    const { view } = await open('a');
    await clock.advance(3 * HOUR);
    await evict(view);
    expect(await view.snapshots(scopes.workOrder('WO-1'))).toEqual([]);
    expect(await view.snapshot(scopes.workOrder('WO-1'))).toBeUndefined();
  });

  test('a view that is built anew from the log and evicted is equal, row by row', async () => {
    const { open, evict, rowsIn, write, clock } = await lived();
    const first = await open('a');
    await evict(first.view);
    await clock.advance(5 * HOUR);
    await write(scopes.device('PLC-1'));
    await evict(first.view, undefined, 3);
    const anew = await open('b');
    await evict(anew.view, undefined, 256);
    expect(await rowsIn(anew.store)).toEqual(await rowsIn(first.store));
  });

  test('killed at any of its batches, before or after, nothing is lost, half gone or named twice', async () => {
    const whole = await lived();
    const reference = await whole.open('whole');
    const names = new Set<string>();
    await whole.evict(reference.view, ({ snapshot_id }) => void names.add(snapshot_id));
    const expected = await whole.rowsIn(reference.store);
    for (let at = 0; at < 6; at++) {
      for (const when of ['before', 'after'] as const) {
        let batches = 0;
        let armed = false;
        const dying = (store: Store): Store => ({
          ...{ get: store.get.bind(store), range: store.range.bind(store), close: store.close.bind(store) },
          async batch(changes, options) {
            const dies = armed && batches++ === at;
            if (!dies || when === 'after') await store.batch(changes, options);
            if (dies) throw new HermesError('internal', 'killed');
          },
        });
        const { view, store } = await whole.open(`killed-${at}-${when}`, dying);
        armed = true;
        const told: string[] = [];
        const hear = ({ snapshot_id }: Evicted) => void told.push(snapshot_id);
        await whole.evict(view, hear).catch(() => undefined);
        const half = await whole.rowsIn(store);
        const kept = half.filter(([key]) => key.startsWith('s/')).map(([key]) => key);
        const sessionRows = half.filter(([key]) => key.startsWith('ss/'));
        const inSession = sessionRows.map(([key]) => `s/${key.split('/').slice(-2).join('/')}`);
        expect(inSession.every((key) => kept.includes(key))).toBe(true);
        armed = false;
        await whole.evict(view, hear);
        expect(await whole.rowsIn(store), `${when} batch ${at}`).toEqual(expected);
        expect(new Set(told), `${when} batch ${at}`).toEqual(names);
      }
    }
  });

  test('finds nothing to do for nothing: what lives is not looked at', async () => {
    const { open, evict } = await lived();
    let read = 0;
    const counting = (store: Store): Store => ({
      ...{ get: store.get.bind(store), batch: store.batch.bind(store), close: store.close.bind(store) },
      async *range(of) {
        for await (const row of store.range(of)) {
          read++;
          yield row;
        }
      },
    });
    const { view } = await open('a', counting);
    await evict(view);
    read = 0;
    expect([await evict(view), read]).toEqual([0, 0]);
  });

  test('P11: over many runs the hot view levels off, and the archive has them all', async () => {
    const { clock, open, evict, write, run } = await bench();
    const { view } = await open('a');
    const hot: number[] = [];
    for (let day = 0; day < 60; day++) {
      for (let goal = 0; goal < 10; goal++) {
        await write(scopes.device(`PLC-${goal}`), {}, `s-${day}`);
        await write(scopes.session(`s-${day}-${goal}`));
      }
      await clock.advance(DAY);
      await run(view.catchUp());
      await evict(view, undefined, 256);
      hot.push([...(await view.snapshotSizes()).values()].reduce((sum, { count }) => sum + count, 0));
    }
    // A day of devices has gone, seven days of sessions are there.
    expect(new Set(hot.slice(10))).toEqual(new Set([60]));
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => view.entries(scopes.device(`PLC-${n}`))));
    expect(all.flat().flatMap(({ snapshots }) => snapshots ?? [])).toHaveLength(600);
  });
});

describe('hermes memory check', () => {
  test('is content with a memory that lived and evicted, at any moment', async () => {
    const { open, evict, clock, run } = await lived();
    const { view } = await open('a');
    expect((await run(checkMemory(view, await view.scopes(), clock.now()))).problems).toEqual([]);
    await run(view.evict(clock.now(), 3, () => undefined));
    expect((await run(checkMemory(view, await view.scopes(), clock.now()))).problems).toEqual([]);
    await evict(view);
    const found = await run(checkMemory(view, await view.scopes(), clock.now()));
    expect(found).toEqual({ scopes: 13, problems: [] });
  });

  test.each([
    ['s/device_PLC-0/', 'index'],
    ['ss/', 'session_index'],
    ['e/device_PLC-0/', 'chain'],
  ] as const)('finds that a row of %s is gone: %s', async (prefix, what) => {
    const { open, clock, run, write } = await bench();
    for (let n = 0; n < 4; n++) await write(scopes.device('PLC-0'), {}, 's-1');
    const { view, store } = await open('a');
    const keys: string[] = [];
    for await (const [key] of store.range({ from: prefix, to: `${prefix}\u{10ffff}` })) keys.push(key);
    await store.batch([{ type: 'del', key: keys[1] as string }]);
    const { problems } = await run(checkMemory(view, [scopes.device('PLC-0')], clock.now()));
    expect(problems).toEqual([{ scope: 'device_PLC-0', what, at: 2 }]);
  });
});
