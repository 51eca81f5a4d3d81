import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prefixRange, type Store, type StoreRange } from '../../mcp/transport/index.js';
import { bytes, collect, type TransportHarness, text } from '../support/transport-harness.js';
import { transports } from '../support/transports.js';

describe.each(transports({ kills: false }))('store contract: $name', (factory) => {
  let h: TransportHarness;
  let store: Store;
  beforeEach(async () => {
    h = await factory.open();
    store = await h.run(h.transport.openStore('plc_controller'));
  });
  afterEach(() => h.close());
  afterAll(() => factory.end());

  const put = (key: string, value = key) => ({ type: 'put' as const, key, value: bytes(value) });
  const del = (key: string) => ({ type: 'del' as const, key });
  const keys = async (range: StoreRange): Promise<string[]> =>
    (await h.run(collect(store.range(range)))).map(([key]) => key);

  test('a batch is seen whole, the last change of a key counts', async () => {
    await h.run(store.batch([put('a', '1'), put('b', '2'), put('c', '3')]));
    await h.run(store.batch([del('a'), put('b', '4'), put('d'), del('d'), del('never')], { sync: true }));
    expect(await h.run(store.get('a'))).toBeUndefined();
    expect(text((await h.run(store.get('b'))) ?? bytes(''))).toBe('4');
    expect(await keys(prefixRange(''))).toEqual(['b', 'c']);
  });

  test('a range is half-open, runs both ways and stops at its limit', async () => {
    await h.run(store.batch(['d', 'b', 'a', 'c', 'e'].map((key) => put(key))));
    expect(await keys({ from: 'b', to: 'd' })).toEqual(['b', 'c']);
    expect(await keys({ from: 'b', to: 'd', reverse: true })).toEqual(['c', 'b']);
    expect(await keys({ from: 'a', to: 'z', limit: 2 })).toEqual(['a', 'b']);
    expect(await keys({ from: 'a', to: 'z', limit: 2, reverse: true })).toEqual(['e', 'd']);
    expect(await keys({ from: 'x', to: 'z' })).toEqual([]);
    expect(await keys({ from: 'd', to: 'b' })).toEqual([]);
    expect(await keys({ from: 'a', to: 'z', limit: 0 })).toEqual([]);
  });

  test('keys are ordered by their UTF-8 bytes', async () => {
    const ordered = ['A', 'a', 'a!', 'é', '三楼', '\uffee', '\u{1f600}', '\u{10fffd}'];
    await h.run(store.batch([...ordered].reverse().map((key) => put(key))));
    expect(await keys({ from: '', to: '\u{10ffff}' })).toEqual(ordered);
  });

  test('a prefix range has all keys that begin with it and no other', async () => {
    await h.run(store.batch(['p', 'p/', 'p/1', 'p/三', 'p/\u{1f600}', 'p0', 'o'].map((key) => put(key))));
    expect(await keys(prefixRange('p/'))).toEqual(['p/', 'p/1', 'p/三', 'p/\u{1f600}']);
  });

  test('a range of many rows comes whole, and may be left early', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `k${String(n).padStart(4, '0')}`);
    await h.run(store.batch(many.map((key) => put(key))));
    expect(await keys(prefixRange('k'))).toEqual(many);
    const first = async (): Promise<string | undefined> => {
      for await (const [key] of store.range(prefixRange('k'))) return key;
      return undefined;
    };
    expect(await h.run(first())).toBe('k0000');
  });

  test('what a reader or writer changes, the store keeps', async () => {
    const value = bytes('keep');
    await h.run(store.batch([{ type: 'put', key: 'a', value }]));
    value.fill(0);
    (await h.run(store.get('a')))?.fill(0);
    for (const [, found] of await h.run(collect(store.range(prefixRange('a'))))) found.fill(0);
    expect(text((await h.run(store.get('a'))) ?? bytes(''))).toBe('keep');
  });

  test('it is there after a reopening', async () => {
    await h.run(store.batch([put('a', '1')], { sync: true }));
    await h.reopen();
    store = await h.run(h.transport.openStore('plc_controller'));
    expect(text((await h.run(store.get('a'))) ?? bytes(''))).toBe('1');
  });

  test('a second instance of a component gets another slot, a freed slot is taken again', async () => {
    await h.run(store.batch([put('slot', '0')], { sync: true }));
    const second = await h.run(h.transport.openStore('plc_controller'));
    const other = await h.run(h.transport.openStore('hvac'));
    expect(await h.run(second.get('slot'))).toBeUndefined();
    expect(await h.run(other.get('slot'))).toBeUndefined();
    await h.run(store.close());
    const again = await h.run(h.transport.openStore('plc_controller'));
    expect(text((await h.run(again.get('slot'))) ?? bytes(''))).toBe('0');
  });

  test('after close it refuses', async () => {
    await h.run(store.close());
    await expect(h.run(store.get('a'))).rejects.toMatchObject({ reason: 'log_unavailable' });
    await expect(h.run(store.batch([put('a')]))).rejects.toMatchObject({ reason: 'log_unavailable' });
    await h.run(store.close());
  });
});
