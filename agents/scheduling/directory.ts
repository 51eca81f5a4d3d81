import { HermesError } from '../../shared/errors.js';
import type { Person, Site } from '../../shared/site.js';

export interface Recipient {
  readonly id: string;
  readonly address: string;
}

/** @throws HermesError `unknown_entity`, with who there is. */
export function findPerson(site: Site, name: string): Person {
  const wanted = name.trim().toLowerCase();
  const person = site.people.find((candidate) =>
    [candidate.id, ...candidate.names.zh, ...candidate.names.en].some((known) => known.toLowerCase() === wanted),
  );
  if (person) return person;
  throw new HermesError('unknown_entity', `nobody called ${name} in the directory`, {
    person: name,
    candidates: site.people.map((candidate) => candidate.id),
  });
}

/** Persons and groups as addresses; a group is its members, each once. */
export function resolveRecipients(site: Site, names: readonly string[]): Recipient[] {
  const people = names.flatMap((name) => {
    const group = site.groups.find((candidate) => candidate.id === name);
    return group ? group.members.map((member) => findPerson(site, member)) : [findPerson(site, name)];
  });
  const unique = [...new Map(people.map((person) => [person.id, person])).values()];
  return unique.map((person) => {
    if (person.email) return { id: person.id, address: person.email };
    throw new HermesError('unknown_entity', `${person.id} has no mail address in the directory`, { person: person.id });
  });
}
