import type { Language, Zone } from '../../../../shared/site.js';
import { chineseNumber } from './numerals.js';

/** `a` of `F3-A`: the last part of the id, where it is one letter. */
export function letterOf(zoneId: string): string | undefined {
  return /(?:^|[^A-Za-z])([A-Za-z])$/.exec(zoneId)?.[1]?.toLowerCase();
}

/** As people of the site say it: 三楼A区, "zone A on floor 3"; a zone without a letter by its display name. */
export function zoneName(zone: Zone, language: Language): string {
  const letter = letterOf(zone.id)?.toUpperCase();
  if (letter === undefined) return zone.name;
  return language === 'zh' ? `${chineseNumber(zone.floor)}楼${letter}区` : `zone ${letter} on floor ${zone.floor}`;
}
