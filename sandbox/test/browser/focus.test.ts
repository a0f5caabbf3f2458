import { expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { channel, log, message, pageStage } from './page-stage.ts';

const stage = pageStage();
/** The focused element: its tag and its text; if it is the body, nothing has the focus. */
const focused = () =>
  stage.page.evaluate(
    '(({ tagName, textContent }) => [tagName, textContent].join(" "))(document.activeElement)',
  );

it('keeps the focus on the same control of a message that changes, then on the message', async () => {
  const client = slackClient(stage.sandbox);
  await client.apiCall('chat.postMessage', message('Waiting'));
  await log(stage).getByRole('button', { name: 'Approve' }).focus();
  const ts = stage.sandbox.workspace.messages(channel)[0]?.ts ?? '';
  await client.apiCall('chat.update', { ...message('1 of 2'), ts });
  await log(stage).getByText('1 of 2').waitFor();
  expect(await focused()).toBe('BUTTON Approve');
  await client.chat.update({ channel, ts, text: 'Approved' });
  await log(stage).getByText('Approved').waitFor();
  await expect.poll(focused).toMatch(/^ARTICLE .*Approved/);
});

it('keeps the focus on the approval that was decided, and on the channel that was opened', async () => {
  stage.sandbox.service.createApproval();
  await stage.page.getByRole('button', { name: 'Approve elsewhere' }).press('Enter');
  await stage.page.getByRole('button', { name: 'Tell the bot to check' }).waitFor();
  await expect.poll(focused).toMatch(/^ARTICLE A1/);
  await stage.page.getByRole('button', { name: 'releases' }).press('Enter');
  await stage.page.getByRole('heading', { name: 'releases' }).waitFor();
  expect(await focused()).toBe('BUTTON releases');
});

it('keeps the focus while other messages come', async () => {
  const client = slackClient(stage.sandbox);
  await client.apiCall('chat.postMessage', message('Waiting'));
  const button = log(stage).getByRole('button', { name: 'Approve' });
  await button.focus();
  await client.chat.postMessage({ channel, text: 'Another' });
  await log(stage).getByText('Another').waitFor();
  expect(await button.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
});

it('gives the focus back to the replies when their thread is closed', async () => {
  const client = slackClient(stage.sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'Parent' });
  await client.chat.postMessage({ channel, text: 'Reply', thread_ts: ts });
  await log(stage).getByRole('button', { name: '1 reply' }).press('Enter');
  await stage.page.getByRole('button', { name: 'Close thread' }).press('Enter');
  await stage.page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' });
  await expect.poll(focused).toMatch(/^BUTTON .*1 reply/);
});

it('gives the focus to the message when the button that opened a modal has gone in the meantime', async () => {
  const client = slackClient(stage.sandbox);
  await client.apiCall('chat.postMessage', message('Waiting'));
  await log(stage).getByRole('button', { name: 'Approve' }).press('Enter');
  await expect.poll(() => stage.payloads('block_actions').length).toBe(1);
  const title = { type: 'plain_text', text: 'Why?' };
  const blocks = [{ type: 'section', text: title }];
  await client.apiCall('views.open', {
    trigger_id: stage.payloads('block_actions')[0].trigger_id,
    view: { type: 'modal', title, blocks },
  });
  await stage.page.getByRole('dialog').waitFor();
  const ts = stage.sandbox.workspace.messages(channel)[0]?.ts ?? '';
  await client.chat.update({ channel, ts, text: 'Approved' });
  await stage.page.keyboard.press('Escape');
  await stage.page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(focused).toMatch(/^ARTICLE .*Approved/);
});
