import { expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { manifest } from '../workspace/app-world.ts';
import { choose, linkOf } from './on-the-page.ts';
import { channel, log, pageStage } from './page-stage.ts';
import { violations } from './violations.ts';

const stage = pageStage({ manifest });
const plain = (text: string) => ({ type: 'plain_text', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const sure = {
  title: plain('Sure?'),
  text: plain('It is gone then.'),
  confirm: plain('Delete'),
  deny: plain('Keep'),
};

async function post(...elements: object[]): Promise<void> {
  const blocks = [{ type: 'actions', block_id: 'row', elements }];
  await slackClient(stage.sandbox).apiCall('chat.postMessage', { channel, text: 'Text', blocks });
}

const actions = () => stage.payloads('block_actions').flatMap((payload) => payload.actions);

it('a button with a confirmation asks first', async () => {
  await post({ type: 'button', action_id: 'burn', text: plain('Burn'), confirm: sure });
  const burn = log(stage).getByRole('button', { name: 'Burn' });
  const dialog = stage.page.getByRole('dialog', { name: 'Sure?' });
  await burn.click();
  await dialog.getByText('It is gone then.').waitFor();
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await dialog.waitFor({ state: 'detached' });
  await burn.click();
  await stage.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await burn.click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(actions).toMatchObject([{ action_id: 'burn' }]);
});

it('attachments are shown with their buttons, under the message’s own name', async () => {
  await slackClient(stage.sandbox).apiCall('chat.postMessage', {
    channel,
    username: 'Release robot',
    icon_emoji: ':rocket:',
    attachments: [
      {
        color: 'danger',
        pretext: 'Before it',
        title: 'Build 7',
        title_link: 'https://x.example/7',
        text: '*broken* since today',
        fields: [{ title: 'Branch', value: 'main' }],
        footer: 'After it',
        callback_id: 'build',
        actions: [{ name: 'again', type: 'button', text: 'Build again', value: '7' }],
      },
    ],
  });
  const message = log(stage).getByRole('article').last();
  await message.getByText('Release robot').waitFor();
  const text = await message.textContent();
  for (const words of ['🚀', 'Before it', 'broken since today', 'Branch', 'main', 'After it']) {
    expect(text).toContain(words);
  }
  const link = message.getByRole('link', { name: 'Build 7' });
  expect(await link.getAttribute('href')).toBe('https://x.example/7');
  expect(await violations(stage.page)).toEqual([]);
  await message.getByRole('button', { name: 'Build again' }).click();
  await expect
    .poll(() => stage.payloads('interactive_message'))
    .toMatchObject([{ callback_id: 'build', actions: [{ name: 'again', value: '7' }] }]);
});

it('feedback about an answer can be given', async () => {
  await slackClient(stage.sandbox).apiCall('chat.postMessage', {
    channel,
    blocks: [
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'opinion',
            positive_button: { text: plain('Good'), value: 'good' },
            negative_button: {
              text: plain('Bad'),
              value: 'bad',
              accessibility_label: 'It was bad',
            },
          },
          { type: 'icon_button', action_id: 'away', icon: 'trash', text: plain('Delete') },
        ],
      },
    ],
  });
  for (const name of ['It was bad', 'Good', 'Delete']) {
    await log(stage).getByRole('button', { name }).click();
  }
  await expect.poll(actions).toMatchObject([
    { type: 'feedback_buttons', action_id: 'opinion', value: 'bad', text: { text: 'Bad' } },
    { type: 'feedback_buttons', action_id: 'opinion', value: 'good' },
    { type: 'icon_button', action_id: 'away' },
  ]);
});

it('a button with a URL opens it in a new window, and the bot is told', async () => {
  const url = `${stage.sandbox.url}/?opened`;
  await post(
    {
      type: 'button',
      action_id: 'run',
      text: plain('Open run'),
      url,
      accessibility_label: 'Run 7',
    },
    { type: 'button', action_id: 'log', text: plain('Log ↗'), url },
  );
  const message = log(stage).getByRole('article').last();
  const run = linkOf(message, 'Open run');
  // The bot's text is unchanged.
  const marked = message.getByRole('link').filter({ hasText: '↗' });
  await expect.poll(() => marked.allTextContents()).toEqual(['Log ↗']);
  expect(await message.getByRole('link', { name: 'Run 7' }).count()).toBe(1);
  expect(await run.getAttribute('rel')).toContain('noopener');
  const [opened] = await Promise.all([stage.page.waitForEvent('popup'), run.press('Enter')]);
  await opened.waitForURL(url);
  expect(await opened.evaluate('opener')).toBeNull();
  await opened.close();
  await expect.poll(actions).toMatchObject([{ type: 'button', action_id: 'run', url }]);
});

