import { expect, test } from 'vitest';
import { seededRandom, systemRandom } from '../../../shared/random.js';

const draw = (random: { int(max: number): number }): number[] => Array.from({ length: 20 }, () => random.int(1_000));

test('a seed replays, another one does not', () => {
  expect(draw(seededRandom(1))).toEqual(draw(seededRandom(1)));
  expect(draw(seededRandom(1))).not.toEqual(draw(seededRandom(2)));
});

test('a draw in one stream does not shift another', () => {
  const quiet = seededRandom(1);
  const busy = seededRandom(1);
  busy.float();
  draw(busy.stream('other'));
  expect(draw(busy.stream('mine'))).toEqual(draw(quiet.stream('mine')));
  expect(draw(quiet.stream('mine'))).not.toEqual(draw(quiet.stream('other')));
  expect(draw(quiet.stream('a').stream('b'))).toEqual(draw(seededRandom(1, 'a/b')));
});

test.each([
  ['seeded', seededRandom(3)],
  ['system', systemRandom()],
])('%s draws lie in their range and spread over it', (_name, random) => {
  const counts = [0, 0, 0, 0];
  for (let n = 0; n < 4_000; n++) {
    const float = random.float();
    expect(float >= 0 && float < 1).toBe(true);
    const value = random.int(4);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
  expect(random.bytes(7).length).toBe(7);
});
