import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ask, onThe, press } from '../../sandbox/test/browser/on-the-page.ts';
import { demoStage } from './demo-stage.ts';

const demo = demoStage();

const width = (page: Page) => page.evaluate('document.documentElement.scrollWidth');

it('the demo works in a narrow window, one part at a time', async () => {
  const page = await demo.open(undefined, { viewport: { width: 380, height: 720 } });
  const { log, backstage, dialog, thread } = onThe(page);
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button', { name });
  await log.waitFor();
  expect(await backstage.isVisible()).toBe(false);
  await tab('Behind the scenes').click();
  expect(await log.isVisible()).toBe(false);
  const message = await ask(page, 'a'.repeat(120), { Route: 'production' });
  expect(await backstage.isVisible()).toBe(false);
  expect(await width(page)).toBe(380);
  await press(message, 'Approve');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await message.getByText('1 of 2 approvals').waitFor();
  await page.getByLabel('You are').selectOption('U0BEN');
  await press(message, 'Approve');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await message.getByText('Approved by').waitFor();
  await message.getByRole('button', { name: '1 reply' }).click();
  await thread.waitFor();
  expect(await width(page)).toBe(380);
  await page.getByRole('button', { name: 'Close thread' }).click();
  await tab('Channels').click();
  await page.getByRole('button', { name: /^releases/ }).click();
  await log.getByText('Approved by').waitFor();
});

it('a request can be made and decided with the keyboard alone', async () => {
  const page = await demo.open();
  const { log, dialog, setting } = onThe(page);
  /** By what a screen reader says. */
  const tabTo = async (name: RegExp): Promise<void> => {
    const reached = `(() => {
      const at = document.activeElement;
      return at.getAttribute('aria-label') ?? at.labels?.[0]?.querySelector('span')?.textContent ?? at.textContent;
    })()`;
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab');
      if (name.test(String(await page.evaluate(reached)))) return;
    }
    throw new Error(`Tab does not reach “${name}”.`);
  };
  await log.waitFor();
  await tabTo(/^More options$/);
  await page.keyboard.press('Enter');
  await tabTo(/^Route$/);
  await page.keyboard.type('production');
  expect(await setting('Route').inputValue()).toBe('production');
  await tabTo(/^Ask for approval$/);
  await page.keyboard.press('Enter');
  await log.getByRole('button', { name: 'Reject' }).waitFor();
  await tabTo(/^Reject (?!elsewhere)/);
  await page.keyboard.press('Enter');
  await dialog.getByRole('textbox', { name: 'Reason' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  await page.keyboard.type('Not today');
  await tabTo(/^Reject$/);
  await page.keyboard.press('Enter');
  await log.getByText('Rejected by @Ana').first().waitFor();
  // What was pressed is gone: the focus is on the message, not at the top of the page.
  const focused = 'document.activeElement.closest("article")?.textContent ?? ""';
  await expect.poll(() => page.evaluate(focused)).toContain('Rejected by');
});

it('the focus is visible in both themes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await demo.open(undefined, { colorScheme });
    await onThe(page).log.waitFor();
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      const ring = await page.evaluate(
        '(() => { const at = document.activeElement; const { outlineStyle, outlineWidth } = getComputedStyle(at); const box = at.closest(".composer"); return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 || box && getComputedStyle(box).boxShadow !== "none"; })()',
      );
      expect(ring, `focus ${press}`).toBe(true);
    }
  }
});

it('the page follows the system’s color scheme until a person chooses another, and remembers it', async () => {
  const page = await demo.open(undefined, { colorScheme: 'dark' });
  const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await onThe(page).log.waitFor();
  const dark = await ground();
  await page.getByRole('button', { name: 'Use light colours' }).click();
  await expect.poll(scheme).toBe('light');
  expect(await ground()).not.toBe(dark);
  await page.reload();
  await page.getByRole('button', { name: 'Use dark colours' }).waitFor();
  expect(await scheme()).toBe('light');
});

it('nothing moves for people who prefer reduced motion', async () => {
  const page = await demo.open(undefined, { reducedMotion: 'reduce' });
  await onThe(page).log.waitFor();
  demo.sandbox.service.fault({ kind: 'latency', ms: 1_000 });
  const still = await page.evaluate(
    '(() => { const turning = document.body.appendChild(document.createElement("i")); turning.className = "spinner"; return getComputedStyle(turning).animationName; })()',
  );
  expect(still).toBe('none');
});
