import type { Language, Site } from '../../../shared/site.js';
import type { RulePack } from '../session/index.js';
import type { Speech } from './template.js';

/** Names of people and points as this site and this pack say them. */
export function speechOf(site: Site, language: Language, pack: RulePack | undefined): Speech {
  return {
    person(id) {
      const known = site.people.find((person) => person.id === id) ?? site.groups.find((group) => group.id === id);
      return known?.names[language][0] ?? known?.names.en[0] ?? id;
    },
    point: (name) => pack?.points[name]?.[language][0] ?? name,
    list: language === 'zh' ? '、' : ', ',
  };
}
