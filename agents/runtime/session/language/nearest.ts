import type { SiteWords } from './site-words.js';

/** At most three objects of a kind whose names share most with what was said. */
export function nearestIds(site: SiteWords, kind: string, text: string): readonly string[] {
  const said = new Set(text.toLowerCase());
  const scored: { id: string; score: number }[] = [];
  for (const { id, names } of site.named(kind)) {
    let best = 0;
    for (const name of names) {
      const own = new Set(name.toLowerCase());
      let shared = 0;
      for (const c of own) if (said.has(c)) shared += 1;
      best = Math.max(best, shared / Math.max(own.size, said.size, 1));
    }
    if (best > 0.2) scored.push({ id, score: best });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, 3)
    .map((one) => one.id);
}
