import type { Language } from '../../../shared/site.js';
import type { Speech } from './template.js';
import { WORDS } from './words.js';

/** What a call is about, as people say it: its device, its zone, its floor, or the first id among its parameters. */
export function aboutOf(
  params: Readonly<Record<string, unknown>>,
  speech: Speech,
  language: Language,
): string | undefined {
  const { device_id, zone, floor } = params;
  if (typeof device_id === 'string') return device_id;
  if (typeof zone === 'string') return speech.zone(zone);
  if (typeof floor === 'number') return WORDS[language].floor(floor);
  const id = Object.entries(params).find(
    ([name, value]) => typeof value === 'string' && (name.endsWith('_id') || /^[A-Z]+[-_]?\d[\w-]*$/.test(value)),
  );
  return id === undefined ? undefined : String(id[1]);
}
