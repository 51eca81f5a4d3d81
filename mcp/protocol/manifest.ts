import { z } from 'zod';
import { retryPolicySchema } from './envelope.js';

/** What an agent says of itself; asked for by `describe`, and the only thing others know of it. */
export const EFFECT_CLASSES = ['read', 'idempotent_write', 'non_idempotent', 'irreversible'] as const;
export type EffectClass = (typeof EFFECT_CLASSES)[number];
export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

const jsonSchema = z.record(z.string(), z.unknown());

export const methodManifestSchema = z.looseObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  version: z.string().default('1.0.0'),
  description: z.string().default(''),
  input_schema: jsonSchema,
  output_schema: jsonSchema,
  side_effects: z.array(z.string()).default([]),
  effect_class: z.enum(EFFECT_CLASSES).default('irreversible'),
  risk: z.enum(RISKS).default('high'),
  /** Parameter that names the actor (a device); calls with one value run one at a time. */
  actor_key: z.string().optional(),
  /** Read method, with the same actor key, that tries whether this one can be called again after failures. */
  probe: z.string().optional(),
  timeout_ms: z.number().int().positive(),
  retry_policy: retryPolicySchema.partial().optional(),
  rollback: z.union([
    z.object({ name: z.string(), description: z.string(), max_ms: z.number() }),
    z.object({ none: z.string() }),
  ]),
  /** Why an irreversible effect is of no higher risk. */
  risk_reason: z.string().optional(),
  /** What is done before a redo. */
  remedy: z.object({ name: z.string(), description: z.string(), max_ms: z.number() }).optional(),
  /** Methods that reach the same end another way, the best first. */
  alternatives: z.union([z.array(z.string()), z.object({ none: z.string() })]).optional(),
  /** How many cases `hermes tools test` runs. */
  test_cases: z.number().int().min(0).optional(),
});
export type MethodManifest = z.infer<typeof methodManifestSchema>;

export const manifestSchema = z.looseObject({
  component: z.string(),
  description: z.object({ zh: z.string(), en: z.string() }),
  supported_mcp_versions: z.array(z.string()).min(1),
  methods: z.array(methodManifestSchema).max(128),
  /** Rule pack of the session engine; checked by those who read sentences. */
  rule_pack: z.unknown().optional(),
  /** Kinds of scopes whose record this component keeps: `work_order`. Of several, the one that serves the subject. */
  homes: z.array(z.string().regex(/^[a-z]+(_[a-z]+)*$/)).default([]),
  /** How the agent's tools came in: the mode of its process, and the key that signed them. */
  admission: z.object({ mode: z.enum(['enforce', 'develop']), signed_by: z.string().nullable() }).optional(),
  may_speak_for_people: z.boolean().default(false),
});
export type Manifest = z.infer<typeof manifestSchema>;
