import type { Site } from '../../../shared/site.js';
import { SKILLS_BY_KIND } from '../config.js';

/** What a job's skills are taken from. */
export interface Need {
  readonly skills?: readonly string[] | undefined;
  readonly findings: readonly { readonly skills?: readonly string[] | undefined }[];
  readonly device_id?: string | undefined;
  readonly zone?: string | undefined;
}

export interface NeededSkills {
  readonly skills: readonly string[];
  readonly from: 'request' | 'findings' | 'place' | 'none';
}

/** Skills as they were asked for; else those of the first finding that names any; else the trade of the place. Pure. */
export function neededSkills({ skills, findings, device_id, zone }: Need, site: Site): NeededSkills {
  if (skills && skills.length > 0) return { skills: unique(skills), from: 'request' };
  const found = findings.find((finding) => finding.skills && finding.skills.length > 0)?.skills;
  if (found) return { skills: unique(found), from: 'findings' };
  const device = site.devices.find(({ id }) => id === device_id);
  const trade = device ? SKILLS_BY_KIND[device.kind] : zone === undefined ? undefined : SKILLS_BY_KIND.zone;
  return trade ? { skills: trade, from: 'place' } : { skills: [], from: 'none' };
}

const unique = (skills: readonly string[]): string[] => [...new Set(skills)];