it('a failed acknowledgement of an opened URL is shown', async () => {
  await post({ type: 'button', action_id: 'run', text: plain('Open run'), url: stage.sandbox.url });
  stage.answer = () => ({ status: 500 });
  const run = linkOf(log(stage), 'Open run');
  const [opened] = await Promise.all([stage.page.waitForEvent('popup'), run.click()]);
  await opened.close();
  await log(stage).getByText('Operation failed').waitFor();
});

it('a URL with a confirmation asks first, and a script is never opened', async () => {
  const url = `${stage.sandbox.url}/?opened`;
  await post(
    { type: 'button', action_id: 'run', text: plain('Open run'), url, confirm: sure },
    { type: 'button', action_id: 'bad', text: plain('Bad'), url: 'javascript:alert(1)' },
  );
  await log(stage).getByRole('button', { name: 'Bad' }).click();
  await expect.poll(actions).toMatchObject([{ action_id: 'bad' }]);
  await log(stage).getByRole('button', { name: 'Open run' }).click();
  const [opened] = await Promise.all([
    stage.page.waitForEvent('popup'),
    stage.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click(),
  ]);
  await opened.waitForURL(url);
  await opened.close();
  await expect.poll(actions).toMatchObject([{ action_id: 'bad' }, { action_id: 'run' }]);
});

it('the menu of a message opens beside its buttons, and in a modal', async () => {
  const menu = {
    type: 'overflow',
    action_id: 'more',
    options: [option('Details', 'd'), option('Help', 'h')],
  };
  await post({ type: 'button', action_id: 'yes', text: plain('Approve') }, menu);
  const message = log(stage).getByRole('article').last();
  expect(await violations(stage.page)).toEqual([]);
  await choose(message, 'Details');
  await expect.poll(actions).toMatchObject([{ selected_option: { value: 'd' } }]);
  const [{ trigger_id }] = stage.payloads('block_actions');
  const blocks = [{ type: 'actions', block_id: 'row', elements: [menu] }];
  const view = { type: 'modal', callback_id: 'v', title: plain('Deploy'), blocks };
  await slackClient(stage.sandbox).apiCall('views.open', { trigger_id, view });
  const dialog = stage.page.getByRole('dialog', { name: 'Deploy' });
  await dialog.getByRole('button', { name: 'More actions' }).click();
  await stage.page.getByRole('menu').waitFor();
  // Only the menu is closed.
  await stage.page.keyboard.press('Escape');
  await stage.page.getByRole('menu').waitFor({ state: 'detached' });
  await choose(dialog, 'Help');
  await expect.poll(actions).toMatchObject([{}, { selected_option: { value: 'h' } }]);
});

it('a menu can be opened by keyboard, and sends what was picked', async () => {
  await post({
    type: 'overflow',
    action_id: 'more',
    options: [option('Rename', 'r'), option('Hide', 'h')],
  });
  const menu = log(stage).getByRole('button', { name: 'More actions' });
  await menu.press('Enter');
  await stage.page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  await stage.page.keyboard.press('Escape');
  await stage.page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await menu.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  await menu.press('Enter');
  await stage.page.keyboard.press('ArrowDown');
  await stage.page.keyboard.press('Enter');
  await expect.poll(actions).toMatchObject([{ selected_option: { value: 'h' } }]);
});

it('a selection in a message is sent at once, and a failure is shown', async () => {
  const options = [option('One', '1'), option('Two', '2')];
  await post(
    { type: 'static_select', action_id: 'pick', placeholder: plain('Pick'), options },
    { type: 'datepicker', action_id: 'day' },
  );
  const box = log(stage).getByRole('combobox', { name: 'Pick' });
  await box.click();
  await stage.page.getByRole('listbox').getByRole('option', { name: 'Two' }).click();
  await log(stage).getByLabel('Date').fill('2026-11-21');
  await expect.poll(actions).toMatchObject([
    { action_id: 'pick', selected_option: { value: '2' } },
    { action_id: 'day', selected_date: '2026-11-21' },
  ]);
  expect(await box.inputValue()).toBe('Two');
  stage.answer = () => ({ status: 500 });
  await box.click();
  await stage.page.getByRole('listbox').getByRole('option', { name: 'One' }).click();
  await log(stage).getByText('Operation failed').waitFor();
});

it('typing filters a select, and Escape leaves it unchanged', async () => {
  const options = [option('Apple', 'a'), option('Pear', 'p')];
  await post({ type: 'static_select', action_id: 'pick', initial_option: options[0], options });
  const box = log(stage).getByRole('combobox');
  await box.click();
  await box.fill('pe');
  const offered = stage.page.getByRole('listbox').getByRole('option');
  await expect.poll(() => offered.allTextContents()).toEqual(['Pear']);
  await box.fill('nothing');
  await stage.page.getByText('No results').waitFor();
  await box.press('Escape');
  await expect.poll(() => box.inputValue()).toBe('Apple');
  expect(actions()).toEqual([]);
});
