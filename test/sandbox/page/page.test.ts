import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Answer, type Received, type Receiver, startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';

const channel = 'C0DEPLOYS';
let browser: Browser;
let sandbox: Sandbox;
let app: Receiver;
let page: Page;
let answer: (request: Received) => Answer | Promise<Answer>;
let complaints: string[];

beforeAll(async () => {
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
});
afterAll(() => browser.close());

beforeEach(async () => {
  answer = ({ path }) =>
    path === '/v1/approvals' ? { status: 202, body: '{"id":"0.r1"}' } : { status: 200 };
  complaints = [];
  app = await startReceiver((request) => answer(request));
  sandbox = await startSandbox({ botUrl: app.url });
  page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(sandbox.url);
});
afterEach(async () => {
  await page.close();
  await sandbox.close();
  await app[Symbol.asyncDispose]();
});

const message = (state: string) => ({
  channel,
  text: state,
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'Deploy 4.2' } },
    { type: 'section', text: { type: 'mrkdwn', text: state } },
    {
      type: 'section',
      fields: [{ type: 'mrkdwn', text: '*Version*\n`4.2`' }],
    },
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'yes', text: { type: 'plain_text', text: 'Approve' } },
      ],
    },
  ],
});
const log = () => page.getByRole('log');
const hint = () => page.getByRole('status');
const focused = () => page.evaluate('document.activeElement.textContent');

