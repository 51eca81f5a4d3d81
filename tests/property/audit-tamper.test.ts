import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AuditVerdict,
  countersign,
  type PackageParts,
  sealPackage,
  signHead,
  verifyPackage,
} from '../../agents/runtime/audit/index.js';
import { entryHash, type StoredEntry } from '../../agents/runtime/record/index.js';
import { type Random, seededRandom } from '../../shared/random.js';
import { AT, chainOf, packed, partsOf } from '../support/audit-parts.js';
import { times } from '../support/full-counts.js';
import { testSigning } from '../support/test-signing.js';

const KEY = testSigning('plc_controller');
const OTHER = testSigning('hvac_controller');
const COORDINATOR = testSigning('production_coordinator');
const CHAIN = chainOf(24);
const WHOLE = withCountersignature(partsOf(CHAIN, KEY));
const PIECE = partsOf(CHAIN, KEY, 7, 15);

function withCountersignature(parts: PackageParts): PackageParts {
  return { ...parts, countersignatures: [countersign(COORDINATOR, 'production_coordinator', parts.head, AT + 98_500)] };
}
const verify = (bytes: Uint8Array, ...others: string[]): AuditVerdict => verifyPackage(bytes, KEY.publicPem, others);
/** A file changed by somebody without a key: the seal stays as it was. */
const changed = (file: Uint8Array, change: (pack: Record<string, unknown>) => void): Uint8Array => {
  const pack = JSON.parse(Buffer.from(file).toString('utf8'));
  change(pack);
  return Buffer.from(canonicalize(pack) as string, 'utf8');
};
type Change = (entries: StoredEntry[], at: number, chance: Random) => number;

/** Each changes a list of entries and says the index at which it has to be found. */
const CHANGES: Readonly<Record<string, Change>> = {
  dropped(entries, at) {
    entries.splice(at, 1);
    return at;
  },
  doubled(entries, at) {
    entries.splice(at, 0, entries[at] as StoredEntry);
    return at + 1;
  },
  swapped(entries, at, chance) {
    const other = (at + 1 + chance.int(entries.length - 1)) % entries.length;
    [entries[at], entries[other]] = [entries[other] as StoredEntry, entries[at] as StoredEntry];
    return Math.min(at, other);
  },
  truncated(entries, at, chance) {
    const fields = Object.keys(entries[at] as object);
    const gone = fields[chance.int(fields.length)] as string;
    const rest = Object.entries(entries[at] as object).filter(([name]) => name !== gone);
    entries[at] = Object.fromEntries(rest) as unknown as StoredEntry;
    return at;
  },
  'newest dropped'(entries, _at, chance) {
    entries.splice(entries.length - 1 - chance.int(3));
    return entries.length;
  },
};

describe('a package that was tampered with does not verify, and says where', () => {
  const parts = { whole: WHOLE, piece: PIECE };
  test.each(Object.entries(parts))('nothing is found in the %s as it was sealed', (_name, sealed) => {
    expect(verify(packed(KEY, sealed)).findings).toEqual([]);
    expect(verify(packed(KEY, sealed), COORDINATOR.publicPem)).toMatchObject({ ok: true });
  });

  const count = times(10_000, 300);
  test.each(Object.entries(parts))(
    `${count} bytes of the %s are changed, one at a time`,
    (_name, sealed) => {
      const file = packed(KEY, sealed);
      const spans = sealed.entries.map((entry) => {
        const text = Buffer.from(canonicalize(entry) as string, 'utf8');
        const from = Buffer.from(file).indexOf(text);
        return { n: entry.n, from, to: from + text.length };
      });
      const chance = seededRandom('flips');
      let inEntries = 0;
      for (let round = 0; round < count; round++) {
        const at = chance.int(file.length);
        const flipped = new Uint8Array(file);
        // One bit, or any other byte.
        flipped[at] = (flipped[at] as number) ^ (round % 2 === 0 ? 1 << chance.int(8) : 1 + chance.int(255));
        const verdict = verify(flipped);
        expect(verdict.ok, `byte ${at}`).toBe(false);
        const span = spans.find(({ from, to }) => from <= at && at < to);
        if (!span) continue;
        inEntries++;
        expect(verdict.findings[0], `byte ${at}`).toMatchObject({ part: 'entries', n: span.n });
      }
      expect(inEntries).toBeGreaterThan(count / 5);
    },
    600_000,
  );

  test.each(Object.keys(CHANGES))(
    `${times(2_000, 60)} times: entries are %s`,
    (kind) => {
      const chance = seededRandom(kind);
      const file = packed(KEY, WHOLE);
      for (let round = 0; round < times(2_000, 60); round++) {
        let index = -1;
        const bytes = changed(file, (pack) => {
          const entries = pack.entries as StoredEntry[];
          index = (CHANGES[kind] as Change)(entries, chance.int(entries.length), chance);
        });
        const verdict = verify(bytes);
        expect(verdict.ok).toBe(false);
        expect(verdict.findings[0]).toMatchObject({ part: 'entries', index, n: index + 1 });
      }
    },
    600_000,
  );

  test('a file that is cut anywhere is refused', () => {
    const file = packed(KEY, WHOLE);
    const chance = seededRandom('cuts');
    for (let round = 0; round < times(2_000, 200); round++) {
      expect(verify(file.slice(0, chance.int(file.length))).ok).toBe(false);
    }
  }, 120_000);
});

