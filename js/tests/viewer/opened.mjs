// A page of the viewer that is watched: whatever it asks of a network, says on its console or opens is known.
import * as assert from 'node:assert/strict';
import { axe } from './common.mjs';

/** Opens an address; `problems` has what must not happen. */
export async function open(browser, url, options = {}) {
  const { scheme = 'light', width = 1400, height = 860, scale = 1, offline = false } = options;
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  const [problems, requests] = [[], []];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`); });
  page.on('dialog', (dialog) => { problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(blob|data):/.test(request.url())) requests.push(request.url()); });
  if (offline) await context.setOffline(true);
  await page.goto(url);
  return { page, problems, requests, close: () => context.close() };
}

export const seal = (page, tone) => page.waitForSelector(`.seal[data-tone=${tone}]`, { timeout: 30_000 }).then((found) => found.textContent());

/** Waits until the page has come to rest at an event. */
export const settled = (page, seq) => page.waitForSelector(`.viewer[data-settled="${seq}"][data-seq="${seq}"]`, { timeout: 20_000 });

export async function last(page) {
  return Number(await page.locator('.slider').getAttribute('max'));
}

export async function go(page, seq) {
  await page.locator('.slider').evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, seq);
  await settled(page, seq);
}

/** Files, or a folder, by the page's own buttons. */
export async function choose(page, files) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: typeof files === 'string' ? 'Open a folder…' : 'Open files…' }).click();
  await (await chooser).setFiles(files);
}

export const tab = (page, name) => page.locator(`[role=tab][data-tab=${name}]`).click();

export async function quiet(opened) {
  assert.deepEqual(opened.problems, []);
  await opened.close();
}

/** Chromium keeps scripts out of a page with this policy, so axe is brought past it. */
export async function looked(shared, url, options) {
  const opened = await open(shared.browser, 'about:blank', options);
  await opened.page.context().addInitScript({ content: axe() });
  await opened.page.goto(url);
  return opened;
}

/** Axe has nothing serious against the page as it stands. */
export async function accessible(page, where) {
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const told = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${where}: ${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
  assert.deepEqual(told, []);
}
