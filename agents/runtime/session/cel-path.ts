/**
 * Rewrites CEL over `result` to CEL over `steps.<id>.result`. Field names, strings and longer identifiers that hold
 * the word stay as they are.
 */
export function celOfStep(cel: string, step: string): string {
  let out = '';
  let at = 0;
  let before = '';
  while (at < cel.length) {
    const c = cel.charAt(at);
    if (c === "'" || c === '"') {
      const end = endOfString(cel, at);
      out += cel.slice(at, end);
      at = end;
      before = c;
    } else if (isName(c)) {
      let end = at;
      while (end < cel.length && isName(cel.charAt(end))) end += 1;
      const word = cel.slice(at, end);
      out += word === 'result' && before !== '.' ? `steps.${step}.result` : word;
      at = end;
      before = word;
    } else {
      out += c;
      if (c !== ' ') before = c;
      at += 1;
    }
  }
  return out;
}

const isName = (c: string): boolean => /[A-Za-z0-9_]/.test(c);

function endOfString(cel: string, start: number): number {
  const quote = cel.charAt(start);
  let at = start + 1;
  while (at < cel.length && cel.charAt(at) !== quote) at += cel.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at + 1, cel.length);
}

/** Joins conditions with `||` or `&&`; one alone needs no brackets, none is false. */
export function joined(conditions: readonly string[], join: 'or' | 'and'): string {
  const [only, ...more] = conditions;
  if (more.length === 0) return only ?? 'false';
  return conditions.map((one) => `(${one})`).join(join === 'or' ? ' || ' : ' && ');
}
