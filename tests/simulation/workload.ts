import type { Random } from '../../shared/random.js';

/** What happens in one run, drawn from its seed before anything starts. */
export interface Workload {
  readonly goals: readonly GoalDraw[];
  readonly faults: readonly FaultDraw[];
  /** When the whole process dies, or is stopped in order, if it is. */
  readonly end?: { readonly at: number; readonly how: 'crash' | 'shut_down' };
  /** When the log takes nothing, and whether what it took is at least answered. */
  readonly logFault?: { readonly at: number; readonly for_ms: number; readonly how: 'lost' | 'unknown' };
}

export interface GoalDraw {
  readonly at: number;
  readonly text: string;
  readonly key?: string;
  readonly timeout_ms?: number;
  readonly session?: string;
  /** When somebody cancels it. */
  readonly cancelAt?: number;
  /** What people say about its steps that wait, and when. */
  readonly decisions?: readonly { readonly at: number; readonly decision: 'approve' | 'reject'; readonly by: string }[];
}

export interface FaultDraw {
  readonly at: number;
  readonly device: string;
  readonly kind: string;
  readonly params?: Record<string, unknown>;
  readonly for_ms: number;
}

const SPAN_MS = 10_000;

const pick = <T>(random: Random, list: readonly T[]): T => list[random.int(list.length)] as T;
const floor = (random: Random): number => 1 + random.int(3);
const zone = (random: Random) => ({ floor: floor(random), letter: pick(random, ['A', 'B', 'C']) });
const zoneZh = (random: Random): string => {
  const { floor: level, letter } = zone(random);
  return `${'一二三'.charAt(level - 1)}楼${letter}区`;
};
const zoneEn = (random: Random): string => {
  const { floor: level, letter } = zone(random);
  return `zone ${letter} on floor ${level}`;
};
const device = (random: Random): string => `PLC-${String(1 + random.int(12)).padStart(3, '0')}`;

const LINE_SENTENCES: readonly ((random: Random) => string)[] = [
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
const SENTENCES: readonly ((random: Random) => string)[] = [
  ...LINE_SENTENCES,
  (r) => `${zoneZh(r)}空调故障`,
  (r) => `AC in ${zoneEn(r)} is broken`,
  (r) => `把${zoneZh(r)}温度设为${18 + r.int(11)}度`,
  (r) => `set ${zoneEn(r)} to ${18 + r.int(11)} degrees`,
  (r) => `诊断${zoneZh(r)}空调，然后通知李工`,
  (r) => `检查${zoneZh(r)}供电`,
  (r) => `create a work order for ${zoneEn(r)}`,
  () => '三楼A区空调故障',
];

const anywhere = (random: Random): string =>
  pick(random, [
    device(random),
    `VAV-${floor(random)}0${1 + random.int(4)}`,
    `AHU-${floor(random)}`,
    `BRK-${floor(random)}`,
  ]);
const air = (random: Random): string => `AHU-${floor(random)}`;

interface FaultRow {
  readonly kind: string;
  readonly on: (random: Random) => string;
  readonly params?: (random: Random) => Record<string, unknown>;
}
const pauses = (random: Random): Record<string, unknown> => ({ ms: 200 + random.int(3_000), fc: [5, 6, 15, 16] });
const codes = (random: Random): Record<string, unknown> => ({ code: pick(random, [4, 6]) });

const faultsOn = (on: FaultRow['on']): readonly FaultRow[] => [
  { kind: 'offline', on: device },
  { kind: 'reboot_never_ends', on: device },
  { kind: 'silent_write', on },
  { kind: 'delay', on, params: pauses },
  { kind: 'exception', on, params: codes },
  { kind: 'half_open', on },
];
const LINE_FAULTS = faultsOn(device);
const FAULTS: readonly FaultRow[] = [
  ...faultsOn(anywhere),
  { kind: 'fan_dead', on: air },
  { kind: 'filter_clogged', on: air },
  { kind: 'stuck', on: (r) => `VAV-${floor(r)}0${1 + r.int(4)}`, params: () => ({ point: 'damper_position' }) },
  { kind: 'breaker_trip', on: (r) => `BRK-${1 + r.int(8)}` },
  { kind: 'voltage_sag', on: (r) => `M-${floor(r)}`, params: (r) => ({ pct: 5 + r.int(40) }) },
  { kind: 'phase_loss', on: (r) => `M-${floor(r)}`, params: (r) => ({ phase: 1 + r.int(3) }) },
];

/**
 * `lines`: the production lines alone, as they were drawn before the site had a building. `site`: all of it, as it was
 * drawn before people approved anything. `people`: with them.
 */
export type Place = 'lines' | 'site' | 'people';

/** Steps that wait for people, and people who decide, late, twice, or not at all. */
function drawApprovals(random: Random): GoalDraw[] {
  return Array.from({ length: random.int(4) }, (): GoalDraw => {
    const at = random.int(SPAN_MS);
    const mode = pick(random, ['停止', '运行']);
    const decisions = Array.from({ length: random.int(4) }, () => ({
      at: at + random.int(9_000),
      decision: pick(random, ['approve', 'approve', 'reject'] as const),
      by: pick(random, ['chen', 'wang', 'tester']),
    }));
    const text = `把${device(random)}切换到${mode}模式`;
    return { at, text, decisions, ...(random.float() < 0.2 ? { cancelAt: at + random.int(6_000) } : {}) };
  });
}

export function drawWorkload(random: Random, place: Place = 'people'): Workload {
  const people = place === 'people' ? drawApprovals(random.stream('people')) : [];
  const drawn = drawWork(random, place);
  return { ...drawn, goals: [...drawn.goals, ...people] };
}

function drawWork(random: Random, place: Place): Workload {
  const [sentences, rows, most] = place === 'lines' ? [LINE_SENTENCES, LINE_FAULTS, 5] : [SENTENCES, FAULTS, 6];
  const goals = Array.from({ length: 4 + random.int(8) }, (_, index): GoalDraw => {
    const at = random.int(SPAN_MS);
    return {
      at,
      text: pick(random, sentences)(random),
      ...(random.float() < 0.4 ? { key: `key-${index}` } : {}),
      ...(random.float() < 0.2 ? { timeout_ms: 300 + random.int(5_000) } : {}),
      ...(random.float() < 0.2 ? { cancelAt: at + random.int(3_000) } : {}),
    };
  });
  // A question and its answer, in one conversation.
  const asked = random.int(SPAN_MS);
  const session = 's-talk';
  goals.push({ at: asked, text: '重启PLC-099', session });
  goals.push({ at: asked + random.int(2_000), text: device(random), session, key: 'answer' });
  const faults = Array.from({ length: random.int(most) }, (): FaultDraw => {
    const fault = pick(random, rows);
    return {
      at: random.int(SPAN_MS),
      device: fault.on(random),
      kind: fault.kind,
      ...(fault.params ? { params: fault.params(random) } : {}),
      for_ms: 500 + random.int(12_000),
    };
  });
  const how = random.float() < 0.6 ? 'crash' : 'shut_down';
  const end = random.float() < 0.5 ? { end: { at: 200 + random.int(SPAN_MS), how } as const } : {};
  const gap = {
    at: random.int(SPAN_MS),
    for_ms: 100 + random.int(3_000),
    how: pick(random, ['lost', 'unknown'] as const),
  };
  return { goals, faults, ...end, ...(random.float() < 0.3 ? { logFault: gap } : {}) };
}
