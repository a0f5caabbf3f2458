/**
 * Takes docs/message.png from the sandbox with the real bot in it: the messages of one approval that
 * was decided and of one that waits. Run with `npx tsx scripts/take-picture.ts` where there is a font
 * with emoji.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startDemo } from '../src/demo.ts';
import { createLogger } from '../src/logger.ts';
import { startSandbox } from '../src/sandbox/start-sandbox.ts';
import { launchBrowser } from '../test/browser/one-browser.ts';

const channel = 'C0DEPLOYS';
const reviewers = { users: ['U0ANA', 'U0BEN'] };
const folder = await mkdtemp(join(tmpdir(), 'gatepost-picture-'));
const sandbox = await startSandbox();
const app = await startDemo(sandbox, folder, createLogger('error', process.stdout));

await sandbox.automation.ask({
  title: 'Deploy checkout 4.2',
  message: 'All checks are green. Shall it go out?',
  fields: { Version: '4.2', Environment: 'production' },
  requestedBy: { slackUser: 'U0CLEO' },
  reviewers,
});
const { ts } = await sandbox.until(() => sandbox.workspace.messages(channel)[0]);
await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
await sandbox.until(() => sandbox.workspace.thread(channel, ts).length > 1);
await sandbox.automation.ask({
  title: 'Deploy search 7.0',
  message: 'The new index is warm. Switch over?',
  fields: { Index: 'products-7', Change: 'CHG-1207' },
  requestedBy: { slackUser: 'U0DANA' },
  reviewers,
});

const browser = await launchBrowser();
const page = await browser.newPage({
  viewport: { width: 1180, height: 900 },
  deviceScaleFactor: 2,
  colorScheme: 'light',
});
await page.goto(sandbox.url);
await page.getByRole('heading', { name: 'Deploy search 7.0' }).waitFor();
await page.screenshot({ path: 'docs/message.png', clip: await messagesArea(page) });
await browser.close();
await app.stop();
await sandbox.close();
await rm(folder, { recursive: true, force: true });

/** The channel from its name to the end of the last message. */
async function messagesArea(of: Page) {
  const main = await of.getByRole('main').boundingBox();
  const last = await of.getByRole('log').getByRole('article').last().boundingBox();
  if (!main || !last) throw new Error('The page shows no messages.');
  return { ...main, height: last.y + last.height + 8 - main.y };
}
