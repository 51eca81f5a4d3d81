import type { Draft, SlotValue } from './draft.js';
import type { CompiledIntent } from './language/compile-packs.js';
import { unitWritten } from './language/quantities.js';
import type { SiteWords } from './language/site-words.js';

/** A point is the one of its names that the device has, and for a write the one that can be written. */
export function pointMeant(
  site: SiteWords,
  { intent }: CompiledIntent,
  value: SlotValue,
  device: SlotValue | undefined,
): string | number | undefined {
  const points = site.pointsOf.get(String(device?.ids[0] ?? ''));
  const known = value.ids.find((id) => points?.has(String(id))) ?? value.ids[0];
  const target = site.writtenAs.get(String(known));
  const writable = points?.get(String(known))?.access === 'rw';
  return intent.effect === 'write' && target !== undefined && !writable ? target : known;
}

/** A number that was said in another unit than its slot takes. */
export interface WrongUnit {
  /** Place of the number among the values of the slot. */
  readonly value: number;
  /** The unit that it should have. */
  readonly unit: string;
}

/** The first number of a slot in another unit than the slot's own, or than that of the points it is meant for. */
export function wrongUnit(site: SiteWords, rule: CompiledIntent, draft: Draft, slot: string): WrongUnit | undefined {
  const declared = rule.intent.slots[slot];
  if (declared?.entity !== 'number') return undefined;
  const wanted = declared.unit === undefined ? pointUnits(site, rule, draft) : [declared.unit];
  for (const [value, { unit: said }] of (draft.slots[slot] ?? []).entries()) {
    const unit = said === undefined ? undefined : wanted.find((one) => unitWritten(one) !== said);
    if (unit !== undefined) return { value, unit };
  }
  return undefined;
}

/** Units of the points that a call names; a point without a unit takes a number in any. */
function pointUnits(site: SiteWords, rule: CompiledIntent, draft: Draft): readonly string[] {
  const slots = Object.entries(rule.intent.slots);
  const named = (entity: string): readonly SlotValue[] =>
    slots.filter(([, slot]) => slot.entity === entity).flatMap(([name]) => draft.slots[name] ?? []);
  return named('device').flatMap((device) =>
    named('point').flatMap((point) => {
      const name = pointMeant(site, rule, point, device);
      return site.pointsOf.get(String(device.ids[0]))?.get(String(name))?.unit ?? [];
    }),
  );
}
