import { expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { channel, log, pageStage } from './page-stage.ts';

const stage = pageStage();
const person = () => stage.page.getByLabel('You are');

it('replies appear in their thread, and ephemeral messages only to their person', async () => {
  const client = slackClient(stage.sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'Parent' });
  await client.chat.postMessage({ channel, text: 'Later' });
  await client.chat.postMessage({ channel, text: 'Reply', thread_ts: ts });
  await client.chat.postEphemeral({ channel, user: 'U0ANA', text: 'Psst' });
  await log(stage).getByText('Only visible to you').waitFor();
  const texts = () => log(stage).locator('.message-body > p:nth-of-type(2)').allTextContents();
  expect(await texts()).toEqual(['Parent', 'Later', 'Psst']);
  await log(stage).getByRole('button', { name: '1 reply' }).click();
  const thread = stage.page.getByRole('log', { name: 'Messages in the thread' });
  await thread.getByText('Reply', { exact: true }).waitFor();
  await stage.page.getByRole('button', { name: 'Close thread' }).press('Enter');
  await thread.waitFor({ state: 'detached' });
  await person().selectOption('U0BEN');
  await log(stage).getByText('Psst').waitFor({ state: 'detached' });
});

it('new messages elsewhere are marked until they are read', async () => {
  const client = slackClient(stage.sandbox);
  await client.chat.postMessage({ channel: 'U0ANA', text: 'For Ana' });
  await client.chat.postMessage({ channel: 'C0OUTCOMES', text: 'For all' });
  const direct = stage.page.getByRole('button', { name: 'Gatepost 1 for you' });
  await stage.page.getByRole('button', { name: 'releases new messages' }).waitFor();
  await direct.click();
  await log(stage).getByText('For Ana').waitFor();
  await direct.waitFor({ state: 'detached' });
  await stage.page.reload();
  await stage.page.getByRole('button', { name: 'Gatepost', exact: true }).waitFor();
  await person().selectOption('U0BEN');
  await log(stage).getByText('Nothing yet.').waitFor();
});

it('a line is drawn above messages that arrived while the person was elsewhere', async () => {
  const client = slackClient(stage.sandbox);
  await client.chat.postMessage({ channel, text: 'Known' });
  await log(stage).getByText('Known').waitFor();
  await stage.page.getByRole('button', { name: 'releases' }).click();
  await stage.page.getByRole('heading', { name: 'releases' }).waitFor();
  await client.chat.postMessage({ channel, text: 'Fresh' });
  await stage.page.getByRole('button', { name: 'deployments new messages' }).click();
  const texts = () =>
    log(stage).locator('.new-line, .message-body > p:nth-of-type(2)').allTextContents();
  await expect.poll(texts).toEqual(['Known', 'New', 'Fresh']);
});

it('buttons do nothing while the page switches to another person', async () => {
  await slackClient(stage.sandbox).chat.postMessage({ channel, text: 'Text' });
  let letThrough = (): void => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await stage.page.route('**/live?user=U0BEN', (route) => held.then(() => route.continue()));
  await person().selectOption('U0BEN');
  const takesClicks = () =>
    stage.page.evaluate(
      'getComputedStyle(document.querySelector(".log")).pointerEvents !== "none"',
    );
  await expect.poll(takesClicks).toBe(false);
  letThrough();
  await expect.poll(takesClicks).toBe(true);
});

it('the link to a second window names another person who can decide', async () => {
  const second = stage.page.getByRole('link', { name: 'Be Ben in a second window' });
  const [window] = await Promise.all([stage.page.waitForEvent('popup'), second.click()]);
  await expect.poll(() => window.getByLabel('You are').inputValue()).toBe('U0BEN');
  await window.waitForFunction('document.title.startsWith("#deployments as Ben")');
});

it('the person is kept in the address, and after a reload', async () => {
  await person().selectOption('U0BEN');
  await stage.page.waitForURL(/\?as=U0BEN$/);
  await stage.page.reload();
  await expect.poll(() => person().inputValue()).toBe('U0BEN');
  await stage.page.goBack();
  await expect.poll(() => person().inputValue()).toBe('U0ANA');
  await stage.page.goto(`${stage.sandbox.url}/?as=U0NOBODY`);
  await expect.poll(() => person().inputValue()).toBe('U0ANA');
});

it('lists the channels that the person is in', async () => {
  const channels = () =>
    stage.page.getByRole('navigation', { name: 'Workspace' }).getByRole('button').allTextContents();
  await expect
    .poll(channels)
    .toEqual(['deployments', 'releases', 'random', 'security', 'Gatepost']);
  await stage.page.getByRole('button', { name: 'releases' }).click();
  await stage.page.getByRole('heading', { name: 'releases' }).waitFor();
  await person().selectOption('U0STR');
  await stage.page.getByRole('heading', { name: 'deployments' }).waitFor();
  await expect.poll(channels).toEqual(['deployments', 'Gatepost']);
});

it('a permalink leads to its message, also in a thread', async () => {
  const client = slackClient(stage.sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'Sought' });
  const reply = await client.chat.postMessage({ channel, text: 'Deep', thread_ts: ts });
  for (const line of ['a', 'b']) {
    await client.chat.postMessage({ channel, text: `${line}\n`.repeat(30) });
  }
  const link = async (message_ts = '') => {
    const { permalink } = await client.chat.getPermalink({ channel, message_ts });
    return permalink ?? '';
  };
  await client.chat.postMessage({ channel: 'C0OUTCOMES', text: `<${await link(ts)}|There>` });
  await stage.page.getByRole('button', { name: 'releases' }).click();
  await stage.page.getByRole('link', { name: 'There' }).click();
  const sought = log(stage).getByText('Sought');
  await sought.waitFor();
  const box = await log(stage).boundingBox();
  const at = await sought.boundingBox();
  expect(at?.y).toBeGreaterThan(box?.y ?? 0);
  await stage.page.goto(await link(reply.ts));
  const thread = stage.page.getByRole('log', { name: 'Messages in the thread' });
  await thread.locator('.sought', { hasText: 'Deep' }).waitFor();
});

it('the newest message stays in view while the reader is there, and the position is kept otherwise', async () => {
  const client = slackClient(stage.sandbox);
  for (const line of ['a', 'b', 'c', 'd']) {
    await client.chat.postMessage({ channel, text: `${line}\n`.repeat(12) });
  }
  const fromEnd = () =>
    log(stage).evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
  await log(stage).getByRole('article').nth(3).waitFor();
  await expect.poll(fromEnd).toBeLessThan(2);
  // The page knows that its reader is elsewhere once it has the scroll event.
  await log(stage).evaluate((it) => {
    const told = new Promise((resolve) => it.addEventListener('scroll', resolve, { once: true }));
    it.scrollTo(0, 0);
    return told.then(() => undefined);
  });
  await client.chat.postMessage({ channel, text: 'Newest' });
  await log(stage).getByText('Newest').waitFor();
  expect(await fromEnd()).toBeGreaterThan(400);
});
