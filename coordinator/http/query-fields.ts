import { z } from 'zod';
import { LIMITS } from '../../shared/limits.js';

/** Fields of questions that several routes ask. */
export const scopeParam = z.object({ scope: z.string().min(1).max(LIMITS.scopeChars) });
export const componentField = z.string().max(48).optional();
export const versionField = z.coerce.number().int().positive();
export const pageField = z.coerce.number().int().min(1).max(LIMITS.pageRows).default(200);
/** Unix milliseconds or ISO 8601. */
export const instantField = z
  .string()
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((at) => Number.isFinite(at), 'Unix milliseconds, or ISO 8601')
  .optional();
