import type { Risk } from '../../../mcp/index.js';

/** Which calls need a person, and how long a question waits: by the topology, else the default. */
export interface ApprovalPolicy {
  /** Risks that ask. */
  readonly ask: readonly Risk[];
  /** By method, before the risk counts. */
  readonly methods: Readonly<Record<string, 'ask' | 'run'>>;
  /** How long a question waits until it counts as rejected, ms. */
  readonly expires_ms: Readonly<Record<Risk, number>>;
}

const MINUTE = 60_000;

export const DEFAULT_APPROVAL_POLICY: ApprovalPolicy = {
  ask: ['high'],
  methods: {},
  expires_ms: { low: 5 * MINUTE, medium: 30 * MINUTE, high: 24 * 60 * MINUTE },
};

/** A method that reads never asks. */
export function asksFor(
  { ask, methods }: ApprovalPolicy,
  method: { readonly name: string; readonly risk: Risk; readonly effect_class: string },
): boolean {
  if (method.effect_class === 'read') return false;
  const said = Object.hasOwn(methods, method.name) ? methods[method.name] : undefined;
  return said === undefined ? ask.includes(method.risk) : said === 'ask';
}
