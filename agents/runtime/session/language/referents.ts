import type { Reading } from './reading.js';

/** Pronouns that stand for a place as well as for a device. */
const EITHER: ReadonlySet<string> = new Set(['它', '其', 'it', 'them', 'both', '两个', '两个都']);
/** Behind these a new thing may be spoken of; before them a zone says only where the device is. */
const BREAKS: ReadonlySet<string> = new Set(['seq', 'and', 'if', 'unless', 'else', 'but', 'hence', 'reason']);
const STOPS = ',.;!?…\n';

/** Whether "it" stands for a zone: one was spoken of last, and not merely as the place of a device. */
export class Referents {
  readonly #reading: Reading;
  readonly #before: boolean;
  #zoneAt: Uint8Array | undefined;

  /** `before`: the sentences before this one spoke of a zone last. */
  constructor(reading: Reading, before: boolean) {
    this.#reading = reading;
    this.#before = before;
  }

  /** Of the pronoun at `at`. */
  isZone(at: number): boolean {
    const { tokens, markers } = this.#reading;
    const marker = markers.get(at);
    if (marker?.kind === 'zone_ref') return true;
    if (marker?.kind !== 'device_ref' || !EITHER.has(said(tokens.slice(at, marker.end)))) return false;
    this.#zoneAt ??= this.#followed();
    return this.#zoneAt[at] === 1;
  }

  /** One pass over the sentence. */
  #followed(): Uint8Array {
    const { tokens, markers, entities } = this.#reading;
    const zoneAt = new Uint8Array(tokens.length);
    let zone = this.#before;
    let device = false;
    for (let at = 0; at < tokens.length; at += 1) {
      zoneAt[at] = zone ? 1 : 0;
      const kind = entities.get(at)?.kind;
      if (kind === 'device') {
        zone = false;
        device = true;
      } else if (kind === 'zone' && !device) zone = true;
      else if (
        BREAKS.has(markers.get(at)?.kind ?? '') ||
        (kind === undefined && STOPS.includes(tokens[at]?.text ?? ''))
      )
        device = false;
    }
    return zoneAt;
  }
}

const said = (tokens: Reading['tokens']): string => {
  const text = tokens.map((token) => token.text).join('');
  return text.startsWith('它') ? '它' : text;
};
