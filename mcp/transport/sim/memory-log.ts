import type { LogRecord } from '../log.js';
import type { LogBackend, LogBatch, LogHeads, ScanRange } from '../log-backend.js';

/** Records in an array, sequence n at index n - 1. What was written stays, like a broker that does not crash. */
export function createMemoryLog(): LogBackend {
  const records: LogRecord[] = [];
  const heads = new Map<string, number>();
  const ids = new Map<string, number>();
  return {
    load: async (): Promise<LogHeads> => ({ lastSeq: records.length, heads: new Map(heads), ids: new Map(ids) }),
    async write({ entries, forget }: LogBatch) {
      for (const key of forget) ids.delete(key);
      for (const { record, key } of entries) {
        records.push(record);
        heads.set(record.subject, record.seq);
        if (key !== undefined) ids.set(key, record.seq);
      }
    },
    get: async (seq) => records[seq - 1],
    async *scan({ fromSeq, toSeq, subject }: ScanRange) {
      for (let seq = Math.max(1, fromSeq); seq <= toSeq; seq++) {
        const record = records[seq - 1];
        if (record && (subject === undefined || record.subject === subject)) yield record;
      }
    },
    close: async () => undefined,
  };
}