/** Somebody who makes every hash and digest anew, and signs with the key that he has. */
const resealed = (parts: PackageParts, key = OTHER): Uint8Array => packed(key, parts);
/** The same under the true signature: the best that can be done without a key. */
const underOldSeal = (parts: PackageParts): Uint8Array => {
  const { key, signature } = JSON.parse(sealPackage(KEY, WHOLE));
  return changed(resealed(parts), (pack) => Object.assign(pack, { key, signature }));
};
const rechained = (entries: readonly StoredEntry[]): StoredEntry[] => {
  const made: StoredEntry[] = [];
  for (const { hash: _hash, seq, ...entry } of entries) {
    const body = { ...entry, n: made.length + 1, prev: made.at(-1)?.hash ?? '0'.repeat(64) };
    made.push({ ...body, hash: entryHash(body), seq } as StoredEntry);
  }
  return made;
};

describe('what a forger with tools does', () => {
  const lie = (n: number) =>
    rechained(CHAIN.map((entry) => (entry.n === n ? { ...entry, params: { device_id: 'PLC-008' } } : entry)));
  const older = (n: number) =>
    signHead(KEY, { tenant: 'default', component: 'plc_controller' }, CHAIN[n - 1] as StoredEntry, AT);

  test('a new chain under the old seal does not end in the signed head', () => {
    const verdict = verify(underOldSeal({ ...WHOLE, entries: lie(5) }));
    expect(verdict.findings).toContainEqual(expect.objectContaining({ part: 'head', n: 24 }));
    expect(verdict.findings).toContainEqual(expect.objectContaining({ part: 'signature' }));
  });

  test('the newest entries are dropped, and an older head, truly signed, put in', () => {
    const entries = CHAIN.slice(0, 20);
    const about = { ...WHOLE.about, range: { ...WHOLE.about.range, last_n: 20 } };
    const snapshots = entries.flatMap((entry) => entry.snapshots ?? []);
    const forged = { ...WHOLE, about, entries, snapshots, head: older(20), countersignatures: [] };
    expect(verify(underOldSeal(forged)).findings).toMatchObject([{ part: 'signature' }]);
  });

  test('an older head in an otherwise true package', () => {
    const bytes = changed(packed(KEY, WHOLE), (pack) => Object.assign(pack, { head: older(20) }));
    expect(verify(bytes).findings.map(({ part }) => part)).toContain('head');
  });

  test('signed again with another component’s key: both ids are told', () => {
    const head = signHead(OTHER, { tenant: 'default', component: 'plc_controller' }, CHAIN.at(-1) as StoredEntry, AT);
    const verdict = verify(resealed({ ...WHOLE, head, countersignatures: [] }));
    expect(verdict.findings[0]?.problem).toContain(OTHER.id);
    expect(verdict.findings[0]?.problem).toContain(KEY.id);
    expect(verdict.findings.map(({ part }) => part)).toEqual(['key', 'head']);
  });

  test('a key that is given for countersigners does not sign a package', () => {
    const head = signHead(OTHER, { tenant: 'default', component: 'plc_controller' }, CHAIN.at(-1) as StoredEntry, AT);
    expect(verify(resealed({ ...WHOLE, head, countersignatures: [] }), OTHER.publicPem).ok).toBe(false);
  });

  test('a piece whose end was cut further', () => {
    const about = { ...PIECE.about, range: { ...PIECE.about.range, last_n: 14 } };
    const bytes = changed(packed(KEY, PIECE), (pack) =>
      Object.assign(pack, { about, entries: PIECE.entries.slice(0, -1) }),
    );
    expect(verify(bytes).findings[0]).toMatchObject({ part: 'entries', n: 15 });
    expect(verify(underOldSeal({ ...PIECE, about, entries: PIECE.entries.slice(0, -1) })).ok).toBe(false);
  });

  const strangers = { scope: chainOf(24, 'device_PLC-008'), tenant: chainOf(24, 'device_PLC-007', 'other') };
  test.each(Object.entries(strangers))('an entry of another %s in the place of one', (_what, chain) => {
    const entries = CHAIN.map((entry, index) => (index === 9 ? (chain[9] as StoredEntry) : entry));
    const bytes = changed(packed(KEY, WHOLE), (pack) => Object.assign(pack, { entries }));
    expect(verify(bytes).findings[0]).toMatchObject({ part: 'entries', n: 10 });
    // Even when the holder of the key has signed it.
    expect(verify(packed(KEY, { ...WHOLE, entries })).findings[0]).toMatchObject({ part: 'entries', n: 10 });
  });

  test.each(['csv', 'pdf'])('another %s', (form) => {
    const bytes = changed(packed(KEY, WHOLE), (pack) => {
      Object.assign(pack.renderings as object, { [form]: Buffer.from('nothing happened').toString('base64') });
    });
    expect(verify(bytes).findings[0]).toMatchObject({ part: `renderings/${form}` });
  });

  test('a countersignature taken away, or put to another head', () => {
    const stripped = changed(packed(KEY, WHOLE), (pack) => Object.assign(pack, { countersignatures: [] }));
    expect(verify(stripped).findings[0]).toMatchObject({ part: 'countersignatures', index: 0 });
    const stray = [countersign(COORDINATOR, 'production_coordinator', older(20), AT)];
    const moved = packed(KEY, { ...WHOLE, countersignatures: stray });
    expect(verify(moved).findings[0]).toMatchObject({ part: 'countersignatures', index: 0 });
  });

  test('a countersignature that another made is found with the countersigner’s key, and not checked without', () => {
    const [true_] = WHOLE.countersignatures;
    const forged = { ...countersign(OTHER, 'production_coordinator', WHOLE.head, AT), key: COORDINATOR.id };
    expect(verify(packed(KEY, WHOLE)).countersignatures).toMatchObject([{ state: 'not checked' }]);
    expect(verify(packed(KEY, WHOLE), COORDINATOR.publicPem).countersignatures).toMatchObject([
      { by: true_?.by, state: 'valid' },
    ]);
    const bytes = packed(KEY, { ...WHOLE, countersignatures: [forged] });
    expect(verify(bytes).ok).toBe(true);
    expect(verify(bytes, COORDINATOR.publicPem).findings).toMatchObject([{ part: 'countersignatures', index: 0 }]);
  });

  test.each(['tree', 'signature', 'key'])('an altered %s is told as such', (part) => {
    const bytes = changed(packed(KEY, WHOLE), (pack) => {
      const seal = pack as unknown as { tree: { entries: string[] }; signature: string; key: string };
      if (part === 'tree') seal.tree.entries[3] = 'f'.repeat(64);
      if (part === 'signature') seal.signature = `A${seal.signature.slice(1)}`;
      if (part === 'key') seal.key = 'ed25519:0000000000000000';
    });
    expect(verify(bytes).findings[0]).toMatchObject({ part });
  });
});

