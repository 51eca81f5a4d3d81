/** A value that looks like a credential: where it stands, and why. The value itself is never repeated. */
export interface FoundSecret {
  /** JSON pointer. */
  readonly pointer: string;
  readonly looks_like: string;
}

/** Names of fields whose text is a credential, whatever it looks like. */
const NAMES = new RegExp(
  [
    '^(?:.*[_-])?(?:passwords?|passwd|passphrase|pwd|secrets?|credentials?|bearer|authorization',
    '|(?:api|access|private)[_-]?keys?|client[_-]?secret|(?:auth|access|refresh)[_-]?token)$',
    '|密码|口令',
  ].join(''),
  'i',
);

/**
 * A password said in a sentence: after `=` any word; after a colon or "is" one with a digit, for "the password is
 * required" tells nothing.
 */
const SAID = new RegExp(
  [
    String.raw`(?:\b(?:password|passwd|passphrase|pwd|api[_-]?key|secret)|密码|口令)\s{0,3}`,
    String.raw`(?:=\s{0,3}["']?[^\s"',;，。]{4}`,
    String.raw`|(?:[:：]|is|是|为)\s{0,3}["']?(?=[^\s,;，。]{0,64}\d)[^\s"',;，。]{4})`,
  ].join(''),
  'i',
);

/** Forms of credentials, each bounded: none is slower than the text is long. */
const FORMS: readonly (readonly [looksLike: string, form: RegExp])[] = [
  ['private key', /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/],
  ['JSON web token', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/],
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})/],
  ['GitLab token', /\bglpat-[\w-]{20}/],
  ['Slack token', /\bxox[abeoprs]-[A-Za-z0-9-]{10}/],
  ['Google API key', /\bAIza[\w-]{35}/],
  ['secret key', /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][\w-]{16}|\bsk-[A-Za-z0-9]{32}/],
  ['bearer token', /\bBearer\s+[\w.~+/-]{20}/i],
  ['basic authorization', /\bBasic\s+[A-Za-z0-9+/]{16,}={0,2}(?![\w+/])/],
  ['password in a URL', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,64}:[^\s/@]{1,128}@/i],
  ['password in a text', SAID],
];
/** Beyond this no text is looked at: what is longer is no state and is not stored as such. */
const TEXT_CHARS = 65_536;

/**
 * Values that look like credentials, and names of fields that do. `{kms_key_id}` is how a secret is stored: a
 * reference, resolved at use.
 */
export function findSecrets(value: unknown, pointer = ''): FoundSecret[] {
  if (typeof value === 'string') return formOf(value, pointer);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [named] = formOf(key, pointer);
    if (named) return [{ ...named, pointer: `${pointer}/(a key)` }];
    if (!Array.isArray(value) && NAMES.test(key) && isCredential(inner))
      return [{ pointer: at, looks_like: 'named so' }];
    return findSecrets(inner, at);
  });
}

/** The value without what looks like a credential; what was there is said. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return formOf(value, '').length > 0 ? REFUSED : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const safe = formOf(key, '').length > 0 ? REFUSED : key;
      return [safe, NAMES.test(key) && isCredential(inner) ? REFUSED : withoutSecrets(inner)];
    }),
  );
}

const REFUSED = '(refused: looks like a credential)';

function formOf(text: string, pointer: string): FoundSecret[] {
  if (text.length < 8) return [];
  const read = text.length > TEXT_CHARS ? text.slice(0, TEXT_CHARS) : text;
  const found = FORMS.find(([, form]) => form.test(read));
  return found ? [{ pointer, looks_like: found[0] }] : [];
}

/** Text, or a list of texts; an empty one, a number and a reference are none. */
const isCredential = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() !== '' && value !== REFUSED
    : Array.isArray(value) && value.some(isCredential);
