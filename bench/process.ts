import { type Client, questionOf, STACKS } from './stacks/index.js';

/** What the bench asks of a client process. */
export interface Measure {
  /** Calls under way at any moment. */
  readonly inFlight: number;
  readonly ms: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50us: number;
  readonly p99us: number;
  readonly failed: number;
  readonly cpuUs: number;
}

/** Keeps so many calls under way for so long; latencies are those of single calls. */
export async function measure(client: Client, { inFlight, ms }: Measure): Promise<Measured> {
  const latencies: number[] = [];
  let failed = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const until = began + ms;
  const lane = async (): Promise<void> => {
    for (let now = performance.now(); now < until; ) {
      const from = now;
      try {
        await client.call();
      } catch {
        failed++;
      }
      now = performance.now();
      latencies.push(now - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1_000);
  return {
    perSecond: Math.round((latencies.length - failed) / seconds),
    p50us: at(0.5),
    p99us: at(0.99),
    failed,
    cpuUs: Math.round(((user + system) / latencies.length) * 10) / 10,
  };
}

async function main([role, name = '', url = '', noteBytes = '0']: readonly string[]): Promise<void> {
  const stack = STACKS[name];
  if (!stack) throw new Error(`no stack ${name}`);
  if (role === 'worker') {
    await stack.openWorker(url);
    process.send?.('ready');
    return;
  }
  const client = await stack.openClient(url, questionOf(Number(noteBytes)));
  process.send?.('ready');
  process.on('message', (asked: Measure) => {
    measure(client, asked).then(
      (measured) => process.send?.(measured),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
if (process.send) await main(process.argv.slice(2));
