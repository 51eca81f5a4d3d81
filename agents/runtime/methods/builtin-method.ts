import type { z } from 'zod';
import { parseOrRefuse, type ServedCall } from '../../../mcp/index.js';
import type { ReadHow } from '../memory/index.js';

/** Methods that every agent answers beside its own: reads of itself, and `drain`; nothing that moves a device. */
export type BuiltinMethod = (call: ServedCall) => Promise<unknown>;
export type BuiltinMethods = readonly (readonly [name: string, method: BuiltinMethod])[];

/** @throws HermesError `invalid_params` naming the fields. */
export const paramsOf = <T>(schema: z.ZodType<T>, call: ServedCall): T =>
  parseOrRefuse(schema, call.request.params, call.request.method, '/params');

/** For whom a call reads, and how fresh. */
export const readHow = ({ request, deadline }: ServedCall): ReadHow => ({
  principal: request.principal ?? { id: 'nobody', roles: [] },
  signal: deadline.signal,
  ...(request.consistency_level ? { consistency: request.consistency_level } : {}),
});
