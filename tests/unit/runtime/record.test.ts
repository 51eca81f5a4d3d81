import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryHash, type StoredEntry, scopes, verifyChain } from '../../../agents/runtime/index.js';
import { createMemory } from '../../../agents/runtime/memory/index.js';
import { createRecord, openVault, openView } from '../../../agents/runtime/record/index.js';
import { packValue } from '../../../mcp/index.js';
import { openSim } from '../../../mcp/transport/index.js';
import { createIds } from '../../../shared/ids.js';
import { softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { guardOf } from '../../support/memory-guard.js';
import { recordingLogger, silentMetrics } from '../../support/transport-harness.js';

const scope = scopes.device('PLC-007');

async function bench(seed = 1) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const ids = createIds(clock, random);
  const logger = recordingLogger([]);
  const sim = openSim({ clock, random, logger });
  const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
  const writer = async (instance: string) => {
    const { log } = sim.connect(instance).transport;
    const vault = await openVault({ log, keys, random }, 'default');
    const options = { tenant: 'default', component: 'worker_v1.0', name: 'worker', instance };
    return { vault, record: createRecord({ log, vault, clock, ids, metrics: silentMetrics() }, options) };
  };
  const run = <T>(work: Promise<T>): Promise<T> => clock.run(work);
  const first = await run(writer('worker-1'));
  const view = async (store: string, vault = first.vault) =>
    openView(
      { log: sim.log, store: await sim.openStore(store), vault, clock, logger },
      { tenant: 'default', component: 'worker' },
    );
  return { clock, sim, random, keys, writer, run, view, ...first };
}

async function chainOf(length: number): Promise<StoredEntry[]> {
  const { record, run } = await bench();
  const entries: StoredEntry[] = [];
  for (let n = 0; n < length; n++) {
    entries.push(await run(record.append(scope, { kind: 'finished', data: { n }, snapshots: [{ data: { n } }] })));
  }
  return entries;
}
const chain = chainOf(8);

type Path = readonly (string | number)[];
const leaves = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
    : [path];
function change(entry: StoredEntry, path: Path, to: (before: unknown) => unknown): StoredEntry {
  const copy = structuredClone(entry) as unknown as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const key = path[path.length - 1] as string;
  const made = to(at[key]);
  if (made === undefined) delete at[key];
  else at[key] = made;
  return copy as unknown as StoredEntry;
}

describe('a chain', () => {
  test('as it was written verifies, whole and from any place on', async () => {
    const entries = await chain;
    expect(verifyChain(entries)).toBeUndefined();
    entries.forEach((entry, index) => {
      expect(verifyChain(entries.slice(index + 1), { n: entry.n, hash: entry.hash })).toBeUndefined();
    });
  });

  test('any value of any entry that is changed, or taken out, is found', async () => {
    const entries = await chain;
    const changes: ((before: unknown) => unknown)[] = [
      () => undefined,
      () => null,
      () => Number.NaN,
      (before) => (typeof before === 'string' ? `${before}x` : Number(before) + 1),
      (before) => (typeof before === 'number' ? String(before) : 0),
    ];
    for (const [index, entry] of entries.entries()) {
      for (const path of leaves(entry).filter(([key]) => key !== 'seq')) {
        for (const to of changes) {
          const forged = entries.map((other, at) => (at === index ? change(entry, path, to) : other));
          expect(verifyChain(forged), `${path.join('/')} of ${index}`).toBe(index + 1);
        }
      }
    }
  });

  test('an entry that is dropped, doubled, moved or put in is found', async () => {
    const entries = await chain;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 7 }), async (from, to) => {
        const dropped = entries.filter((_entry, index) => index !== from);
        expect(verifyChain(dropped)).toBe(from + 1);
        const doubled = [...entries.slice(0, from + 1), ...entries.slice(from)];
        expect(verifyChain(doubled)).toBe(from + 2);
        if (from === to) return;
        const moved = [...entries];
        moved.splice(to, 0, ...moved.splice(from, 1));
        expect(verifyChain(moved)).toBeDefined();
      }),
    );
  });

  test('an entry that is forged with a hash of its own breaks the next link', async () => {
    const entries = await chain;
    const forged = { ...(entries[3] as StoredEntry), data: { n: 99 } };
    const rehashed = { ...forged, hash: entryHash(forged) };
    expect(verifyChain(entries.map((entry, index) => (index === 3 ? rehashed : entry)))).toBe(5);
  });
});

