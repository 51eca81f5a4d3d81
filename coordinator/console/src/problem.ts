/** A refusal as the page shows it: one line, and the fields it is about. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export class Problem extends Error {
  constructor(
    /** HTTP status; 0 when the coordinator was not reached. */
    readonly status: number,
    message: string,
    readonly detail = '',
    readonly fields: readonly FieldProblem[] = [],
    readonly retryAfterS?: number,
  ) {
    super(message);
    this.name = 'Problem';
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstText = (from: Record<string, unknown>, names: readonly string[]): string => {
  const found = names.map((name) => from[name]).find((value) => value !== undefined && value !== null);
  if (found === undefined) return '';
  return Array.isArray(found) ? found.join('.') : String(found);
};

function fieldsOf(body: Record<string, unknown>): FieldProblem[] {
  const listed = body.errors ?? body.fields ?? body.invalid_params ?? body['invalid-params'];
  if (Array.isArray(listed)) {
    return listed.map((item) =>
      isRecord(item)
        ? {
            field: firstText(item, ['field', 'path', 'name', 'pointer', 'instancePath']),
            message: firstText(item, ['message', 'detail', 'reason']),
          }
        : { field: String(item), message: '' },
    );
  }
  if (!isRecord(listed)) return [];
  return Object.entries(listed).map(([field, message]) => ({ field, message: String(message) }));
}

/** Reads `application/problem+json` (RFC 9457); whatever else came is shown as its status. */
export function problemFrom(status: number, statusText: string, body: unknown, retryAfter?: string | null): Problem {
  const seconds = retryAfter ? Number(retryAfter) : Number.NaN;
  const wait = Number.isFinite(seconds) ? seconds : undefined;
  if (!isRecord(body)) return new Problem(status, `${status} ${statusText}`.trim(), '', [], wait);
  const title = firstText(body, ['title', 'error', 'reason']) || `${status} ${statusText}`.trim();
  const detail = firstText(body, ['detail', 'message']);
  return new Problem(status, title, detail === title ? '' : detail, fieldsOf(body), wait);
}

/** Anything thrown, as a Problem. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, error instanceof Error ? error.message : String(error));
