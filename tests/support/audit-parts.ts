import { type PackageParts, renderCsv, SAYS, sealPackage, signHead } from '../../agents/runtime/audit/index.js';
import {
  CHAIN_START,
  type Entry,
  entryHash,
  type Snapshot,
  type StoredEntry,
} from '../../agents/runtime/record/index.js';
import type { Scope, SnapshotId } from '../../shared/ids.js';
import type { SigningKey } from '../../shared/keys/index.js';

export const AT = Date.UTC(2026, 0, 5, 8);

/** A chain as the record writes it, with Chinese, numbers and nested values in it. */
export function chainOf(count: number, scope = 'device_PLC-007', tenant = 'default'): StoredEntry[] {
  const entries: StoredEntry[] = [];
  let before = { hash: CHAIN_START, version: 0, snapshot: undefined as SnapshotId | undefined };
  for (let n = 1; n <= count; n++) {
    const ends = n % 2 === 0;
    const version = before.version + (ends ? 1 : 0);
    const at = AT + n * 1_000;
    const snapshot: Snapshot = {
      snapshot_id: `mem_20260105_08000${n % 10}_abcdef0${n % 10}` as SnapshotId,
      version,
      scope: scope as Scope,
      created_at: new Date(at).toISOString(),
      data: { setpoint: 20.5 + n, 名称: '三号楼空调' },
      access_control: { readers: [], writers: ['plc_controller_v1.0'] },
      tenant,
      ...(before.snapshot ? { supersedes: before.snapshot } : {}),
    };
    const body = {
      kind: ends ? 'finished' : 'started',
      scope: scope as Scope,
      tenant,
      component: 'plc_controller_v1.0',
      instance: 'plc_controller-a',
      at,
      clock_offset_ms: 0,
      n,
      principal: { id: 'zhang', roles: ['operator'] },
      operation_id: `op-${Math.ceil(n / 2)}`,
      request_id: `g-aaaaaaaaaaaaaaaa.s${n}.1`,
      goal_id: 'g-aaaaaaaaaaaaaaaa',
      tool: { name: 'restart_device', version: '1.0.0', digest: 'd'.repeat(64) },
      params: { device_id: 'PLC-007', note: '重启 "七号"\n=1+1', limit: 0.1 * n },
      ...(ends ? { outcome: 'confirmed', snapshots: [snapshot], snapshot_ids: [snapshot.snapshot_id] } : {}),
      last_version: version,
      ...(ends ? { last_snapshot_id: snapshot.snapshot_id } : {}),
      prev: before.hash,
    } as Omit<Entry, 'hash'>;
    const entry = { ...body, hash: entryHash(body), seq: 10 + 3 * n } as StoredEntry;
    before = { hash: entry.hash, version, snapshot: ends ? snapshot.snapshot_id : before.snapshot };
    entries.push(entry);
  }
  return entries;
}

/** The parts of a package of a whole chain, or of a piece of it that ends before the head. */
export function partsOf(chain: readonly StoredEntry[], key: SigningKey, from = 1, to = chain.length): PackageParts {
  const entries = chain.slice(from - 1, to);
  const newest = chain.at(-1) as StoredEntry;
  const component = 'plc_controller';
  const { tenant, scope } = newest;
  return {
    about: {
      ...{ tenant, component, scope, instance: 'plc_controller-a', exported_at: AT + 99_000, exported_for: 'auditor' },
      range: {
        after: { n: from - 1, hash: chain[from - 2]?.hash ?? CHAIN_START },
        last_n: to,
        ...(to < chain.length ? { to: AT + to * 1_000 } : {}),
      },
    },
    entries,
    snapshots: chain.flatMap(({ snapshots = [] }) => snapshots),
    approvals: [],
    trace: [{ goal_id: 'g-aaaaaaaaaaaaaaaa', by: component, stages: [] }],
    head: signHead(key, { tenant, component }, newest, AT + 98_000),
    countersignatures: [],
    renderings: {
      csv: Buffer.from(renderCsv(entries), 'utf8').toString('base64'),
      pdf: Buffer.from('%PDF-1.7 a page').toString('base64'),
    },
  };
}

export const packed = (key: SigningKey, parts: PackageParts): Uint8Array =>
  Buffer.from(sealPackage(key, parts), 'utf8');
export const FORMAT = SAYS.package;
