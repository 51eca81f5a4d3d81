import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHROMIUM, CHROMIUM_FLAGS } from '../support/chromium.js';
import { asks, begin, notified, restarted, restartFails, statusRead } from '../support/console-script.js';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.js';

const ZH_GOAL = '查PLC-007状态，如果离线，重启它并通知张工';
const EN_GOAL = 'Check PLC-007 status; if offline, restart it and notify Zhang';
/** Where pictures of the page go, for whoever wants to look at it; unset: none are taken. */
const SHOTS = process.env.PAGE_SHOTS_DIR;

const root = join(import.meta.dirname, '../..');
const built = join(root, 'dist/console');
let browser: Browser;
let server: ConsoleServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install chromium`);
  execFileSync(join(root, 'node_modules/.bin/vite'), ['build', 'coordinator/console', '--logLevel', 'error'], {
    cwd: root,
    stdio: 'inherit',
  });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_FLAGS] });
});
afterAll(() => browser?.close());

beforeEach(async () => {
  server = await startConsoleServer(built);
  complaints = [];
});
afterEach(async () => {
  await page?.context().close();
  await server.close();
});

async function open(options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1360, height: 900 }, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(5_000);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) complaints.push(`outside request: ${request.url()}`);
  });
  await page.goto(server.url);
  await page.locator('#goal-text').waitFor();
}

const stepState = (id: string) => page.locator(`[data-step="${id}"]`).getAttribute('data-state');
const stepBecomes = (id: string, state: string) => page.locator(`[data-step="${id}"][data-state="${state}"]`).waitFor();
const shot = async (name: string): Promise<void> => {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
};
const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
/** Ends with the focus on what the selector names, by Tab alone. */
async function tabTo(selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reaches ${selector}`);
}

async function playToQuestion(goal: string): Promise<void> {
  await page.locator('#goal-text').fill(goal);
  await page.keyboard.press('Enter');
  await stepBecomes('s1', 'pending');
  server.change((item) => begin(item, 's1'));
  await stepBecomes('s1', 'running');
  server.change(statusRead);
  await stepBecomes('s2', 'running');
  server.change(restarted);
  server.change(asks);
  await stepBecomes('s3', 'waiting');
}

test('plays the first goal in Chinese: steps, question, answer, trace, no complaint of the browser', async () => {
  await open();
  await page.getByText(ZH_GOAL).click();
  await shot('zh-start');
  await playToQuestion(ZH_GOAL);
  expect(await page.locator('.prompt').textContent()).toContain('通知哪一位张工？');
  await shot('zh-prompt');
  await page.getByRole('button', { name: '张工 Zhang' }).click();
  await stepBecomes('s3', 'running');
  server.change(notified);
  await stepBecomes('s3', 'completed');
  expect(await page.locator('.answer').textContent()).toContain('已邮件通知张工');
  expect(await page.locator('[data-step="s2"]').textContent()).toMatch(
    /已完成[\s\S]*restart_device[\s\S]*尝试 2 次[\s\S]*2\.46 s/,
  );
  await page.locator('.trace > summary').click();
  await page.locator('.waterfall tbody tr').nth(11).waitFor();
  expect(await page.locator('.waterfall').textContent()).toContain('2.46 s');
  expect(await page.locator('[data-testid=session-id]').textContent()).toBe('s-7k2m9q4x');
  await shot('zh-done');
  const audit = await page.locator('.record a').first().getAttribute('href');
  expect(audit).toBe('./v1/audit?scope=device_PLC-007');
  expect(complaints).toEqual([]);
});