describe('writers', () => {
  test('many at once, over several instances, leave one linear chain and gapless versions', async () => {
    for (const seed of [1, 2, 3]) {
      const { writer, run, view } = await bench(seed);
      const books = await run(Promise.all([1, 2, 3].map((n) => writer(`worker-${n + 1}`))));
      const writes = books.flatMap(({ record }, who) =>
        Array.from({ length: 15 }, (_, n) =>
          record.append(scope, { kind: 'finished', snapshots: [{ data: { who, n } }] }),
        ),
      );
      await run(Promise.all(writes));
      const own = await run(view('check'));
      await run(own.catchUp());
      const entries = await run(own.entries(scope));
      expect(verifyChain(entries)).toBeUndefined();
      const snapshots = entries.flatMap((entry) => entry.snapshots ?? []);
      expect(snapshots.map((snapshot) => snapshot.version)).toEqual(Array.from({ length: 45 }, (_, n) => n + 1));
      snapshots.slice(1).forEach((snapshot, index) => {
        expect(snapshot.supersedes).toBe(snapshots[index]?.snapshot_id);
      });
    }
  });

  test('of two claims on one head one wins, the other is told', async () => {
    const { record, writer, run } = await bench();
    const other = (await run(writer('worker-2'))).record;
    const head = await run(record.head(scope));
    const claims = [record, other].map((book) => book.claim(scope, head, { kind: 'started', request_id: 'r' }));
    const ended = await run(Promise.allSettled(claims));
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { reason: 'version_conflict' } });
  });
});

