/**
 * Rewrites CEL over `result` to CEL over `steps.<id>.result`. Field names, strings and longer identifiers that hold
 * the word stay as they are.
 */
export function celOfStep(cel: string, step: string): string {
  let out = '';
  let from = 0;
  for (let at = cel.indexOf(RESULT); at >= 0; at = cel.indexOf(RESULT, at + RESULT.length)) {
    const end = at + RESULT.length;
    if (isWord(cel.charAt(at - 1)) || cel.charAt(at - 1) === '.' || isWord(cel.charAt(end)) || quotedAt(cel, at))
      continue;
    out += `${cel.slice(from, at)}steps.${step}.`;
    from = at;
  }
  return out + cel.slice(from);
}

const RESULT = 'result';

const isWord = (c: string): boolean =>
  (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c === '_';

/** Whether a string literal is open at `at`. */
function quotedAt(cel: string, at: number): boolean {
  let open = '';
  for (let here = 0; here < at; here += 1) {
    const c = cel.charAt(here);
    if (c === '\\') here += 1;
    else if (open === '' && (c === "'" || c === '"')) open = c;
    else if (c === open) open = '';
  }
  return open !== '';
}

/** Joins conditions with `||` or `&&`; one alone needs no brackets, none is false. */
export function joined(conditions: readonly string[], join: 'or' | 'and'): string {
  const [only, ...more] = conditions;
  if (more.length === 0) return only ?? 'false';
  return conditions.map((one) => `(${one})`).join(join === 'or' ? ' || ' : ' && ');
}
