import { expect, test } from 'vitest';
import { createDeadLetters } from '../../../mcp/index.js';
import { mcpBench } from '../../support/mcp-bench.js';

test('B17: what is refused and cannot be answered is kept with its reason; one log line, one count, no crash', async () => {
  const made = mcpBench();
  await made.serve('worker_v1.0', async () => 'fine');
  const nowhere = { reply: '' };
  await made.ask(Uint8Array.from([0xc1, 1, 2]), nowhere);
  await made.ask(made.request({ mcp_version: '7.0' }), nowhere);
  await made.ask(made.request({ kind: 'shout' }), { reply: 'hermes.default.reply.somebody.else' });
  await made.ask(made.request({ mcp_version: '7.0' }));
  const letters = made.deadLetters.list();
  expect(letters.map(({ reason }) => reason)).toEqual(['invalid_params', 'bad_version', 'bad_reply']);
  expect(letters[0]).toMatchObject({ subject: 'hermes.default.call.worker.v1.tester', begins: 'c10102', bytes: 3 });
  expect(made.counted.filter(({ name }) => name === 'mcpRejected')).toHaveLength(4);
  expect(made.complaints.filter((line) => line.includes('message refused'))).toHaveLength(4);
  expect((await made.ask(made.request()))?.result).toBe('fine');
});

test('the list keeps the last two hundred, and of each its beginning', () => {
  const letters = createDeadLetters();
  for (let n = 0; n < 1_000; n++) {
    const payload = new Uint8Array(10_000).fill(n);
    letters.add({ at: n, subject: 's', reason: 'invalid_params', detail: '', payload });
  }
  const kept = letters.list();
  expect(kept).toHaveLength(200);
  expect(kept[0]?.at).toBe(800);
  expect(kept.at(-1)?.begins).toHaveLength(128);
});
