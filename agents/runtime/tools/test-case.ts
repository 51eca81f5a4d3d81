/**
 * What a tool is tried by: a call in the simulated world of a site, and what has to come of it. `hermes tools test`
 * runs it on the tool as it is served, record and verification included.
 */
export interface TestCase {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What is different in the world from a site that has just been started. */
  readonly world?: {
    readonly faults?: readonly {
      readonly device: string;
      readonly kind: string;
      readonly params?: Readonly<Record<string, number | string | readonly number[]>>;
    }[];
    readonly put?: readonly { readonly device: string; readonly point: string; readonly value: number | boolean }[];
  };
  /** Calls of the same agent that came before, in order. */
  readonly before?: readonly { readonly method: string; readonly input: Readonly<Record<string, unknown>> }[];
  readonly expect: {
    /** `ok`, or the reason of the error. */
    readonly outcome: string;
    /** Fields that the output has to have, with these values; others may stand beside them. */
    readonly output?: unknown;
    /** Effects in order, reads aside, as `<capability>:<target>`; fences, which belong to ownership, are left out. */
    readonly effects: readonly string[];
  };
}

/** What came of one case. */
export interface CaseRun {
  /** `ok`, or the reason of the error. */
  readonly outcome: string;
  readonly message?: string;
  readonly output?: unknown;
  readonly effects: readonly { readonly capability: string; readonly target: string }[];
}

/** What differs from the expected, in words; none when the case passed. */
export function judgeCase({ expect }: TestCase, run: CaseRun): string[] {
  const problems: string[] = [];
  if (run.outcome !== expect.outcome) {
    const detail = run.message === undefined ? '' : ` (${run.message})`;
    problems.push(`outcome ${run.outcome}${detail}, expected ${expect.outcome}`);
  }
  if (expect.output !== undefined && run.outcome === 'ok')
    problems.push(...differences(expect.output, run.output, '/output'));
  const effects = run.effects
    .filter(({ capability, target }) => !capability.endsWith('.read') && !target.endsWith('.fence'))
    .map(({ capability, target }) => `${capability}:${target}`);
  if (effects.join() !== expect.effects.join())
    problems.push(`effects ${list(effects)}, expected ${list(expect.effects)}`);
  return problems;
}

const list = (effects: readonly string[]): string => `[${effects.join(', ')}]`;

/** Where `found` lacks what is wanted of it. */
function differences(wanted: unknown, found: unknown, at: string): string[] {
  if (typeof wanted !== 'object' || wanted === null) {
    return Object.is(wanted, found) ? [] : [`${at} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];
  }
  if (typeof found !== 'object' || found === null) return [`${at} is ${JSON.stringify(found)}`];
  const inner = found as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).flatMap(([key, value]) => differences(value, inner[key], `${at}/${key}`));
}