describe('values at rest', () => {
  test('any flipped byte, a cut, another place or another tenant does not open', async () => {
    const { vault, run, sim, keys, random } = await bench();
    const other = await run(openVault({ log: sim.log, keys, random }, 'other'));
    const plain = packValue({ secret: 42 });
    const sealed = vault.seal(plain, 'a');
    expect(Buffer.from(vault.open(sealed, 'a'))).toEqual(Buffer.from(plain));
    for (let index = 0; index < sealed.length; index++) {
      const flipped = Uint8Array.from(sealed);
      flipped[index] = (flipped[index] as number) ^ 1;
      expect(() => vault.open(flipped, 'a'), `byte ${index}`).toThrow(/does not open/);
      expect(() => vault.open(sealed.subarray(0, index), 'a'), `cut at ${index}`).toThrow(/does not open/);
    }
    expect(() => vault.open(sealed, 'b')).toThrow(/does not open/);
    expect(() => other.open(sealed, 'a')).toThrow(/does not open/);
    expect(Buffer.from(sealed).includes(Buffer.from(plain))).toBe(false);
  });

  test('a wrong master key is refused, and both keys are named', async () => {
    const { run, sim, random, keys } = await bench();
    const wrong = softwareKeyProvider('env', new Uint8Array(32).fill(8), random);
    await expect(run(openVault({ log: sim.log, keys: wrong, random }, 'default'))).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${keys.id}.*${wrong.id}`)),
      data: { needed: keys.id, given: wrong.id },
    });
  });
});

describe('a view', () => {
  test('that is deleted comes back equal', async () => {
    const { record, run, view, clock } = await bench();
    for (let n = 0; n < 30; n++) {
      const session = `s-${n % 3}`;
      await run(
        record.append(scopes.device(`PLC-00${n % 4}`), {
          kind: n % 5 === 0 ? 'started' : 'finished',
          request_id: `r${n}`,
          session_context_id: session,
          ...(n % 2 ? { snapshots: [{ data: { n } }] } : {}),
        }),
      );
      await clock.advance(1_000);
    }
    const contents = async (name: string) => {
      const own = await run(view(name));
      await run(own.catchUp());
      const all = [];
      for (const each of await run(own.scopes())) {
        all.push(await run(own.entries(each)), await run(own.snapshots(each)));
      }
      all.push(await run(own.openOperations()), await run(own.bySession('s-1')), await run(own.operation('r7')));
      return all;
    };
    expect(await contents('again')).toEqual(await contents('first'));
  });

  test('a session’s snapshots are its own, whatever another session is called', async () => {
    const { record, run, view } = await bench();
    for (const session_context_id of ['a', 'a/b', 'a/2026']) {
      await run(
        record.append(scope, {
          kind: 'finished',
          session_context_id,
          snapshots: [{ data: { of: session_context_id } }],
        }),
      );
    }
    const own = await run(view('sessions'));
    await run(own.catchUp());
    for (const session of ['a', 'a/b', 'a/2026']) {
      expect((await run(own.bySession(session))).map((snapshot) => snapshot.data.of)).toEqual([session]);
    }
  });
});

describe('a scope that is spelt in another way', () => {
  const readers = { admin: { read: ['*'], write: ['*'] } };

  test('is found without opening what the other scopes have', async () => {
    const { record, run, view, vault, clock } = await bench();
    for (let n = 100; n < 140; n++) {
      await run(record.append(scopes.device(`PLC-${n}`), { kind: 'finished', snapshots: [{ data: { n } }] }));
    }
    let opened = 0;
    const open: typeof vault.open = (bytes, place) => {
      opened++;
      return vault.open(bytes, place);
    };
    const own = await run(view('spelt', { ...vault, open }));
    await run(own.catchUp());
    const memory = createMemory({ view: own, record, clock, guard: guardOf(readers) });
    for (const spelling of ['device_PLC-117', 'device_plc-117', 'device_PLC117']) {
      opened = 0;
      const principal = { id: 'somebody', roles: ['admin'] };
      const found = await run(memory.read(spelling, { principal, consistency: 'eventual' }));
      expect(found.data, spelling).toEqual({ n: 117 });
      expect(opened, spelling).toBeLessThan(4);
    }
  });

  test('is the exact one first, then always the same one; none is none', async () => {
    const { record, run, view } = await bench();
    for (const id of ['PLC1', 'PLC-1', 'PLC1']) await run(record.append(scopes.device(id), { kind: 'finished' }));
    const own = await run(view('alike'));
    await run(own.catchUp());
    const found = await run(
      Promise.all(['device_PLC1', 'device_PLC-1', 'device_plc1', 'device_PLC-11'].map((text) => own.scopeLike(text))),
    );
    expect(found).toEqual(['device_PLC1', 'device_PLC-1', 'device_PLC-1', undefined]);
  });

  test('is found in a view of an older layout too: that view is rebuilt', async () => {
    const { record, run, view, vault, sim } = await bench();
    await run(record.append(scope, { kind: 'finished' }));
    const store = await run(sim.openStore('older'));
    const row = (key: string, value: unknown) => {
      return { type: 'put', key, value: vault.seal(packValue(value), `view|worker|${key}`) } as const;
    };
    await run(store.batch([row('meta/applied', 99), row('c/device_gone', 'device_gone')]));
    await run(store.close());
    const own = await run(view('older'));
    await run(own.catchUp());
    expect(await run(own.scopes())).toEqual([scope]);
    expect(await run(own.scopeLike('device_plc007'))).toBe(scope);
  });
});

describe('scopes', () => {
  test('two things never share a scope', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (a, b) => {
        fc.pre(a !== b && a !== '' && b !== '');
        expect(scopes.device(a)).not.toBe(scopes.device(b));
      }),
      {
        examples: [
          ['a_b', 'a-xl4-b'],
          ['a.b', 'a-xfy-b'],
          ['-x', '-x-'],
          ['PLC-007', 'PLC_007'],
        ],
      },
    );
  });
});
