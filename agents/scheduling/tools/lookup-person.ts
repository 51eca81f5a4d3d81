import { z } from 'zod';
import { defineTool, type Tool } from '../../runtime/index.js';
import { findPerson } from '../directory.js';

/** A person of the directory by id or name. */
export function lookupPerson(): Tool {
  return defineTool({
    name: 'lookup_person',
    version: '1.0.0',
    description: 'a person of the site directory: names, address, skills, roles',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    output: z.object({
      id: z.string(),
      name: z.string(),
      email: z.string().nullable(),
      skills: z.array(z.string()),
      roles: z.array(z.string()),
    }),
    side_effects: [],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: 2_000,
    async execute(ctx, { name }) {
      const person = findPerson(ctx.site, name);
      return {
        id: person.id,
        name: person.names.zh[0] ?? person.names.en[0] ?? person.id,
        email: person.email ?? null,
        skills: [...person.skills],
        roles: [...person.roles],
      };
    },
    test_cases: [
      {
        name: 'by the name that colleagues use',
        input: { name: '张工' },
        expect: { outcome: 'ok', output: { id: 'zhang' }, effects: [] },
      },
      { name: 'nobody of this name', input: { name: 'nobody' }, expect: { outcome: 'unknown_entity', effects: [] } },
    ],
    rollback: { none: 'a read changes nothing' },
  });
}