describe('any other spelling of the same package is refused', () => {
  const text = Buffer.from(packed(KEY, WHOLE)).toString('utf8');
  const spellings: Record<string, string> = {
    'with a blank': text.replace(':', ': '),
    'with a line end': `${text}\n`,
    'with a byte order mark': `\ufeff${text}`,
    'in another order': JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    'with an escape': text.replace('重', '\\u91cd'),
    'with another number': text.replace('"n":1,', '"n":1.0,'),
    'with a key twice': text.replace('"n":1,', '"n":1,"n":1,'),
    'with a key more': text.replace(/}$/, ',"zebra":1}'),
  };
  test.each(Object.entries(spellings))('%s', (_name, other) => {
    expect(other).not.toBe(text);
    expect(verify(Buffer.from(other, 'utf8')).ok).toBe(false);
  });
});

describe('no file makes it throw', () => {
  const safe = (bytes: Uint8Array): void => {
    expect(verify(bytes).ok).toBe(false);
  };
  test('any bytes, any JSON, any package with anything in any place', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), safe), { numRuns: times(5_000, 300) });
    fc.assert(
      fc.property(fc.json(), (text) => safe(Buffer.from(text))),
      { numRuns: times(5_000, 300) },
    );
    const parts = Object.keys(JSON.parse(Buffer.from(packed(KEY, WHOLE)).toString('utf8')));
    fc.assert(
      fc.property(fc.constantFrom(...parts), fc.jsonValue(), fc.boolean(), (part, value, inside) => {
        const bytes = changed(packed(KEY, PIECE), (pack) => {
          const lists = pack;
          if (inside && Array.isArray(lists[part]) && (lists[part] as unknown[]).length > 0) {
            (lists[part] as unknown[])[0] = value;
          } else lists[part] = value;
        });
        expect(verify(bytes).ok).toBe(Buffer.from(bytes).equals(packed(KEY, PIECE)));
      }),
      { numRuns: times(5_000, 300) },
    );
  }, 120_000);

  test('nesting without end, and strings and numbers without measure', () => {
    for (const open of ['[', '{"a":', '{"about":[', '{"entries":[{"a":']) safe(Buffer.from(open.repeat(200_000)));
    safe(Buffer.from(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`));
    safe(Buffer.from(`{"entries":"${'a'.repeat(5_000_000)}"}`));
    safe(Buffer.from(`{"about":${'9'.repeat(100_000)}}`));
    for (const many of ['0,', '{},', '"a":1,']) safe(Buffer.from(`[${many.repeat(4_100_000)}0]`));
    safe(Buffer.from(`{"entries":[${'0,'.repeat(1_000_000)}0]}`));
    safe(new Uint8Array(0));
    safe(new Uint8Array(3_000_000));
  }, 60_000);
});
