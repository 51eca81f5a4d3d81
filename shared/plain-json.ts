/** JSON.stringify escapes a surrogate only where its other half is missing. */
const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * A copy made of JSON values only, as they come back from a log or a wire: no undefined fields, nothing with a class of
 * its own, no half of a surrogate pair (U+FFFD takes its place, as in UTF-8), no key that sets a prototype
 * (`[__proto__]` takes its place). What is hashed or compared has to be this, or it differs from what is read back.
 */
export function plainJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  const plain: unknown = JSON.parse(text);
  return LONE_SURROGATE.test(text) || text.includes('__proto__') ? wellFormed(plain) : plain;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  const made: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    made[key === '__proto__' ? '[__proto__]' : key.toWellFormed()] = wellFormed(child);
  }
  return made;
}
