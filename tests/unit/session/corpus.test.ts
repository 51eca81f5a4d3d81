import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildingEngine } from '../../support/building-engine.js';
import { conversation, engineFixture } from '../../support/session-fixture.js';

interface Utterance {
  readonly text: string;
  readonly outcome: string;
  readonly actions: readonly { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
  readonly safety?: boolean;
  /** Sentences of the same session before this one. */
  readonly before?: readonly string[];
}

const folder = new URL('../../corpus/', import.meta.url);
const WRITES = new Set(['restart_device', 'write_point', 'notify', 'set_setpoint']);
/** Corpora that speak of the demo site; the others speak of the fixture site. */
const ON_THE_DEMO_SITE: ReadonlySet<string> = new Set(['hvac.json']);
/** Free text is not scored. */
const FREE = new Set(['body', 'subject', 'reason']);

const keyOf = (call: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }): string =>
  `${call.method} ${JSON.stringify(
    Object.entries(call.params)
      .filter(([name]) => !FREE.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )}`;

function run(rows: readonly Utterance[], engine: ReturnType<typeof engineFixture>) {
  const score = { hits: 0, planned: 0, wanted: 0, wrongWrites: [] as string[], misses: [] as string[] };
  for (const row of rows) {
    const talk = conversation(engine);
    for (const text of row.before ?? []) talk(text);
    const said = talk(row.text);
    const planned = said.outcome === 'plan' || said.outcome === 'repeat' ? said.actions : [];
    const wanted = row.actions.map(keyOf);
    const got = planned.map(keyOf);
    const left = [...wanted];
    for (const [index, key] of got.entries()) {
      const at = left.indexOf(key);
      if (at >= 0) left.splice(at, 1);
      else if (WRITES.has(planned[index]?.method ?? '')) score.wrongWrites.push(`${row.text} → ${key}`);
    }
    score.hits += wanted.length - left.length;
    score.planned += got.length;
    score.wanted += wanted.length;
    if (left.length > 0 || got.length !== wanted.length || said.outcome !== row.outcome) {
      score.misses.push(`${row.text} → ${said.outcome} ${got.join(' ')}`);
    }
  }
  return { ...score, f1: (2 * score.hits) / Math.max(1, score.planned + score.wanted) };
}

describe('corpora of utterances', () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const rows = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Utterance[];
    it(`${file}: no wrong write, F1 of method and slots at least 0.97`, () => {
      const score = run(rows, ON_THE_DEMO_SITE.has(file) ? buildingEngine() : engineFixture());
      console.log(`${file}: ${rows.length} utterances, F1 ${score.f1.toFixed(3)}, misses ${score.misses.length}`);
      for (const miss of score.misses) console.log(`  ${miss}`);
      expect(score.wrongWrites).toEqual([]);
      expect(score.f1).toBeGreaterThanOrEqual(0.97);
    });
  }
});
