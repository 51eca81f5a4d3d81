import { describe, expect, it } from 'vitest';
import { FairLine } from '../../../shared/fair-line.js';

const open = () => {
  let now = 0;
  const line = new FairLine<{ unit: number; effect: boolean; name: string }>(() => now);
  return {
    line,
    pass: (ms: number) => {
      now += ms;
    },
    ask: (...names: string[]) => {
      for (const name of names) line.add({ unit: Number(name[1]), effect: name.startsWith('w'), name });
    },
    order: () => {
      const taken: string[] = [];
      for (let turn = line.take(); turn; turn = line.take()) taken.push(turn.name);
      return taken;
    },
  };
};

describe('whose turn it is', () => {
  it('gives each unit its turn, and each unit its requests in order', () => {
    const { ask, order } = open();
    ask('r1a', 'r1b', 'r1c', 'r2a', 'r2b', 'r3a');
    expect(order()).toEqual(['r1a', 'r2a', 'r3a', 'r1b', 'r2b', 'r1c']);
  });

  it('takes writes first, those of one unit in order', () => {
    const { ask, order } = open();
    ask('r1a', 'w2a', 'w2b', 'w1a', 'r2a');
    expect(order()).toEqual(['w2a', 'w1a', 'w2b', 'r1a', 'r2a']);
  });

  it('lets a silent unit stand behind those that answer, writes and all, until it is tried again', () => {
    const { line, pass, ask, order } = open();
    line.silent(1);
    ask('w1a', 'r1a', 'r2a', 'r3a', 'r2b');
    expect(order()).toEqual(['r2a', 'r3a', 'r2b', 'w1a', 'r1a']);
    pass(3_000);
    ask('r2a', 'w1a');
    expect(order()).toEqual(['w1a', 'r2a']);
    line.silent(3);
    line.answered(3);
    ask('r2a', 'r3a');
    expect(order()).toEqual(['r3a', 'r2a']);
  });

  it('forgets what was given up', () => {
    const { line, ask, order } = open();
    const entry = { unit: 1, effect: false, name: 'r1a' };
    line.add(entry);
    ask('r1b');
    line.remove(entry);
    expect([line.length, order()]).toEqual([1, ['r1b']]);
  });
});
