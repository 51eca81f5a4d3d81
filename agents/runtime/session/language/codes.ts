import { type Recogniser, type Scan, sourceOf } from './entities.js';

/** WO-7K2M9QXD: a prefix of the packs, a dash, letters and digits without a gap. Whether it exists is not known. */
export const code: Recogniser = {
  name: 'code',
  find(scan, at) {
    const prefix = scan.tokens[at]?.text ?? '';
    if (!scan.site.codes.has(prefix) || scan.tokens[at + 1]?.text !== '-' || !touches(scan, at + 1)) return undefined;
    let end = at + 2;
    while (isPart(scan, end) && touches(scan, end)) end += 1;
    if (end === at + 2) return undefined;
    const id = sourceOf(scan, at, end).normalize('NFKC').toUpperCase();
    return { kind: 'code', start: at, end, values: [{ text: sourceOf(scan, at, end), ids: [id] }] };
  },
};

/** Whether the token follows on the one before it without a space. */
const touches = (scan: Scan, at: number): boolean => scan.tokens[at]?.start === scan.tokens[at - 1]?.end;

function isPart(scan: Scan, at: number): boolean {
  const token = scan.tokens[at];
  return token?.kind === 'number' || (token?.kind === 'word' && /^[a-z]+$/.test(token.text));
}

/** Whether codes are those of a slot: WO-7K2M9QXD is no JOB. Without a prefix anything fits. */
export const isCodeOf = (
  prefix: string | undefined,
  values: readonly { readonly ids: readonly (string | number)[] }[],
): boolean => prefix === undefined || values.every(({ ids }) => ids.every((id) => String(id).startsWith(`${prefix}-`)));
