import type { Device, PointValue } from '../../../shared/device.js';
import { linkCause, type ToolContext } from '../../runtime/index.js';
import { LOOKS } from '../config.js';

export type Values = Readonly<Record<string, PointValue>>;

/** What was seen of one device. */
export interface Seen {
  readonly device: Device;
  /** Looks that were answered, oldest first. */
  readonly looks: readonly Values[];
  /** Looks that were not answered, and why the last of them was not. Nobody asks again within the same window. */
  readonly silent?: string;
  /** Never asked: the time was over. */
  readonly unasked?: true;
}

export interface Window {
  readonly seen: readonly Seen[];
  /** First look, Unix ms. */
  readonly from: number;
  /** From the first look to the last, ms. */
  readonly window_ms: number;
}

interface Watching {
  readonly device: Device;
  readonly looks: Values[];
  silent?: string;
  unasked?: true;
}

/** What the looks so far tell of a link: it answers, or how many devices let all tries pass. */
interface Line {
  readonly name: string;
  answers: boolean;
  silent: number;
}

/**
 * Looks at devices a few times. Links are looked at beside each other; on one link the devices follow each other, as
 * the link serves one request at a time anyway. A silent device costs the time-outs of one point, not those of all its
 * points, and is not asked again; one for which no time is left is not asked at all.
 *
 * @throws what is neither the link's nor the device's fault: a missing right, a defect, a cancelled call.
 */
export async function lookAt(
  ctx: ToolContext,
  devices: readonly Device[],
  count: number = LOOKS.count,
): Promise<Window> {
  const watching = devices.map((device): Watching => ({ device, looks: [] }));
  const lines = [...new Set(devices.map((device) => device.link))].map(
    (name): Line => ({ name, answers: false, silent: 0 }),
  );
  const from = ctx.clock.now();
  const began = ctx.clock.monotonic();
  let last = began;
  for (let round = 0; round < count; round++) {
    if (round > 0) {
      if (watching.every((one) => one.silent !== undefined || one.unasked)) break;
      if (ctx.remainingMs() < LOOKS.intervalMs + LOOKS.reserveMs) break;
      await ctx.clock.sleep(LOOKS.intervalMs, ctx.signal);
    }
    last = ctx.clock.monotonic();
    await Promise.all(
      lines.map(async (line) => {
        for (const one of watching) if (one.device.link === line.name) await look(ctx, one, line);
      }),
    );
  }
  const seen = watching.map(({ looks, ...rest }): Seen => ({ ...rest, looks }));
  return { seen, from, window_ms: Math.round(last - began) };
}

async function look(ctx: ToolContext, one: Watching, line: Line): Promise<void> {
  const { device, looks } = one;
  if (one.silent !== undefined || one.unasked) return;
  if (ctx.remainingMs() < LOOKS.reserveMs) {
    if (looks.length === 0) one.unasked = true;
    return;
  }
  try {
    await knock(ctx, device, line);
    line.answers = true;
    looks.push(await ctx.modbus.read(device.id, namesOf(device)));
  } catch (error) {
    one.silent = linkCause(error);
    line.silent += 1;
  }
}

const namesOf = (device: Device): string[] => device.points.map((point) => point.name);

/**
 * One point of the device, asked again where silence may pass: a link that was dead and has not been noticed to be
 * takes two reads to be opened anew. On a link that answers, and after one silent device, which may be slow on its own,
 * a device gets a second try; on a link that two devices let pass, none.
 */
async function knock(ctx: ToolContext, device: Device, line: Line): Promise<void> {
  const tries = line.answers ? 2 : Math.max(1, 3 - line.silent);
  const began = ctx.clock.monotonic();
  for (let n = 1; ; n++) {
    const before = ctx.clock.monotonic();
    try {
      await ctx.modbus.read(device.id, namesOf(device).slice(0, 1));
      return;
    } catch (error) {
      const now = ctx.clock.monotonic();
      const late = now - began + (now - before) > LOOKS.deviceMs || ctx.remainingMs() < LOOKS.reserveMs;
      if (n >= tries || late || !PASSING.has(linkCause(error))) throw error;
    }
  }
}

const PASSING: ReadonlySet<string> = new Set(['timeout', 'closed', 'exception_busy']);
