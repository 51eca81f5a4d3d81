import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Level } from 'level';
import { HermesError } from '../../../shared/errors.js';
import type { LogRecord } from '../log.js';
import type { LogBackend, LogBatch, LogHeads, ScanRange } from '../log-backend.js';
import type { StoreChange } from '../store.js';
import { type HighWater, openHighWater } from './high-water.js';
import { levelFailure } from './level-failure.js';
import {
  decodeRecord,
  decodeSeq,
  encodeRecord,
  encodeSeq,
  headKey,
  idKey,
  indexKey,
  paddedSeq,
  recordKey,
} from './record-codec.js';
import { beginsAtOne, examine, hasNoHole, lacksCurrent, repairDatabase } from './salvage.js';
import { noteTables, setAsideTables } from './table-sums.js';
import { writeAll } from './write-all.js';

type Database = Level<string, Uint8Array>;

/** Rows fetched at once; a page of records of the usual size is well under a megabyte. */
const PAGE_ROWS = 256;
/** What a reopening may need: the journal (one commit over a full write buffer) is written again as a table. */
const PROBE_BYTES = 33_554_432;
const NOTHING = new Uint8Array(0);

const openDatabase = (path: string): Database => new Level(path, { keyEncoding: 'utf8', valueEncoding: 'view' });

/**
 * A log's records in LevelDB, each batch synced to the disk.
 *
 * After a failed write LevelDB refuses all others and its own journal may end in a torn record: `load` reopens it,
 * but only when the disk takes a probe, since a database that cannot be opened cannot be read either.
 */
class LevelLog implements LevelBackend {
  private opened: Database | undefined;
  private water: HighWater | undefined;
  private lost: readonly string[] = [];

  constructor(private readonly path: string) {}

  private get db(): Database {
    if (!this.opened) throw new HermesError('log_unavailable', `${this.path} is not open`, { path: this.path });
    return this.opened;
  }

  async load(): Promise<LogHeads> {
    return this.guard('open', async () => {
      if (this.water) {
        await probe(`${this.path}.probe`);
        await this.opened?.close();
        return this.openAndRead();
      }
      await mkdir(dirname(this.path), { recursive: true });
      this.water = await openHighWater(`${this.path}.mark`);
      return (await this.readWhole()) ?? this.readRepaired();
    });
  }

  /** Undefined when files are damaged, or records are missing at either end or in what a journal may have held. */
  private async readWhole(): Promise<LogHeads | undefined> {
    if ((await setAsideTables(this.path)).length > 0 || (await lacksCurrent(this.path))) return undefined;
    try {
      const heads = await this.openAndRead();
      const isEnough = heads.lastSeq >= (this.water?.seq ?? 0);
      if (isEnough && (await beginsAtOne(this.db)) && (await hasNoHole(this.db))) {
        await noteTables(this.path);
        return heads;
      }
    } catch (thrown) {
      if (levelFailure(thrown, this.path, 'open').data.corrupt !== true) throw thrown;
    }
    await this.opened?.close();
    return undefined;
  }

  /** What is left is examined: what is lost is known, or nothing is. */
  private async readRepaired(): Promise<LogHeads> {
    await repairDatabase(this.path);
    const heads = await this.openAndRead();
    this.lost = (await examine(this.db, this.water?.seq ?? 0)).lost;
    if (this.lost.length === 0) await noteTables(this.path);
    return heads;
  }

  private async openAndRead(): Promise<LogHeads> {
    this.opened = openDatabase(this.path);
    await this.opened.open();
    const heads = await this.readMap('h ');
    const ids = await this.readMap('m ');
    const [last = 'r 0'] = await this.db.keys({ gt: 'r ', lt: 'r!', reverse: true, limit: 1 }).all();
    return { lastSeq: Number(last.slice(2)), heads, ids };
  }

  get damage(): string | undefined {
    return this.lost.length === 0 ? undefined : `${this.path} has lost ${this.lost.join(', ')}`;
  }

  async write(batch: LogBatch): Promise<void> {
    const operations: StoreChange[] = batch.forget.map((key) => ({ type: 'del', key: idKey(key) }));
    for (const { record, key } of batch.entries) {
      const seq = encodeSeq(record.seq);
      operations.push(
        { type: 'put', key: recordKey(record.seq), value: encodeRecord(record) },
        { type: 'put', key: indexKey(record.subject, record.seq), value: NOTHING },
        { type: 'put', key: headKey(record.subject), value: seq },
      );
      if (key !== undefined) operations.push({ type: 'put', key: idKey(key), value: seq });
    }
    await this.guard('write', () => writeAll(this.db, operations, true));
    const reached = batch.entries.at(-1)?.record.seq;
    if (reached !== undefined) await this.guard('write', async () => this.water?.note(reached));
  }

  async get(seq: number): Promise<LogRecord | undefined> {
    return this.guard('read', async () => {
      const bytes = await this.db.get(recordKey(seq));
      return bytes && decodeRecord(seq, bytes);
    });
  }

  async *scan({ fromSeq, toSeq, subject }: ScanRange): AsyncGenerator<LogRecord> {
    if (subject !== undefined) {
      yield* this.scanSubject(subject, fromSeq, toSeq);
      return;
    }
    const iterator = this.db.iterator({ gte: recordKey(fromSeq), lte: recordKey(toSeq) });
    try {
      for (;;) {
        const page = await this.guard('read', () => iterator.nextv(PAGE_ROWS));
        if (page.length === 0) return;
        for (const [key, value] of page) yield this.decode(Number(key.slice(2)), value);
      }
    } finally {
      await iterator.close();
    }
  }

  async close(): Promise<void> {
    await this.opened?.close();
    await this.water?.close();
    if (this.opened && this.lost.length === 0) await noteTables(this.path);
  }

  private async *scanSubject(subject: string, fromSeq: number, toSeq: number): AsyncGenerator<LogRecord> {
    const keys = this.db.keys({ gte: indexKey(subject, fromSeq), lte: indexKey(subject, toSeq) });
    try {
      for (;;) {
        const page = await this.guard('read', () => keys.nextv(PAGE_ROWS));
        if (page.length === 0) return;
        const seqs = page.map((key) => Number(key.slice(key.length - paddedSeq(0).length)));
        const values = await this.guard('read', () => this.db.getMany(seqs.map(recordKey)));
        for (const [at, seq] of seqs.entries()) {
          const value = values[at];
          if (value) yield this.decode(seq, value);
        }
      }
    } finally {
      await keys.close();
    }
  }

  private decode(seq: number, value: Uint8Array): LogRecord {
    try {
      return decodeRecord(seq, value);
    } catch (thrown) {
      throw levelFailure(thrown, this.path, 'read');
    }
  }

  private async readMap(prefix: string): Promise<Map<string, number>> {
    const out = new Map<string, number>();
    for await (const [key, value] of this.db.iterator({ gt: prefix, lt: `${prefix.slice(0, -1)}!` })) {
      out.set(key.slice(prefix.length), decodeSeq(value));
    }
    return out;
  }

  private async guard<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw levelFailure(thrown, this.path, doing);
    }
  }
}

/** @throws the error of the disk, for want of space or otherwise. */
async function probe(path: string): Promise<void> {
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(new Uint8Array(PROBE_BYTES));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** A log's medium that knows, once it is loaded, whether it has lost anything. */
export interface LevelBackend extends LogBackend {
  /** In words. */
  readonly damage: string | undefined;
}

export const createLevelLog = (path: string): LevelBackend => new LevelLog(path);
