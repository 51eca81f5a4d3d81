import { LIMITS } from '../../../shared/limits.js';

/** Where in a JSON text something stands: keys and indexes from the root. */
export interface JsonPlace {
  readonly path: readonly (string | number)[];
  /** Index of the character. */
  readonly at: number;
  /** What is wrong there, where it is not JSON. */
  readonly problem?: string;
  /** The text of the root's first members that are whole, by key. */
  readonly members: ReadonlyMap<string, string>;
}

interface Frame {
  readonly array: boolean;
  key: string | number;
}
type Wants = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPES = new Set([...'"\\/bfnrt']);
/** What a package adds around what an entry may hold. */
/** A package has twelve. */
const MEMBERS = 16;
const DEPTH = LIMITS.nestingDepth + 8;

/**
 * Walks a JSON text (RFC 8259, without white space) to `until`, or to the first character that does not belong there.
 * Without recursion and without building values: a text of any size and depth is walked once.
 */
export function jsonPlace(text: string, until = Number.POSITIVE_INFINITY): JsonPlace {
  const walk = new JsonWalk(text, until);
  return walk.run();
}

class JsonWalk {
  private readonly stack: Frame[] = [];
  private readonly members = new Map<string, string>();
  private wants: Wants = 'value';
  private at = 0;
  private values = 0;
  private memberFrom = 0;

  constructor(
    private readonly text: string,
    private readonly until: number,
  ) {}

  run(): JsonPlace {
    while (this.at < this.text.length) {
      if (this.wants === 'nothing') return this.stop('more text after the end');
      const end = this.token();
      if (typeof end === 'string') return this.stop(end);
      if (end > this.until) return this.stop();
      this.at = end;
    }
    return this.wants === 'nothing' ? this.stop() : this.stop('the text ends here');
  }

  private stop(problem?: string): JsonPlace {
    const path = this.stack.map(({ key }) => key).filter((key) => key !== '');
    return { path, at: this.at, members: this.members, ...(problem === undefined ? {} : { problem }) };
  }

  /** Takes one token. @returns where it ends, or what is wrong. */
  private token(): number | string {
    const letter = this.text[this.at] as string;
    const { wants } = this;
    if (wants === 'colon') return letter === ':' ? this.goOn('value', 1) : 'a colon is missing';
    if (wants === 'comma or end') {
      if (letter === ',') return this.next();
      return letter === '}' || letter === ']' ? this.close(letter) : 'a comma or an end is missing';
    }
    if (letter === ']' && wants === 'value or end') return this.close(letter);
    if (letter === '}' && wants === 'key or end') return this.close(letter);
    if (wants === 'key' || wants === 'key or end') return letter === '"' ? this.keyToken() : 'a key is missing';
    return this.value(letter);
  }

  private value(letter: string): number | string {
    if (++this.values > LIMITS.auditPackageValues) return `more than ${LIMITS.auditPackageValues} values`;
    if (letter === '{' || letter === '[') return this.open(letter === '[');
    if (letter === '"') {
      const end = this.stringEnd();
      return typeof end === 'number' && end <= this.until ? this.ended(end) : end;
    }
    for (const form of [NUMBER, WORD]) {
      form.lastIndex = this.at;
      const found = form.exec(this.text);
      if (!found) continue;
      const end = this.at + found[0].length;
      return end <= this.until ? this.ended(end) : end;
    }
    return 'no JSON value begins so';
  }

  private keyToken(): number | string {
    const end = this.stringEnd();
    if (typeof end === 'string' || end > this.until) return end;
    (this.stack.at(-1) as Frame).key = this.text.slice(this.at + 1, end - 1);
    if (this.stack.length === 1) this.memberFrom = end + 1;
    this.wants = 'colon';
    return end;
  }

  private goOn(wants: Wants, length: number): number {
    this.wants = wants;
    return this.at + length;
  }

  private open(array: boolean): number | string {
    if (this.stack.length >= DEPTH) return `deeper than ${DEPTH}`;
    this.stack.push({ array, key: array ? 0 : '' });
    return this.goOn(array ? 'value or end' : 'key or end', 1);
  }

  private next(): number {
    const frame = this.stack.at(-1) as Frame;
    frame.key = frame.array ? (frame.key as number) + 1 : '';
    return this.goOn(frame.array ? 'value' : 'key', 1);
  }

  private close(letter: string): number | string {
    const frame = this.stack.at(-1) as Frame;
    if (frame.array !== (letter === ']')) return 'the wrong bracket';
    if (this.at >= this.until) return this.at + 1;
    this.stack.pop();
    return this.ended(this.at + 1);
  }

  private ended(end: number): number {
    this.wants = this.stack.length === 0 ? 'nothing' : 'comma or end';
    const [root] = this.stack;
    if (root && this.stack.length === 1 && !root.array && this.members.size < MEMBERS) {
      this.members.set(String(root.key), this.text.slice(this.memberFrom, end));
    }
    return end;
  }

  private stringEnd(): number | string {
    const { text } = this;
    for (let i = this.at + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0x22) return i + 1;
      if (code < 0x20) return 'a control character in a string';
      if (code !== 0x5c) continue;
      const escaped = text[++i] ?? '';
      if (escaped === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(i + 1, i + 5))) i += 4;
      else if (!ESCAPES.has(escaped)) return 'an unknown escape';
    }
    return 'a string without an end';
  }
}
