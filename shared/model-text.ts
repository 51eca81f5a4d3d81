import { HermesError } from './errors.js';

/**
 * Text that a model wrote: an explanation, never a fact. It is no string and no JSON, so what is stored (`Storable`)
 * does not take it: `read()` says where it is shown instead.
 */
export class ModelText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** For showing to a person, beside the facts; whoever stores this has copied a model by hand. */
  read(): string {
    return this.#text;
  }

  /** Where a cast has hidden the type, serialising ends here. @throws HermesError `internal`. */
  toJSON(): never {
    throw new HermesError('internal', 'text that a model wrote is not stored');
  }
}

/** What memory takes: values that JSON can say, and nothing that a model wrote. */
export type Storable =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Storable[]
  | { readonly [key: string]: Storable };

/**
 * What came as `unknown` through a schema, held to be storable. @throws HermesError `internal` naming the field, for
 * text of a model and for what JSON cannot say.
 */
export function storable(value: unknown, pointer = ''): Storable {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((one, index) => storable(one, `${pointer}/${index}`));
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, storable(one, `${pointer}/${key}`)]));
  }
  throw new HermesError('internal', `${pointer || 'the value'} cannot be stored: it is no JSON value`, {
    fields: [{ pointer, problem: 'no JSON value' }],
  });
}
