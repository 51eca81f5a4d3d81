import { createHash, randomBytes } from 'node:crypto';

/**
 * The only door to chance. A seeded source replays; each purpose draws from a stream of its own, so that a new draw
 * in one place does not shift the others.
 */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1). */
  float(): number;
  /** Uniform integer in [0, max). */
  int(max: number): number;
  /** An independent stream for one purpose. */
  stream(purpose: string): Random;
}

const POOL_BYTES = 4_096;

/**
 * Cryptographic randomness of the machine, fetched some at a time: asking the system costs more than most of what is
 * done with the answer. What was handed out is wiped from the pool.
 */
export function systemRandom(): Random {
  let pool = Buffer.alloc(0);
  let at = 0;
  const bytes = (length: number): Uint8Array => {
    if (length > POOL_BYTES / 8) return randomBytes(length);
    if (at + length > pool.length) {
      pool = randomBytes(POOL_BYTES);
      at = 0;
    }
    const drawn = Uint8Array.prototype.slice.call(pool, at, at + length);
    pool.fill(0, at, at + length);
    at += length;
    return drawn;
  };
  const random: Random = {
    bytes,
    float: () => Buffer.from(bytes(4)).readUInt32BE(0) / 2 ** 32,
    int: (max) => Math.floor(random.float() * max),
    stream: () => random,
  };
  return random;
}

/** sfc32 (Doty-Humphrey, PractRand), seeded by SHA-256 of `seed/purpose`. Not for secrets. */
export function seededRandom(seed: number | string, purpose = ''): Random {
  const digest = createHash('sha256').update(`${seed}/${purpose}`).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  const random: Random = {
    bytes(length) {
      const out = new Uint8Array(length);
      for (let index = 0; index < length; index++) out[index] = next() & 0xff;
      return out;
    },
    float: () => next() / 2 ** 32,
    int: (max) => Math.floor(random.float() * max),
    stream: (name) => seededRandom(seed, purpose === '' ? name : `${purpose}/${name}`),
  };
  return random;
}
