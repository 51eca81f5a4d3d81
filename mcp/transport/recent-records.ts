import type { LogRecord } from './log.js';

/** The newest records without a gap, so that tails at the head need not read the medium after each commit. */
export class RecentRecords {
  private records: LogRecord[] = [];
  private bytes = 0;

  constructor(
    private readonly maxRecords = 1_024,
    private readonly maxBytes = 8_388_608,
  ) {}

  push(record: LogRecord): void {
    this.records.push(record);
    this.bytes += record.payload.byteLength;
    if (this.records.length > this.maxRecords * 2 || this.bytes > this.maxBytes * 2) this.trim();
  }

  clear(): void {
    this.records = [];
    this.bytes = 0;
  }

  /** Records from `fromSeq` to `toSeq`, or undefined when the older part of them is not here. */
  from(fromSeq: number, toSeq: number): readonly LogRecord[] | undefined {
    const first = this.records[0];
    if (!first || first.seq > fromSeq) return undefined;
    const start = this.position(fromSeq);
    const end = this.position(toSeq + 1);
    return this.records.slice(start, end);
  }

  /** Index of the first record whose sequence is at least `seq`. */
  private position(seq: number): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private trim(): void {
    let drop = Math.max(0, this.records.length - this.maxRecords);
    for (let index = 0; index < drop; index++) this.bytes -= this.records[index]?.payload.byteLength ?? 0;
    while (this.bytes > this.maxBytes && drop < this.records.length) {
      this.bytes -= this.records[drop]?.payload.byteLength ?? 0;
      drop++;
    }
    this.records = this.records.slice(drop);
  }
}
