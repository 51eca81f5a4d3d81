import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { CHROMIUM, CHROMIUM_FLAGS } from '../support/chromium.js';
import { startHttpSite } from '../support/http-site.js';

/** The page on the real product: agents, devices on Modbus TCP, mail; nothing scripted. */
test('the first goal, typed into the page: three steps run, the answer comes, the trace opens', async () => {
  const built = join(import.meta.dirname, '../../dist/console/index.html');
  if (!existsSync(built)) throw new Error('the page is not built: npm run build');
  const site = await startHttpSite();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_FLAGS] });
  const complaints: string[] = [];
  try {
    const page = await (await browser.newContext({ locale: 'zh-CN' })).newPage();
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${site.http.url}/`);
    await page.locator('#goal-text').fill('查PLC-007状态，如果离线，重启它并通知张工');
    await page.locator('#goal-text').press('Enter');
    for (const step of ['s1', 's2', 's3']) {
      await page.locator(`[data-step="${step}"][data-state="completed"]`).waitFor();
    }
    await page.getByText('心跳恢复').first().waitFor();
    const trace = page.locator('details', { hasText: /[0-9a-f]{32}/ }).first();
    await trace.locator('summary').click();
    await page.getByText('session.parse').first().waitFor();
    expect(complaints).toEqual([]);
    expect(site.factory.simulators.mail.mails('zhang')).toHaveLength(1);
  } finally {
    await browser.close();
    await site.stop();
  }
});
