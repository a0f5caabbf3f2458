import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SlackSandbox } from '../../slack-sandbox.ts';
import { startSlackSandbox } from '../../start-slack-sandbox.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';
import { oneBrowser } from './one-browser.ts';
import { violations } from './violations.ts';

/** The page with the workspace only, as the package serves it. */

const channel = 'C0DEPLOYS';
const browser = oneBrowser();
let app: Receiver;
let sandbox: SlackSandbox;
let page: Page;

beforeEach(async () => {
  app = await startReceiver(() => ({ status: 200 }));
  sandbox = await startSlackSandbox({ requestUrl: app.url });
  page = await browser.open(sandbox.url);
});
afterEach(async () => {
  await page.close();
  await sandbox.close();
  await app[Symbol.asyncDispose]();
});

const messages = () => page.getByRole('log');
const composer = () => page.getByRole('textbox', { name: 'Message #deployments' });

it('a workspace without a service shows nothing else, at any width', async () => {
  await page.getByRole('heading', { name: 'Your app sandbox' }).waitFor();
  expect(await page.getByText(/behind the scenes|gatepost/i).count()).toBe(0);
  const { ts = '' } = await slackClient(sandbox).chat.postMessage({ channel, text: 'Hello' });
  await messages().getByText('Hello').waitFor();
  sandbox.workspace.say({ user: 'U0BEN', channel, text: 'In a thread', threadTs: ts });
  await messages().getByRole('button', { name: '1 reply' }).click();
  await page.getByText('In a thread').waitFor();
  expect(await violations(page)).toEqual([]);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(1280);
  await page.setViewportSize({ width: 400, height: 700 });
  await page.getByText('In a thread').waitFor();
  await expect.poll(width).toBe(400);
  const tabs = page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button');
  await expect.poll(() => tabs.allTextContents()).toEqual(['Channels', 'Messages']);
  expect(await violations(page)).toEqual([]);
});

it('people can mention the app, which gets the event', async () => {
  await composer().fill('Hello @Your');
  await page.getByRole('option', { name: '@Your app' }).click();
  await composer().press('Enter');
  await messages().getByText('@Your app').waitFor();
  expect(sandbox.workspace.events('app_mention')).toMatchObject([
    { event: { text: 'Hello <@U0APP>', user: 'U0ANA' } },
  ]);
});

it('any command is sent to the app', async () => {
  await composer().fill('/anything goes');
  await composer().press('Enter');
  await expect.poll(() => app.received.length).toBe(1);
  const sent = Object.fromEntries(new URLSearchParams(app.received[0]?.body));
  expect(sent).toMatchObject({ command: '/anything', text: 'goes', user_id: 'U0ANA' });
});

it('people can see reactions, and add and remove their own', async () => {
  const { ts = '' } = await slackClient(sandbox).chat.postMessage({ channel, text: 'Hello' });
  await slackClient(sandbox).reactions.add({ channel, timestamp: ts, name: 'eyes' });
  const eyes = messages().getByRole('button', { name: /eyes: Your app$/ });
  await eyes.waitFor();
  expect(await eyes.getAttribute('aria-pressed')).toBe('false');
  await eyes.click();
  const both = messages().getByRole('button', { name: 'eyes: Your app, Ana' });
  await both.waitFor();
  expect(await both.getAttribute('aria-pressed')).toBe('true');
  await both.click();
  await eyes.waitFor();
  await messages().getByText('Hello').hover();
  await messages().getByRole('button', { name: 'Add reaction' }).click();
  await page.getByRole('menuitem', { name: 'tada' }).click();
  await messages().getByRole('button', { name: 'tada: Ana' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(sandbox.workspace.events('reaction_added')).toMatchObject([
    { event: { user: 'U0APP' } },
    { event: { user: 'U0ANA', reaction: 'eyes' } },
    { event: { user: 'U0ANA', reaction: 'tada' } },
  ]);
});
