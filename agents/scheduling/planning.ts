import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import { PLANNING } from './config.js';
import { type Assignment, assign, candidatesFor, type Roster } from './rules/assignment.js';
import type { NeededSkills } from './rules/needed-skills.js';
import type { Finding, Priority, WorkOrder } from './work-order.js';

/** A job as an order describes it. */
export interface Wanted {
  readonly needed: NeededSkills;
  readonly findings: readonly Finding[];
  readonly priority: Priority;
  readonly due: string | null;
  /** As `assetOf` names it. */
  readonly asset?: string | undefined;
  /** Nobody else: the one who is named. */
  readonly person?: string;
  /** What is left of work that was begun; else as findings and priority say. */
  readonly minutes?: number | undefined;
}

export type Planned = Pick<WorkOrder, 'assigned_to' | 'start' | 'end' | 'why'>;

/** Person, hour and why. @throws HermesError `unknown_entity`: nobody has the skill; `tool_failed`: nobody has time. */
export function plan(wanted: Wanted, roster: Roster, now: number): Planned {
  const { needed, person, asset } = wanted;
  const minutes = minutesOf(wanted);
  const people = person === undefined ? roster.people : roster.people.filter(({ id }) => id === person);
  const job = { skills: needed.skills, minutes, at_once: isPressing(wanted.priority), ...(asset ? { asset } : {}) };
  const found = assign(job, { ...roster, people }, now);
  if (!('none' in found)) return planned(found, wanted, minutes, roster);
  if (found.none === 'skill') throw missingSkill(needed.skills, people);
  const days = PLANNING.horizon_ms / 86_400_000;
  throw new HermesError('tool_failed', `nobody with the skills has time within ${days} days`, {
    skills: needed.skills,
    candidates: found.candidates,
    suggestion: 'complete or cancel orders that are done, or check the calendars of the topology',
  });
}

function planned(found: Assignment, { needed, due, person }: Wanted, minutes: number, { zone }: Roster): Planned {
  return {
    assigned_to: found.person,
    start: zone.iso(found.start),
    end: zone.iso(found.end),
    why: {
      skill: needed.skills[0] ?? null,
      skills: [...needed.skills],
      skills_from: needed.from,
      candidates: [...found.candidates],
      chosen_because: person === undefined ? found.because : 'named',
      waits_for: [...found.waits_for],
      minutes,
      late: due !== null && found.end > Date.parse(due),
    },
  };
}

/** High and urgent work begins at once with somebody on duty. */
const isPressing = (priority: Priority): boolean => priority === 'high' || priority === 'urgent';

/** As it was said; a severe finding raises only an order that nobody ranked. */
export const ranked = (said: Priority | undefined, findings: readonly Finding[]): Priority =>
  said ?? (findings.some(({ severity }) => severity === 'high') ? 'high' : 'normal');

function minutesOf({ findings, priority, minutes }: Wanted): number {
  if (minutes !== undefined) return minutes;
  const severity = findings[0]?.severity;
  return severity ? PLANNING.minutes_by_severity[severity] : PLANNING.minutes_by_priority[priority];
}

function missingSkill(skills: readonly string[], people: Site['people']): HermesError {
  const missing = skills.filter((skill) => candidatesFor([skill], people).length === 0);
  const named = (missing.length > 0 ? missing : skills).join(' + ');
  const known = [...new Set(people.flatMap((person) => person.skills))].sort();
  return new HermesError('unknown_entity', `nobody has the skill ${named}`, {
    skills,
    missing,
    candidates: known,
    fields: [{ pointer: '/params/skills', problem: `nobody has ${named}; there are ${known.join(', ')}` }],
    suggestion: `name skills that somebody has: ${known.join(', ')}`,
  });
}
