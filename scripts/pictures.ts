/**
 * Takes the pictures of the documents (docs/*.png) from the demo's page: the messages of one approval that was
 * decided and of one that waits, and the whole page. Run with `npx tsx scripts/take-picture.ts` where
 * there is a font with emoji.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startDemo } from '../sandbox/demo.ts';
import { onThe, press } from '../sandbox/test/page/on-the-page.ts';
import { launchBrowser } from '../sandbox/test/page/one-browser.ts';

const reviewers = { users: ['U0ANA', 'U0BEN'] };
const demo = await startDemo();
const { sandbox } = demo;
const browser = await launchBrowser();

await sandbox.automation.ask({
  prompt: 'Deploy checkout 4.2',
  title: 'Deploy checkout 4.2',
  message: 'All checks are green. Shall it go out?',
  fields: { Version: '4.2', Environment: 'production' },
  requestedBy: { slackUser: 'U0CLEO' },
  reviewers,
});
const page = await open({ viewport: { width: 1180, height: 900 }, deviceScaleFactor: 2 });
const { log, thread } = onThe(page);
const decided = log.getByRole('article').filter({ hasText: 'Deploy checkout 4.2' });
await press(decided, 'Approve');
await decided.getByText('Approved by').waitFor();
await sandbox.automation.ask({
  prompt: 'Deploy search 7.0',
  title: 'Deploy search 7.0',
  message: 'The new index is warm. Switch over?',
  fields: { Index: 'products-7', Change: 'CHG-1207' },
  requestedBy: { slackUser: 'U0DANA' },
  reviewers,
});
const waiting = log.getByRole('article').filter({ hasText: 'Deploy search 7.0' });
await waiting.getByRole('button', { name: 'Reject' }).waitFor();
await page.mouse.move(0, 0);
await page.screenshot({ path: 'docs/message.png', clip: await messagesArea(page) });

await page.setViewportSize({ width: 1440, height: 810 });
await decided.getByRole('button', { name: '1 reply' }).click();
await thread.getByText('Approved by').first().waitFor();
await page.mouse.move(0, 0);
await page.screenshot({ path: 'docs/page.png', scale: 'css' });

await browser.close();
await demo.stop();

async function open(options: BrowserContextOptions): Promise<Page> {
  const opened = await browser.newPage({ colorScheme: 'light', ...options });
  await opened.goto(sandbox.url);
  return opened;
}

/** The channel from its name to the end of the last message. */
async function messagesArea(of: Page) {
  const main = await of.getByRole('main').boundingBox();
  const last = await onThe(of).log.getByRole('article').last().boundingBox();
  if (!main || !last) throw new Error('The page shows no messages.');
  return { ...main, height: last.y + last.height + 8 - main.y };
}
