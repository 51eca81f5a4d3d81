import type { Clock } from '../shared/clock.js';

/** Messages of one protocol version from one caller. */
export interface VersionShare {
  readonly version: string;
  readonly caller: string;
  readonly messages: number;
  /** Of all messages in the window, 0 to 1. */
  readonly share: number;
}

export interface VersionReport {
  readonly days: number;
  readonly shares: readonly VersionShare[];
  /** Old versions by whether they may be switched off: under one message in a hundred. */
  readonly maySwitchOff: Readonly<Record<string, boolean>>;
}

/** Who still speaks which version; for `hermes mcp versions`. In memory: a restart begins to count anew. */
export interface VersionUse {
  count(version: string, caller: string): void;
  report(): VersionReport;
}

const DAY_MS = 86_400_000;
const DAYS = 7;
/** Callers a day; beyond it a foreign client that makes names up is counted as one. */
const CALLERS = 1_000;
const SWITCH_OFF_SHARE = 0.01;

export function createVersionUse(clock: Pick<Clock, 'now'>, options: { current: string }): VersionUse {
  const days = new Map<number, Map<string, number>>();
  const today = (): Map<string, number> => {
    const day = Math.floor(clock.now() / DAY_MS);
    let counts = days.get(day);
    if (counts === undefined) {
      counts = new Map();
      days.set(day, counts);
      for (const old of days.keys()) if (old <= day - DAYS) days.delete(old);
    }
    return counts;
  };
  return {
    count(version, caller) {
      const counts = today();
      const named = `${version} ${caller}`;
      const key = counts.size >= CALLERS && !counts.has(named) ? `${version} *` : named;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    report() {
      today();
      const sums = new Map<string, number>();
      let all = 0;
      for (const counts of days.values()) {
        for (const [key, n] of counts) {
          sums.set(key, (sums.get(key) ?? 0) + n);
          all += n;
        }
      }
      return reportOf(sums, all, options.current);
    },
  };
}

/** What several instances have counted, as one. */
export function sumVersionReports(reports: readonly VersionReport[], current: string): VersionReport {
  const sums = new Map<string, number>();
  let all = 0;
  for (const { version, caller, messages } of reports.flatMap(({ shares }) => shares)) {
    const key = `${version} ${caller}`;
    sums.set(key, (sums.get(key) ?? 0) + messages);
    all += messages;
  }
  return reportOf(sums, all, current);
}

function reportOf(sums: ReadonlyMap<string, number>, all: number, current: string): VersionReport {
  const shares = [...sums].map(([key, messages]): VersionShare => {
    const [version = '', caller = ''] = key.split(' ');
    return { version, caller, messages, share: messages / all };
  });
  shares.sort((a, b) => b.messages - a.messages || (a.caller < b.caller ? -1 : 1));
  const maySwitchOff: Record<string, boolean> = {};
  for (const { version } of shares.filter((one) => one.version !== current)) {
    const used = shares.filter((one) => one.version === version).reduce((sum, one) => sum + one.share, 0);
    maySwitchOff[version] = used < SWITCH_OFF_SHARE;
  }
  return { days: DAYS, shares, maySwitchOff };
}
