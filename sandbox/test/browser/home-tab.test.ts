import { expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { manifest } from '../workspace/app-world.ts';
import { choose } from './on-the-page.ts';
import { log, pageStage } from './page-stage.ts';
import { violationsInBoth } from './violations.ts';

const stage = pageStage({ manifest });
const plain = (text: string) => ({ type: 'plain_text', text });
const words = (text: string) => ({ type: 'mrkdwn', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const button = (text: string, more: object = {}) => ({
  type: 'button',
  action_id: text,
  text: plain(text),
  ...more,
});
const row = (...elements: object[]) => ({ type: 'actions', block_id: 'row', elements });
const spaces = [option('Platform', 'p1'), option('Mobile', 'p2')];

/** Everything that a Home tab can have, some of it long. */
const everything = [
  { type: 'header', text: plain('Waiting for you :hourglass:') },
  { type: 'context', elements: [words('3 requests · as of 10:32'), plain('more')] },
  { type: 'divider' },
  ...['Deploy 4.2 to production', `Deploy ${'x'.repeat(120)}`].map((title, place) => ({
    type: 'section',
    block_id: `request-${place}`,
    text: words(`*${title}*\nAsked by <@U0BEN> for <!subteam^S0REL>, until 18:00`),
    accessory: button('Open', { style: 'primary' }),
  })),
  {
    type: 'section',
    block_id: 'more',
    text: words('Rotate keys'),
    fields: [words('*Route*\nproduction'), words('*Version*\n`4.2`')],
    accessory: { type: 'overflow', action_id: 'more', options: [option('Hide', 'h')] },
  },
  row(
    button('New case'),
    button('Clear', { style: 'danger' }),
    { type: 'static_select', action_id: 'space', placeholder: plain('Space'), options: spaces },
    { type: 'datepicker', action_id: 'day' },
  ),
  {
    type: 'input',
    block_id: 'words',
    label: plain('Search'),
    element: { type: 'plain_text_input', action_id: 'typed' },
  },
  {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'Plain words' }] }],
  },
];

const publish = (blocks: readonly object[], user_id = 'U0ANA') =>
  slackClient(stage.sandbox).apiCall('views.publish', { user_id, view: { type: 'home', blocks } });
const actions = () => stage.payloads('block_actions').flatMap((payload) => payload.actions);
const opened = () =>
  stage.sandbox.workspace
    .events('app_home_opened')
    .map(({ event }) => `${event.user} ${event.tab}`);

const app = () => stage.page.getByRole('navigation', { name: 'Workspace' }).getByText('Tryout');
const tab = (name: string) => stage.page.getByRole('tab', { name });
const home = () => stage.page.getByRole('tabpanel', { name: 'Home' });

async function openHome(): Promise<void> {
  await app().click();
  await tab('Home').click();
  await home().waitFor();
}

it('the Home tab shows what the bot published, and the bot is told that it was opened', async () => {
  await openHome();
  await home().getByText('Tryout shows nothing here yet.').waitFor();
  await expect.poll(opened).toEqual(['U0ANA home']);
  await publish([row(button('New case'))]);
  await home().getByRole('button', { name: 'New case' }).click();
  await expect.poll(actions).toMatchObject([{ action_id: 'New case' }]);
  await publish([{ type: 'section', text: words('*Done*') }]);
  await home().getByText('Done').waitFor();
  await tab('Messages').click();
  await log(stage).getByText('Tryout writes here to you alone.').waitFor();
  expect(opened()).toHaveLength(1);
});

it('the bot is told of each person who opens the Home tab, even after a reset', async () => {
  await publish([{ type: 'section', text: words('For Ana') }]);
  await openHome();
  await home().getByText('For Ana').waitFor();
  await stage.page.getByLabel('You are').selectOption('U0BEN');
  await home().getByText('Tryout shows nothing here yet.').waitFor();
  await expect.poll(opened).toEqual(['U0ANA home', 'U0BEN home']);
  await stage.page.reload();
  await home().waitFor();
  await expect.poll(opened).toEqual(['U0ANA home', 'U0BEN home', 'U0BEN home']);
  stage.sandbox.reset();
  await expect.poll(opened).toEqual(['U0BEN home']);
});

it('the Home tab accepts selections and text, and the bot’s modals open on it', async () => {
  await publish(everything);
  await openHome();
  await home().getByLabel('Search').fill('keys');
  await home().getByRole('combobox', { name: 'Space' }).click();
  await stage.page.getByRole('listbox').getByRole('option', { name: 'Mobile' }).click();
  await expect.poll(actions).toMatchObject([{ selected_option: { value: 'p2' } }]);
  await choose(home(), 'Hide');
  await expect.poll(actions).toMatchObject([{}, { type: 'overflow' }]);
  expect(stage.payloads('block_actions').at(-1)?.view.state.values).toMatchObject({
    words: { typed: { value: 'keys' } },
    row: { space: { selected_option: { value: 'p2' } } },
  });
  await home().getByRole('button', { name: 'New case' }).click();
  await expect.poll(actions).toHaveLength(3);
  const { trigger_id } = stage.payloads('block_actions').at(-1) ?? {};
  const view = { type: 'modal', title: plain('New case'), blocks: [] };
  await slackClient(stage.sandbox).apiCall('views.open', { trigger_id, view });
  const dialog = stage.page.getByRole('dialog', { name: 'New case' });
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  stage.answer = () => ({ status: 500 });
  await home().getByRole('button', { name: 'Clear' }).click();
  await home().getByText('Operation failed').waitFor();
});

it('new messages in the meantime are counted', async () => {
  await openHome();
  await slackClient(stage.sandbox).chat.postMessage({ channel: 'U0ANA', text: 'For Ana' });
  const counted = stage.page.getByRole('button', { name: 'Tryout 1 for you' });
  await counted.waitFor();
  await tab('Messages').click();
  await log(stage).getByText('For Ana').waitFor();
  await counted.waitFor({ state: 'detached' });
});

it('the Home tab works by keyboard', async () => {
  await publish([row(button('One'), button('Two'))]);
  await app().click();
  await tab('Messages').focus();
  await stage.page.keyboard.press('ArrowRight');
  await home().waitFor();
  const focused = () => stage.page.evaluate('document.activeElement.textContent');
  expect(await focused()).toBe('Home');
  await stage.page.keyboard.press('End');
  await log(stage).waitFor();
  expect(await focused()).toBe('Messages');
  await stage.page.keyboard.press('ArrowLeft');
  await home().getByRole('button', { name: 'Two' }).press('Enter');
  await expect.poll(actions).toMatchObject([{ action_id: 'Two' }]);
  // The focused element was removed: its container gets the focus.
  await publish([{ type: 'section', text: words('Done') }]);
  await expect.poll(focused).toBe('Done');
});

it.each([390, 1440])(
  'there are no accessibility violations in light or dark colours, and everything fits into %i pixels',
  async (width) => {
    const { page, sandbox } = stage;
    await publish(everything);
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${sandbox.url}/archives/D0ANA?tab=home`);
    await home().getByText('Plain words').waitFor();
    expect(await violationsInBoth(page)).toEqual([]);
    const isWider = 'it => it.scrollWidth > it.clientWidth';
    expect(
      await page.evaluate(`[...document.querySelectorAll('body, .home')].some(${isWider})`),
    ).toBe(false);
  },
);
