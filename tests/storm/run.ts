import { replyStorm, type StormOptions } from '../support/reply-storm.js';

/** `npm run storm`: the rows of docs/retries.md, on virtual time. */
const rows: readonly (StormOptions & { what: string })[] = [
  { what: '30 % of replies lost, one layer', callers: 200, stormMs: 30_000, dropped: 0.3 },
  { what: '30 % of replies lost, naive in two layers', callers: 200, stormMs: 30_000, dropped: 0.3, naive: true },
  { what: '90 % lost, one layer', callers: 200, stormMs: 30_000, dropped: 0.9 },
  { what: '90 % lost, naive in two layers', callers: 200, stormMs: 30_000, dropped: 0.9, naive: true },
  { what: 'every reply lost, one layer', callers: 200, stormMs: 30_000, dropped: 1 },
  { what: 'every reply lost, naive in two layers', callers: 200, stormMs: 30_000, dropped: 1, naive: true },
];

console.log('| storm of 30 s, 200 callers | calls | succeeded | requests | requests ÷ need | executions a call |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const { what, ...options } of rows) {
  const { calls, succeeded, requests, executions, needed } = await replyStorm(options);
  const share = `${((succeeded / calls) * 100).toFixed(2)} %`;
  const ratio = Number.isFinite(needed) ? (requests / needed).toFixed(2) : `${(requests / calls).toFixed(1)} a call`;
  console.log(`| ${what} | ${calls} | ${share} | ${requests} | ${ratio} | ${(executions / calls).toFixed(2)} |`);
}
