import type { Random } from '../../shared/random.js';

/** What happens in one run, drawn from its seed before anything starts. */
export interface Workload {
  readonly goals: readonly {
    readonly at: number;
    readonly text: string;
    readonly key?: string;
    readonly timeout_ms?: number;
  }[];
  readonly faults: readonly {
    readonly at: number;
    readonly device: string;
    readonly kind: string;
    readonly params?: Record<string, unknown>;
    readonly for_ms: number;
  }[];
  /** When the whole process dies, if it does. */
  readonly crashAt?: number;
}

const SPAN_MS = 10_000;

const pick = <T>(random: Random, list: readonly T[]): T => list[random.int(list.length)] as T;
const device = (random: Random): string => `PLC-${String(1 + random.int(12)).padStart(3, '0')}`;

const SENTENCES: readonly ((random: Random) => string)[] = [
  (r) => `查${device(r)}状态，如果离线，重启它并通知张工`,
  (r) => `check the status of ${device(r)}; if it is offline, restart it and notify Zhang`,
  () => '查PLC-007状态，如果离线，重启它并通知张工',
  (r) => `重启${device(r)}`,
  (r) => `restart ${device(r)}`,
  (r) => `查${device(r)}状态`,
  (r) => `把${device(r)}的温度设定改为${30 + r.int(30)}度`,
  (r) => `set the temperature set-point of ${device(r)} to ${30 + r.int(30)}`,
  (r) => `不要重启${device(r)}`,
  (r) => `通知张工“请检查${device(r)}”`,
  () => '查PLC-099状态',
];

const FAULTS: readonly { kind: string; params?: (random: Random) => Record<string, unknown> }[] = [
  { kind: 'offline' },
  { kind: 'reboot_never_ends' },
  { kind: 'silent_write' },
  { kind: 'delay', params: (r) => ({ ms: 200 + r.int(3_000), fc: [5, 6, 15, 16] }) },
  { kind: 'exception', params: (r) => ({ code: pick(r, [4, 6]) }) },
  { kind: 'half_open' },
];

export function drawWorkload(random: Random): Workload {
  const goals = Array.from({ length: 4 + random.int(8) }, (_, index) => ({
    at: random.int(SPAN_MS),
    text: pick(random, SENTENCES)(random),
    ...(random.float() < 0.4 ? { key: `key-${index}` } : {}),
    ...(random.float() < 0.2 ? { timeout_ms: 300 + random.int(5_000) } : {}),
  }));
  const faults = Array.from({ length: random.int(5) }, () => {
    const fault = pick(random, FAULTS);
    return {
      at: random.int(SPAN_MS),
      device: device(random),
      kind: fault.kind,
      ...(fault.params ? { params: fault.params(random) } : {}),
      for_ms: 500 + random.int(12_000),
    };
  });
  return { goals, faults, ...(random.float() < 0.5 ? { crashAt: 200 + random.int(SPAN_MS) } : {}) };
}
