import { describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { manifest } from '../workspace/app-world.ts';
import { channel, log, pageStage } from './page-stage.ts';
import { violations } from './violations.ts';

const stage = pageStage({ manifest });
const composer = () => stage.page.getByRole('textbox', { name: 'Message #deployments' });
const forms = () =>
  stage.app.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

describe('the composer', () => {
  it('sends mentions and links, and no HTML', async () => {
    await composer().fill('Ask @Ben in #releases: https://x.example/?a=1&b=2 <b>');
    await composer().press('Enter');
    await log(stage).getByText('Ask @Ben in #releases: https://x.example/?a=1&b=2 <b>').waitFor();
    expect(stage.sandbox.workspace.messages(channel)).toMatchObject([
      {
        user: 'U0ANA',
        text: 'Ask <@U0BEN> in <#C0OUTCOMES>: <https://x.example/?a=1&b=2> &lt;b&gt;',
      },
    ]);
    expect(await composer().inputValue()).toBe('');
  });

  it('begins a new line at Shift and Enter', async () => {
    await composer().fill('one');
    await composer().press('Shift+Enter');
    await composer().pressSequentially('two');
    await composer().press('Enter');
    await expect.poll(() => stage.sandbox.workspace.messages(channel)[0]?.text).toBe('one\ntwo');
  });

  it('offers commands, fills one in by keyboard, and sends it', async () => {
    await composer().pressSequentially('/t');
    await stage.page.getByRole('option', { name: '/try' }).waitFor();
    expect(await violations(stage.page)).toEqual([]);
    await composer().press('Tab');
    expect(await composer().inputValue()).toBe('/try ');
    await stage.page.getByText('/try Try it').waitFor();
    await composer().pressSequentially('now & then');
    await composer().press('Enter');
    await expect
      .poll(() => forms().at(-1))
      .toMatchObject({
        command: '/try',
        text: 'now &amp; then',
        user_id: 'U0ANA',
        channel_id: channel,
      });
    expect(stage.sandbox.workspace.messages(channel)).toEqual([]);
  });

  it('sends a command that was typed in full at the first Enter', async () => {
    await composer().pressSequentially('/try');
    await composer().press('Enter');
    await expect.poll(() => forms().at(-1)?.command).toBe('/try');
  });

  it('shows Slack’s message about a failed command only to that person', async () => {
    stage.answer = () => ({ status: 500 });
    await composer().fill('/try');
    await composer().press('Enter');
    const words = log(stage)
      .getByRole('article', { name: '' })
      .getByText('/try failed with the error');
    await words.waitFor();
    await log(stage).getByText('Only visible to you').waitFor();
    await stage.page.getByLabel('You are').selectOption('U0BEN');
    await words.waitFor({ state: 'detached' });
  });

  it('offers people while their name is typed', async () => {
    await composer().pressSequentially('Hi @be');
    await stage.page.getByRole('option', { name: '@Ben Okafor' }).click();
    await composer().pressSequentially('!');
    await composer().press('Enter');
    await expect
      .poll(() => stage.sandbox.workspace.messages(channel)[0]?.text)
      .toBe('Hi <@U0BEN> !');
  });

  it('replies in a thread, where commands do not work', async () => {
    const { ts = '' } = await slackClient(stage.sandbox).chat.postMessage({
      channel,
      text: 'Parent',
    });
    await log(stage).getByText('Parent').hover();
    await log(stage).getByRole('button', { name: 'Reply in thread' }).click();
    const reply = stage.page.getByRole('textbox', { name: 'Reply…' });
    await reply.fill('/try it');
    await reply.press('Enter');
    await stage.page.getByText('/try is not supported in threads. Sorry!').waitFor();
    expect(await reply.inputValue()).toBe('/try it');
    await reply.fill('An answer');
    await reply.press('Enter');
    await log(stage).getByRole('button', { name: '1 reply' }).waitFor();
    expect(stage.sandbox.workspace.thread(channel, ts).map(({ text }) => text)).toEqual([
      'Parent',
      'An answer',
    ]);
  });

  it('keeps a message that could not be sent', async () => {
    stage.browser.allowComplaints();
    await stage.page.route('**/sandbox/v1/say', (route) => route.abort());
    await composer().fill('Important');
    await composer().press('Enter');
    await stage.page.getByText('The sandbox did not answer.').waitFor();
    expect(await composer().inputValue()).toBe('Important');
  });
});

it('a shortcut can be used on a message', async () => {
  const { ts = '' } = await slackClient(stage.sandbox).chat.postMessage({
    channel,
    text: 'Bug in checkout',
  });
  await log(stage).getByText('Bug in checkout').hover();
  await log(stage).getByRole('button', { name: 'More message actions' }).click();
  await stage.page.getByRole('menuitem', { name: 'Try it' }).click();
  await expect
    .poll(() => stage.payloads('message_action'))
    .toMatchObject([
      {
        callback_id: 'try.message',
        user: { id: 'U0ANA' },
        message_ts: ts,
        message: { text: 'Bug in checkout' },
      },
    ]);
});
