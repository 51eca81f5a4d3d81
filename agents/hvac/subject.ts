import type { z } from 'zod';

/** Of two parameters exactly one is to be given; the problem names the field. */
export function exactlyOne<A extends string, B extends string>(a: A, b: B) {
  return (given: Readonly<Partial<Record<A | B, unknown>>>, ctx: z.core.$RefinementCtx): void => {
    const both = given[a] !== undefined && given[b] !== undefined;
    const neither = given[a] === undefined && given[b] === undefined;
    if (neither) ctx.addIssue({ code: 'custom', path: [a], message: `missing: give ${a} or ${b}` });
    if (both) ctx.addIssue({ code: 'custom', path: [b], message: `give ${a} or ${b}, not both` });
  };
}