describe('the page', () => {
  it('tells a visitor what to press, and lets the automation ask', async () => {
    await page.getByText('An approval, from question to answer').waitFor();
    expect(await hint().textContent()).toContain('Press “Ask for approval”');
    await page.getByLabel('What needs an approval?').fill('Deploy 9');
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    const automation = page.getByRole('complementary', { name: 'Automation' });
    await automation.getByText('A1 Deploy 9').waitFor();
    await page.getByText('Press Approve or Reject in #deployments.').waitFor();
    expect(JSON.parse(app.received[0]?.body ?? '')).toMatchObject({
      title: 'Deploy 9',
      requestedBy: { slackUser: 'U0CLEO' },
    });
    expect(complaints).toEqual([]);
  });

  it('draws a message as it comes and changes', async () => {
    const client = slackClient(sandbox);
    const words =
      ':hourglass: *Waiting* for <@U0BEN> & <!subteam^S0REL>, _1 &lt; 2_ <https://x.example|build>';
    await client.apiCall('chat.postMessage', message(words));
    await log().getByRole('heading', { name: 'Deploy 4.2' }).waitFor();
    const text = await log().textContent();
    expect(text).toContain('⌛ Waiting for @Ben & @release-managers, 1 < 2 build');
    expect(await log().locator('strong', { hasText: 'Waiting' }).count()).toBe(1);
    expect(await log().locator('em').textContent()).toBe('1 < 2');
    expect(await log().locator('code').textContent()).toBe('4.2');
    expect(await log().getByRole('link').getAttribute('href')).toBe('https://x.example');
    const ts = sandbox.workspace.messages(channel)[0]?.ts ?? '';
    await client.chat.update({ channel, ts, text: 'Approved by <@U0ANA>' });
    await log().getByText('Approved by @Ana').waitFor();
    expect(await log().getByRole('button').count()).toBe(0);
  });

  it('takes nothing in a message as HTML or as a script', async () => {
    const text = '<javascript:alert(1)|link> &lt;img src=x onerror=alert(1)&gt; <b>';
    await slackClient(sandbox).chat.postMessage({ channel, text });
    await log().getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await log().locator('img, script, a[href]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows times in the reader’s time zone', async () => {
    const seconds = Date.UTC(2026, 0, 15, 23, 30) / 1000;
    const text = `Until <!date^${seconds}^{date_num} {time}|later>`;
    await slackClient(sandbox).chat.postMessage({ channel, text });
    await log().getByText('Until 16/01/2026 00:30').waitFor();
    await page.getByLabel('You are').selectOption('U0CLEO');
    await log().getByText('Until 15/01/2026 18:30').waitFor();
  });

  it('sends a press as the person that is chosen', async () => {
    await slackClient(sandbox).apiCall('chat.postMessage', message('Waiting'));
    await page.getByLabel('You are').selectOption('U0BEN');
    await log().getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => app.received.length).toBe(1);
    const payload = JSON.parse(new URLSearchParams(app.received[0]?.body).get('payload') ?? '');
    expect(payload).toMatchObject({ user: { id: 'U0BEN' }, actions: [{ action_id: 'yes' }] });
  });

  it('says so when the app does not acknowledge', async () => {
    answer = () => ({ status: 500 });
    await slackClient(sandbox).apiCall('chat.postMessage', message('Waiting'));
    await log().getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Operation failed: the app responded with status code 500.').waitFor();
  });

  it('says so when the intake refuses', async () => {
    answer = () => ({ status: 401 });
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('The bot’s intake answered with status 401.').waitFor();
  });

  it('says so when the bot was not asked about an approval', async () => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.timeOut(token);
    await page.getByRole('button', { name: 'Tell the bot to look' }).click();
    await page.getByText('The bot was not asked about this approval.').waitFor();
  });

  it('shows threads, words for one person, and what is new elsewhere', async () => {
    const client = slackClient(sandbox);
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'Parent' });
    await client.chat.postMessage({ channel, text: 'Later' });
    await client.chat.postMessage({ channel, text: 'Reply', thread_ts: ts });
    await client.chat.postEphemeral({ channel, user: 'U0ANA', text: 'Psst' });
    await client.chat.postMessage({ channel: 'U0ANA', text: 'For Ana' });
    await log().getByText('Only visible to you').waitFor();
    expect(await log().locator('.body > p:nth-of-type(2)').allTextContents()).toEqual([
      'Parent',
      'Reply',
      'Later',
      'Psst',
    ]);
    const direct = page.getByRole('button', { name: 'Gatepost to you 1 new' });
    await direct.click();
    await log().getByText('For Ana').waitFor();
    await page.getByLabel('You are').selectOption('U0BEN');
    await log().getByText('Nothing here yet.').waitFor();
  });

  it('decides elsewhere, lets time run out, and asks the bot to look', async () => {
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByRole('button', { name: 'Reject elsewhere' }).click();
    await page.getByText('rejected · in the service itself').waitFor();
    expect(sandbox.service.approvals()).toMatchObject([{ status: 'REJECTED' }]);
    await page.getByRole('button', { name: 'Tell the bot to look' }).click();
    await expect.poll(() => app.received.at(-1)?.path).toBe('/v1/approvals/0.r1/check');
    const { token = '' } = sandbox.service.approvals()[0] ?? {};
    await fetch(`${sandbox.serviceUrl}/api/v1/automation/approvals/${token}`);
    await page.getByRole('button', { name: 'Tell the bot to look' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByRole('button', { name: 'Let time run out' }).click();
    await page.getByText('timed out').waitFor();
  });

  it('shows what the service received, and no token', async () => {
    const { token } = sandbox.service.createApproval({ prompt: 'Deploy?' });
    const approval = `${sandbox.serviceUrl}/api/v1/automation/approvals/${token}`;
    await fetch(approval);
    await fetch(approval, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'approve', userId: sandbox.service.users()[0]?.id }),
    });
    await page.getByText('approved · by Ana Reyes').waitFor();
    const requests = page.getByRole('list', { name: 'Requests, newest first' });
    expect(await requests.getByRole('listitem').allTextContents()).toEqual([
      'POST answer to A1 → 200',
      'GET status of A1 → 200',
    ]);
    const state = await (await fetch(`${sandbox.url}/sandbox/v1/state`)).text();
    const secrets = [token, ...Object.values(sandbox.credentials)];
    for (const text of [state, await page.content()]) {
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  it('says that the demo has ended, and goes on when it is started again', async () => {
    await slackClient(sandbox).apiCall('chat.postMessage', message('Waiting'));
    const approve = log().getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    await sandbox.close();
    await hint().getByText('The demo has ended. Start it again.').waitFor();
    await approve.click();
    await log().getByText('The demo has ended. Start it again.').waitFor();
    expect(await page.locator('#trouble').textContent()).toBe(
      'The demo has ended. Start it again.',
    );
    expect(await approve.getAttribute('aria-disabled')).toBeNull();
    const port = Number(new URL(sandbox.url).port);
    sandbox = await startSandbox({ botUrl: app.url, port });
    await hint().getByText('Press “Ask for approval”').waitFor();
    expect(await page.locator('#trouble').textContent()).toBe('');
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('A1 Deploy 4.2 to production').waitFor();
  });

  it('follows the sandbox again after something else answered in its place', async () => {
    const events = '**/sandbox/v1/events';
    await page.route(events, (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await hint().getByText('The demo has ended. Start it again.').waitFor();
    await page.unroute(events);
    await hint().getByText('Press “Ask for approval”').waitFor();
  });

  it('says in a sentence that a title is blank', async () => {
    await page.getByLabel('What needs an approval?').fill('  ');
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('Write what needs an approval.', { exact: true }).waitFor();
  });

  it('keeps the person over a reload, in the address', async () => {
    await page.getByLabel('You are').selectOption('U0BEN');
    await page.waitForURL(/#U0BEN$/);
    await page.reload();
    await hint().getByText('Press “Ask for approval”').waitFor();
    expect(await page.getByLabel('You are').inputValue()).toBe('U0BEN');
    await page.goto(`${sandbox.url}/#U0NOBODY`);
    await expect.poll(() => page.getByLabel('You are').inputValue()).toBe('U0ANA');
  });

  it('lists the channels that the person is in', async () => {
    const channels = () => page.getByRole('navigation').getByRole('button').allTextContents();
    await expect.poll(channels).toEqual(['#deployments', '#releases', 'Gatepost to you']);
    await page.getByRole('button', { name: '#releases' }).click();
    await page.getByRole('heading', { name: '#releases' }).waitFor();
    await page.getByLabel('You are').selectOption('U0STR');
    await page.getByRole('heading', { name: '#deployments' }).waitFor();
    await expect.poll(channels).toEqual(['#deployments', 'Gatepost to you']);
  });

  it('shows the newest message after asking, also to somebody who had scrolled up', async () => {
    const client = slackClient(sandbox);
    for (const line of ['a', 'b', 'c', 'd']) {
      await client.chat.postMessage({ channel, text: `${line}\n`.repeat(12) });
    }
    const fromEnd = () => log().evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    await log().getByRole('article').nth(3).waitFor();
    await log().evaluate((it) => it.scrollTo(0, 0));
    expect(await fromEnd()).toBeGreaterThan(400);
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await expect.poll(fromEnd).toBeLessThan(2);
    await client.chat.postMessage({ channel, text: 'Newest' });
    await log().getByText('Newest').waitFor();
    expect(await fromEnd()).toBeLessThan(2);
  });

  it('fits into a narrow window, whatever the title', async () => {
    await page.setViewportSize({ width: 380, height: 700 });
    await page.getByLabel('What needs an approval?').fill('a'.repeat(140));
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('waiting', { exact: true }).waitFor();
    expect(await page.locator('.approval').evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(
      0,
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    expect((await hint().boundingBox())?.width).toBeGreaterThan(300);
  });

  it('keeps the focus on a button that works, and presses it once', async () => {
    const waiting: ((given: Answer) => void)[] = [];
    answer = () => new Promise((resolve) => waiting.push(resolve));
    await slackClient(sandbox).apiCall('chat.postMessage', message('Waiting'));
    const approve = log().getByRole('button', { name: 'Approve' });
    await approve.press('Enter');
    await expect.poll(() => waiting.length).toBe(1);
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await approve.press('Enter');
    for (const give of waiting) give({ status: 200 });
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBeNull();
    expect(await focused()).toBe('Approve');
    expect(app.received).toHaveLength(1);
  });

  it('keeps the focus on the same control of a message that changes, then on the message', async () => {
    const client = slackClient(sandbox);
    await client.apiCall('chat.postMessage', message('Waiting'));
    await log().getByRole('button', { name: 'Approve' }).focus();
    const ts = sandbox.workspace.messages(channel)[0]?.ts ?? '';
    await client.apiCall('chat.update', { ...message('1 of 2'), ts });
    await log().getByText('1 of 2').waitFor();
    expect(await focused()).toBe('Approve');
    await client.chat.update({ channel, ts, text: 'Approved' });
    await log().getByText('Approved').waitFor();
    expect(await focused()).toContain('Approved');
  });

  it('keeps the focus on the approval that was decided, and on the channel that was opened', async () => {
    sandbox.service.createApproval();
    await page.getByRole('button', { name: 'Approve elsewhere' }).press('Enter');
    await page.getByRole('button', { name: 'Tell the bot to look' }).waitFor();
    expect(await focused()).toContain('A1');
    await page.getByRole('button', { name: '#releases' }).press('Enter');
    await page.getByRole('heading', { name: '#releases' }).waitFor();
    expect(await focused()).toBe('#releases');
  });

  it('keeps the focus while other messages come', async () => {
    const client = slackClient(sandbox);
    await client.apiCall('chat.postMessage', message('Waiting'));
    const button = log().getByRole('button', { name: 'Approve' });
    await button.focus();
    await client.chat.postMessage({ channel, text: 'Another' });
    await log().getByText('Another').waitFor();
    expect(await button.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
  });

  it('takes writes as JSON only', async () => {
    const ask = (type: string) =>
      fetch(`${sandbox.url}/sandbox/v1/ask`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"title":"Deploy"}',
      });
    expect((await ask('text/plain')).status).toBe(422);
    expect(sandbox.service.approvals()).toEqual([]);
    expect((await ask('application/json')).status).toBe(200);
    expect((await fetch(`${sandbox.url}/page/page-state.ts`)).status).toBe(404);
  });
});