test('follows the browser to English, switches to Chinese and remembers', async () => {
  await open({ locale: 'en-GB', colorScheme: 'dark' });
  expect(await page.getByRole('button', { name: 'Run', exact: true }).isVisible()).toBe(true);
  await playToQuestion(EN_GOAL);
  await page.locator('#prompt-answer').fill('zhang');
  await page.keyboard.press('Enter');
  await stepBecomes('s3', 'running');
  server.change(notified);
  await page.getByText('Zhang was mailed').waitFor();
  await page.locator('.trace > summary').click();
  await page.locator('.waterfall tbody tr').first().waitFor();
  await page.getByText('PLC-007', { exact: true }).first().click();
  await page.getByText('COMM_TIMEOUT', { exact: true }).first().waitFor();
  await shot('en-dark-done');
  await page.getByRole('button', { name: '中文' }).click();
  await page.getByRole('heading', { name: '答复' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: '答复' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
  expect(complaints).toEqual([]);
});

test('needs no mouse, and a question takes the focus', async () => {
  await open({ locale: 'en-US' });
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the goal box');
  await page.keyboard.press('Enter');
  await page.keyboard.type(EN_GOAL);
  await page.keyboard.press('Enter');
  await stepBecomes('s1', 'pending');
  server.change(statusRead);
  server.change(restarted);
  server.change(asks);
  await stepBecomes('s3', 'waiting');
  await page.waitForFunction(() => document.activeElement?.closest('.prompt') !== null);
  await page.keyboard.press('Enter');
  await stepBecomes('s3', 'running');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('goal-title');
  server.change(notified);
  await page.locator('.answer').waitFor();
  await page.waitForFunction(() => /Completed/.test(document.querySelector('[role=status]')?.textContent ?? ''));
  await tabTo('.trace > summary');
  await page.keyboard.press('Enter');
  await page.locator('.waterfall').waitFor();
  expect(complaints).toEqual([]);
});

test('fits a phone of 360 px', async () => {
  await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  expect(await overflow()).toBe(0);
  await playToQuestion(ZH_GOAL);
  expect(await overflow()).toBe(0);
  server.change((goal) => Object.assign(goal, { prompt: null, state: 'running' }));
  server.change(notified);
  await page.locator('.answer').waitFor();
  await page.locator('.trace > summary').click();
  await page.locator('.waterfall tbody tr').first().waitFor();
  await page.locator('.list summary').filter({ hasText: 'PLC-007' }).click();
  await page.locator('.points').waitFor();
  expect(await overflow()).toBe(0);
  await shot('zh-phone');
  expect(complaints).toEqual([]);
});

test('keeps the conversation over goals, begins a new one on demand, and cancels', async () => {
  await open({ locale: 'en-US' });
  for (const goal of ['Check PLC-007 status', 'Check it again']) {
    await page.locator('#goal-text').fill(goal);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: goal }).waitFor();
  }
  await page.getByRole('button', { name: 'Cancel goal' }).click();
  await page.locator('.goal-facts [data-state=cancelled]').waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('goal-text');
  await page.keyboard.type('A third');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A third' }).waitFor();
  const sent = server.requests.filter((request) => request.method === 'POST' && request.path === '/v1/goals');
  expect(sent.map((request) => request.body)).toEqual([
    { goal: 'Check PLC-007 status' },
    { goal: 'Check it again', session_id: 's-7k2m9q4x' },
    { goal: 'A third' },
  ]);
  expect(new Set(sent.map((request) => request.headers['idempotency-key'])).size).toBe(3);
  expect(sent[0]?.headers.origin).toBe(server.url.slice(0, -1));
  expect(complaints).toEqual([]);
});

test('goes on by asking while the stream is down, and resumes it after the last event', async () => {
  await open({ locale: 'en-US' });
  await page.locator('#goal-text').fill(EN_GOAL);
  await page.keyboard.press('Enter');
  await page.locator('.feed[data-feed=live]').waitFor();
  server.breakStreams(true);
  await page.locator('.feed[data-feed=polling]').waitFor();
  server.change(statusRead);
  await stepBecomes('s2', 'running');
  server.breakStreams(false);
  await page.locator('.feed[data-feed=live]').waitFor({ timeout: 8_000 });
  const opened = server.requests.filter((request) => request.path.endsWith('/events'));
  expect(opened[0]?.headers['last-event-id']).toBeUndefined();
  expect(opened.at(-1)?.headers['last-event-id']).toBe('1');
  server.change(restartFails);
  await page.locator('.answer').waitFor();
  expect(await stepState('s2')).toBe('failed');
  const failed = await page.locator('[data-step="s2"]').textContent();
  expect(failed).toMatch(/restart_failed[\s\S]*holding 100[\s\S]*check the power supply[\s\S]*Rolled back in 212 ms/);
  expect(await page.locator('[data-step="s3"]').textContent()).toMatch(/Skipped[\s\S]*s2 failed/);
  await shot('en-failed');
});

test('names the fields of a refused goal', async () => {
  await open({ locale: 'en-US' });
  await page.locator('#goal-text').fill('refuse-me');
  await page.keyboard.press('Enter');
  const note = page.locator('.goal-box .problem');
  await note.waitFor();
  expect(await note.textContent()).toMatch(/invalid request[\s\S]*goal too long/);
  expect(await page.locator('#goal-text').inputValue()).toBe('refuse-me');
});
