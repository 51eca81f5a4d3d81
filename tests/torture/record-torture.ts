import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { seededRandom } from '../../shared/random.js';
import { checkSurvivors } from '../support/record-survivors.js';
import { startChild } from '../support/transport-child.js';

export interface RecordTortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** A record is read whole after each kill: a folder serves some rounds, then a new one begins. */
const ROUNDS_OF_A_FOLDER = 20;
/** Of the kills, these come while the process still opens its files; the others under load. */
const EARLY = 0.15;
const OPENS_MS = 1_200;
const LOAD_MS = 900;

/**
 * A process that writes the record without end is killed by SIGKILL at a random moment, again and again on the same
 * data directory. What it had acknowledged is there, see `checkSurvivors`.
 */
export async function tortureRecord({ rounds, seed, say }: RecordTortureOptions) {
  const random = seededRandom(seed);
  const violations: string[] = [];
  let acknowledgedInAll = 0;
  let dataDir = '';
  let acknowledged = new Set<string>();
  const forget = () => (dataDir === '' ? undefined : rm(dataDir, { recursive: true, force: true }));
  try {
    for (let round = 0; round < rounds; round++) {
      if (round % ROUNDS_OF_A_FOLDER === 0) {
        await forget();
        dataDir = await mkdtemp(join(tmpdir(), 'hermes-record-'));
        acknowledged = new Set();
      }
      const early = round % ROUNDS_OF_A_FOLDER > 0 && random.float() < EARLY;
      const lines = await killed(dataDir, round, early, random.int(early ? OPENS_MS : LOAD_MS));
      for (const line of lines) acknowledged.add(line);
      acknowledgedInAll += lines.length;
      const { wrong, entries } = await checkSurvivors(dataDir, acknowledged);
      violations.push(...wrong.map((what) => `round ${round}: ${what}`));
      const when = early ? 'while it opened' : 'under load';
      say(`round ${round}: killed ${when}; ${lines.length} acknowledged, ${entries} on record, ${wrong.length} wrong`);
    }
  } finally {
    await forget();
  }
  return { acknowledged: acknowledgedInAll, violations };
}

/** @returns the entries that were acknowledged: whole lines only, the last one may be torn. */
async function killed(dataDir: string, round: number, early: boolean, afterMs: number): Promise<readonly string[]> {
  const child = startChild('record-writer', [dataDir, String(round)]);
  try {
    if (!early) await child.printed(1);
    await systemClock().sleep(afterMs);
    if (child.process.exitCode !== null) throw new Error(`round ${round}: the writer ended by itself`);
  } finally {
    await child.kill();
  }
  return child.lines.filter((line) => /^\S+ \d+ \d+ [0-9a-f]{64}$/.test(line));
}
