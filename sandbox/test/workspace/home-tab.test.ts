import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { type AppWorld, manifest, startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';

let world: AppWorld;
beforeEach(async () => {
  world = await startAppWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const user = 'U0ANA';
const inHome = { user, surface: 'home' } as const;
const plain = (text: string) => ({ type: 'plain_text', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const slack = (method: string, args: Record<string, unknown>) =>
  slackClient(world.sandbox).apiCall(method, args);

const go = { type: 'button', action_id: 'go', text: plain('Go'), value: 'v' };
const space = {
  type: 'static_select',
  action_id: 'space',
  placeholder: plain('Space'),
  options: [option('Platform', 'p1'), option('Mobile', 'p2')],
};
const more = { type: 'overflow', action_id: 'more', options: [option('Hide', 'h')] };
const find = { type: 'external_select', action_id: 'find', placeholder: plain('Find') };
const words = {
  type: 'input',
  block_id: 'words',
  label: plain('Words'),
  element: { type: 'plain_text_input', action_id: 'typed' },
};
const home = {
  type: 'home',
  callback_id: 'start',
  private_metadata: 'kept',
  blocks: [words, { type: 'actions', block_id: 'row', elements: [go, space, more, find] }],
};

async function publish(view: object = home): Promise<void> {
  await slack('views.publish', { user_id: user, view });
}

/** The last payload that the app received. */
const heard = (type = 'block_actions') => world.payloads(type).at(-1);

async function opened(tab?: 'home' | 'messages'): Promise<Readonly<Record<string, unknown>>> {
  const { workspace, until } = world.sandbox;
  const before = workspace.events('app_home_opened').length;
  workspace.openHome(user, tab);
  const { event } = await until(() => workspace.events('app_home_opened')[before]);
  return event;
}

describe('opening the home tab', () => {
  it('sends the app who opened it, with the view published before', async () => {
    const first = await opened();
    expect(first).toEqual({
      type: 'app_home_opened',
      user,
      channel: 'D0ANA',
      tab: 'home',
      event_ts: expect.stringMatching(/^\d+\.\d{6}$/),
    });
    await publish();
    const { workspace } = world.sandbox;
    expect(await opened()).toMatchObject({ tab: 'home', view: workspace.home(user) });
    expect(await opened('messages')).not.toHaveProperty('view');
  });

  it('sends an event only if the app subscribed to it', async () => {
    const deaf = manifest.replace('app_home_opened, ', '');
    await using other = await startAppWorld({ manifest: deaf });
    other.sandbox.workspace.openHome(user);
    expect(other.sandbox.workspace.events()).toEqual([]);
    const published = { user_id: user, view: home };
    expect(await slackClient(other.sandbox).apiCall('views.publish', published)).toMatchObject({
      ok: true,
    });
  });

  it.each(['U0NOBODY', 'U0DEL', 'U0BOTX'])('is not possible for %s', (nobody) => {
    expect(() => world.sandbox.workspace.openHome(nobody)).toThrow('cannot sign in');
  });

  it('needs a tab in the manifest', async () => {
    const tabs = 'app_home: { home_tab_enabled: true, messages_tab_enabled: false }';
    const without = manifest.replace('app_home: { home_tab_enabled: true }', tabs);
    await using other = await startAppWorld({ manifest: without });
    const open = () => other.sandbox.workspace.openHome(user, 'messages');
    expect(open).toThrow('The app has no messages tab.');
  });
});

describe('an element of the Home tab', () => {
  proof('button in the home tab', 'sends the view, and no message', async () => {
    const { workspace } = world.sandbox;
    await expect(workspace.click({ ...inHome, label: 'Go' })).rejects.toThrow('no home open');
    await publish();
    const view = workspace.home(user);
    await workspace.click({ ...inHome, label: 'Go' });
    const payload = heard();
    expect(payload).toMatchObject({
      user: { id: user, team_id: 'T0ACME' },
      container: { type: 'view', view_id: view?.id },
      trigger_id: expect.any(String),
      view: {
        ...view,
        callback_id: 'start',
        private_metadata: 'kept',
        root_view_id: view?.id,
        previous_view_id: null,
      },
      actions: [{ action_id: 'go', block_id: 'row', type: 'button', value: 'v' }],
    });
    for (const member of ['message', 'channel', 'response_url', 'state']) {
      expect(payload).not.toHaveProperty(member);
    }
  });

  proof('choice in the home tab', 'sends its value at once, and keeps it', async () => {
    await publish();
    const { workspace } = world.sandbox;
    expect(await workspace.choose({ ...inHome, input: 'Words', value: 'typed' })).toMatchObject({
      sent: false,
    });
    await workspace.choose({ ...inHome, input: 'Space', value: 'Mobile' });
    const state = {
      values: {
        words: { typed: { value: 'typed' } },
        row: { space: { selected_option: { value: 'p2' } } },
      },
    };
    expect(heard()).toMatchObject({
      view: { state },
      actions: [{ action_id: 'space', selected_option: { value: 'p2' } }],
    });
    await workspace.choose({ ...inHome, input: 'more', value: 'Hide' });
    expect(heard()).toMatchObject({
      view: { state },
      actions: [{ type: 'overflow', selected_option: { value: 'h' } }],
    });
    await publish();
    expect(workspace.home(user)).toMatchObject({ state });
  });

  it('asks the app for options', async () => {
    await publish();
    world.answer(() => ({ status: 200, body: JSON.stringify({ options: space.options }) }));
    const { workspace } = world.sandbox;
    const { options } = await workspace.suggest({ ...inHome, input: 'Find', typed: 'mob' });
    expect(options).toEqual(space.options);
    const view_id = workspace.home(user)?.id;
    expect(heard('block_suggestion')).toMatchObject({
      container: { type: 'view', view_id },
      view: { type: 'home' },
    });
    await workspace.choose({ ...inHome, input: 'Find', value: 'Mobile' });
    expect(heard()).toMatchObject({ actions: [{ selected_option: { value: 'p2' } }] });
  });

  it('can open a modal, and the tab stays as it was', async () => {
    await publish();
    const { workspace } = world.sandbox;
    const before = workspace.home(user);
    await workspace.click({ ...inHome, actionId: 'go' });
    const view = { type: 'modal', title: plain('Sure?'), submit: plain('Yes'), blocks: [] };
    await slack('views.open', { trigger_id: heard()?.trigger_id, view });
    const modal = workspace.modal(user);
    expect(modal).toMatchObject({ title: { text: 'Sure?' }, previous_view_id: null });
    expect(modal?.root_view_id).toBe(modal?.id);
    await workspace.submit({ user });
    expect(workspace.modal(user)).toBeUndefined();
    expect(workspace.home(user)).toEqual(before);
  });
});

it('each person has one Home view, with a new hash after every change', async () => {
  const { workspace } = world.sandbox;
  await publish();
  await slack('views.publish', { user_id: 'U0BEN', view: { ...home, blocks: [] } });
  const first = workspace.home(user);
  expect(workspace.home('U0BEN')?.id).not.toBe(first?.id);
  await publish({ ...home, callback_id: 'next' });
  const second = workspace.home(user);
  expect(second).toMatchObject({ id: first?.id, callback_id: 'next' });
  const view_id = first?.id;
  await slack('views.update', { view_id, hash: second?.hash, view: home });
  const third = workspace.home(user);
  expect(third).toMatchObject({ id: first?.id, type: 'home', callback_id: 'start' });
  expect(new Set([first, second, third].map((view) => view?.hash)).size).toBe(3);
  const late = slack('views.update', { view_id, hash: second?.hash, view: home });
  await expect(late).rejects.toThrow('hash_conflict');
  const modal = { type: 'modal', title: plain('Other'), blocks: [] };
  await expect(slack('views.update', { view_id, view: modal })).rejects.toThrow(
    'invalid_arguments',
  );
  expect(workspace.home('U0BEN')).toMatchObject({ blocks: [] });
});
