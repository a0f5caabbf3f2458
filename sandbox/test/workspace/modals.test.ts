import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import type { Entered } from '../../workspace/user-actions.ts';
import { slackClient } from '../slack-client.ts';
import { type AppWorld, channel, manifest, startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';

let world: AppWorld;
beforeEach(async () => {
  world = await startAppWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const field = (id: string, label: string, element: object, more: object = {}) => ({
  type: 'input',
  block_id: id,
  label: plain(label),
  element: { action_id: `${id}.input`, ...element },
  ...more,
});
const reason = field('reason', 'Reason', {
  type: 'plain_text_input',
  min_length: 3,
  max_length: 9,
});
const projects = [option('Platform', 'p1'), option('Mobile', 'p2')];
const project = field('project', 'Project', { type: 'static_select', options: projects });
const modal = (blocks: object[], more: object = {}) => ({
  type: 'modal',
  callback_id: 'try',
  private_metadata: 'kept',
  title: plain('Try'),
  submit: plain('Send'),
  blocks,
  ...more,
});

const numbers = { type: 'number_input', is_decimal_allowed: true, min_value: '2', max_value: '9' };
const user = 'U0ANA';
const slack = (method: string, args: Record<string, unknown>) =>
  slackClient(world.sandbox).apiCall(method, args);

async function open(view: object): Promise<void> {
  await world.sandbox.workspace.shortcut({ user, callbackId: 'try.global' });
  const trigger_id = world.payloads('shortcut').at(-1)?.trigger_id;
  await slack('views.open', { trigger_id, view });
}

/** Posts blocks and returns the `ts` of the message. */
async function post(sandbox: Sandbox, blocks: object[]): Promise<string> {
  await slackClient(sandbox).apiCall('chat.postMessage', {
    channel,
    text: 'Text',
    blocks,
  });
  return sandbox.workspace.messages(channel).at(-1)?.ts ?? '';
}

const shown = () => world.sandbox.workspace.modal(user);
const titles = () => (shown()?.title as { text: string } | undefined)?.text;
const answering = (answer: object) =>
  world.answer(() => ({ status: 200, body: JSON.stringify(answer) }));
const submit = (values?: Record<string, Entered>) =>
  world.sandbox.workspace.submit(values ? { user, values } : { user });

describe('a submission', () => {
  it('distinguishes inputs with the same action id in several blocks', async () => {
    const same = { type: 'static_select', action_id: 'status', options: projects };
    await open(modal([field('open', 'Open', same), field('done', 'Done', same)]));
    await submit({ 'open status': 'p1', 'done status': 'p2' });
    expect(world.payloads('view_submission').at(-1)?.view).toMatchObject({
      state: {
        values: {
          open: { status: { selected_option: { value: 'p1' } } },
          done: { status: { selected_option: { value: 'p2' } } },
        },
      },
    });
  });

  proof('view submission', 'has the values of every kind of input', async () => {
    const choices = [option('One', '1'), option('Two', '2')];
    await open(
      modal([
        reason,
        project,
        field('groups', 'Groups', {
          type: 'multi_static_select',
          option_groups: [{ label: plain('Group'), options: choices }],
        }),
        field('radio', 'Radio', { type: 'radio_buttons', options: choices }),
        field('boxes', 'Boxes', { type: 'checkboxes', options: choices }),
        field('who', 'Who', { type: 'users_select', initial_user: 'U0BEN' }),
        field('where', 'Where', { type: 'conversations_select' }, { optional: true }),
        field('channels', 'Channels', { type: 'multi_channels_select' }),
        field('day', 'Day', { type: 'datepicker', initial_date: '2026-11-20' }),
        field('moment', 'Moment', { type: 'datetimepicker' }),
        field('count', 'Count', { type: 'number_input', is_decimal_allowed: false }),
        field('mail', 'Mail', { type: 'email_text_input' }),
        field('link', 'Link', { type: 'url_text_input' }),
      ]),
    );
    await submit({
      'reason.input': 'Because',
      Project: 'Mobile',
      Groups: ['1', 'Two'],
      Radio: 'Two',
      Boxes: ['1'],
      Channels: [channel],
      Moment: 1_800_000_000,
      Count: 3,
      Mail: 'ana@example.com',
      Link: 'https://example.com',
    });
    const [payload] = world.payloads('view_submission');
    expect(payload).toMatchObject({
      user: { id: user, name: 'ana', team_id: 'T0ACME' },
      team: { id: 'T0ACME', domain: 'acme' },
      api_app_id: 'A0APP',
      trigger_id: expect.any(String),
      response_urls: [],
      view: {
        type: 'modal',
        callback_id: 'try',
        private_metadata: 'kept',
        hash: expect.any(String),
        root_view_id: expect.any(String),
        previous_view_id: null,
        app_id: 'A0APP',
        bot_id: 'B0APP',
        state: {
          values: {
            reason: { 'reason.input': { type: 'plain_text_input', value: 'Because' } },
            project: { 'project.input': { selected_option: { value: 'p2' } } },
            groups: {
              'groups.input': { selected_options: choices.map(({ value }) => ({ value })) },
            },
            radio: { 'radio.input': { selected_option: { value: '2' } } },
            boxes: { 'boxes.input': { type: 'checkboxes', selected_options: [{ value: '1' }] } },
            who: { 'who.input': { type: 'users_select', selected_user: 'U0BEN' } },
            where: { 'where.input': { selected_conversation: null } },
            channels: { 'channels.input': { selected_channels: [channel] } },
            day: { 'day.input': { selected_date: '2026-11-20' } },
            moment: { 'moment.input': { selected_date_time: 1_800_000_000 } },
            count: { 'count.input': { type: 'number_input', value: '3' } },
            mail: { 'mail.input': { value: 'ana@example.com' } },
            link: { 'link.input': { value: 'https://example.com' } },
          },
        },
      },
    });
    expect(shown()).toBeUndefined();
  });

  it.each([
    ['nothing', {}, 'reason.input is required.'],
    ['too little', { Reason: 'ab' }, 'reason.input wants 3 characters.'],
    ['too much', { Reason: '0123456789' }, 'reason.input takes 9 characters at most.'],
    ['an option that is not there', { Project: 'Other' }, 'does not offer "Other"'],
    ['an input that is not there', { Other: 'a' }, 'no input "Other"'],
  ])('is not sent with %s', async (_, values, words) => {
    await open(modal([reason, project]));
    await expect(submit(values)).rejects.toThrow(words);
    expect(world.payloads('view_submission')).toEqual([]);
  });

  it.each<[string, object, Entered, string]>([
    ['an address', { type: 'email_text_input' }, 'ana', 'wants an address'],
    ['a link', { type: 'url_text_input' }, 'here', 'wants a link'],
    ['a number', { type: 'number_input', is_decimal_allowed: false }, '1.5', 'wants a number'],
    ['a small number', numbers, '10', 'wants a number'],
    ['a big number', numbers, '1', 'wants a number'],
    ['a person who is there', { type: 'users_select' }, 'U0DEL', 'does not offer "U0DEL"'],
    ['a public channel', { type: 'channels_select' }, 'C0SECURITY', 'does not offer'],
    ['a channel the person sees', { type: 'conversations_select' }, 'C0SECURET', 'does not offer'],
    [
      'the kind of channel that is asked for',
      { type: 'conversations_select', filter: { include: ['im'] } },
      channel,
      'does not offer',
    ],
    [
      'no more than is asked for',
      { type: 'multi_users_select', max_selected_items: 1 },
      ['U0ANA', 'U0BEN'],
      'takes 1 at most',
    ],
  ])('requires %s if the input does', async (_, element, value, words) => {
    await open(modal([field('it', 'It', element)]));
    await expect(submit({ It: value })).rejects.toThrow(words);
    expect(world.payloads('view_submission')).toEqual([]);
  });

  it('needs an open modal with a submit button', async () => {
    await expect(submit()).rejects.toThrow('U0ANA has no modal open.');
    const { submit: _, ...readOnly } = modal([{ type: 'divider' }]);
    await open(readOnly);
    await expect(submit()).rejects.toThrow('no button to submit');
  });

  it('has a trigger', async () => {
    await open(modal([reason]));
    await submit({ Reason: 'Because' });
    const trigger_id = world.payloads('view_submission')[0]?.trigger_id;
    await slack('views.open', { trigger_id, view: modal([reason], { title: plain('Next') }) });
    expect(titles()).toBe('Next');
  });

  it('can be sent twice', async () => {
    await open(modal([reason]));
    const values = { Reason: 'Because' };
    await world.sandbox.workspace.submit({ user, values, twice: 'delivered' });
    const [first, second] = world.payloads('view_submission');
    expect(second).toEqual(first);
  });

  it('without an acknowledgement leaves the modal open, with a message', async () => {
    await open(modal([reason]));
    world.answer(() => ({ status: 500 }));
    const delivery = await submit({ Reason: 'Because' });
    expect(delivery.shown).toBe('We had some trouble connecting. Try again?');
    expect(shown()).toMatchObject({
      state: { values: { reason: { 'reason.input': { value: 'Because' } } } },
    });
  });
});

describe('the response to a submission', () => {
  const next = modal([reason], { title: plain('Next') });

  proof(
    'view submission: errors',
    'with errors shows them at their inputs until the next submission',
    async () => {
      await open(modal([reason]));
      answering({ response_action: 'errors', errors: { reason: 'Too short' } });
      expect(await submit({ Reason: 'Because' })).toMatchObject({ shown: null });
      expect(world.sandbox.workspace.modalErrors(user)).toEqual({ reason: 'Too short' });
      world.answer(() => ({ status: 500 }));
      await submit();
      expect(world.sandbox.workspace.modalErrors(user)).toEqual({});
      world.answer(() => ({ status: 200 }));
      await submit();
      expect(shown()).toBeUndefined();
    },
  );

  proof(
    'view submission: update',
    'with another view updates the modal, and inputs with the same ids keep their values',
    async () => {
      await open(modal([reason, project]));
      const other = { ...project, block_id: 'project.2' };
      const view = modal([reason, other], { title: plain('Next') });
      answering({ response_action: 'update', view });
      await submit({ Reason: 'Because', Project: 'Mobile' });
      expect(shown()).toMatchObject({
        title: { text: 'Next' },
        state: {
          values: {
            reason: { 'reason.input': { value: 'Because' } },
            'project.2': { 'project.input': { selected_option: null } },
          },
        },
      });
    },
  );

  proof('view submission: push', 'can push a view, up to three', async () => {
    await open(modal([reason]));
    for (const title of ['Second', 'Third']) {
      answering({ response_action: 'push', view: { ...next, title: plain(title) } });
      expect(await submit({ Reason: 'Because' })).toMatchObject({ shown: null });
    }
    expect(titles()).toBe('Third');
    answering({ response_action: 'push', view: next });
    expect(await submit({ Reason: 'Because' })).toMatchObject({
      shown: expect.stringContaining('trouble'),
    });
    expect(titles()).toBe('Third');
    world.answer(() => ({ status: 200 }));
    await submit({ Reason: 'Because' });
    expect(titles()).toBe('Second');
  });

  proof('view submission: clear', 'can close all views', async () => {
    await open(modal([reason]));
    answering({ response_action: 'push', view: next });
    await submit({ Reason: 'Because' });
    answering({ response_action: 'clear' });
    await submit({ Reason: 'Because' });
    expect(shown()).toBeUndefined();
  });

  it('applies to the view as the app has updated it meanwhile', async () => {
    await open(modal([reason]));
    const view_id = shown()?.id;
    const answer = { response_action: 'errors', errors: { reason: 'No' } };
    world.answer(async () => {
      await slack('views.update', { view_id, view: modal([reason], { title: plain('Next') }) });
      return { status: 200, body: JSON.stringify(answer) };
    });
    await submit({ Reason: 'Because' });
    expect(titles()).toBe('Next');
    expect(world.sandbox.workspace.modalErrors(user)).toEqual({ reason: 'No' });
  });

  it.each([
    ['unknown', { response_action: 'close' }],
    ['errors for no input', { response_action: 'errors', errors: { other: 'No' } }],
    ['no errors', { response_action: 'errors', errors: {} }],
    [
      'a view that breaks a limit',
      { response_action: 'update', view: { ...next, title: plain('a'.repeat(25)) } },
    ],
    ['no view', { response_action: 'push' }],
  ])('that is %s shows an error to the person', async (_, answer) => {
    await open(modal([reason]));
    answering(answer);
    expect(await submit({ Reason: 'Because' })).toMatchObject({
      shown: 'We had some trouble connecting. Try again?',
    });
    expect(titles()).toBe('Try');
  });
});

describe('an update of a modal', () => {
  const update = (blocks: object[]) =>
    slack('views.update', { view_id: shown()?.id, view: modal(blocks) });
  const held = () => shown()?.state;

  it('keeps initial values too, and drops the values of removed inputs', async () => {
    const begun = (initial: object) => ({
      ...project,
      element: { ...project.element, initial_option: initial },
    });
    await open(modal([reason, begun(projects[0] ?? {})]));
    await world.sandbox.workspace.choose({
      user,
      surface: 'modal',
      input: 'Reason',
      value: 'Because',
    });
    await update([begun(projects[1] ?? {})]);
    expect(held()).toMatchObject({
      values: { project: { 'project.input': { selected_option: projects[0] } } },
    });
    await update([reason, project]);
    expect(held()).toMatchObject({ values: { reason: { 'reason.input': { value: null } } } });
  });
});

describe('closing a modal', () => {
  proof('view closed', 'sends an event only if the view asks for it', async () => {
    await open(modal([reason]));
    expect(await world.sandbox.workspace.closeModal({ user })).toMatchObject({ sent: false });
    expect(shown()).toBeUndefined();
    await open(modal([reason], { notify_on_close: true }));
    await world.sandbox.workspace.closeModal({ user });
    expect(world.payloads('view_closed')).toMatchObject([
      {
        user: { id: user },
        is_cleared: false,
        view: { callback_id: 'try', private_metadata: 'kept' },
      },
    ]);
  });

  it('closes the given view, even if another was opened in the meantime', async () => {
    await open(modal([reason]));
    const earlier = { user, view: shown()?.id ?? '' };
    await open(modal([project]));
    const later = shown()?.id;
    await world.sandbox.workspace.closeModal(earlier);
    expect(shown()?.id).toBe(later);
    await expect(world.sandbox.workspace.closeModal(earlier)).rejects.toThrow('has no modal open');
    await world.sandbox.workspace.closeModal({ user });
    expect(shown()).toBeUndefined();
  });

  it.each([
    ['everything is closed', {}, { user, all: true }],
    ['the view clears on close', { clear_on_close: true }, { user }],
  ])('also closes the views below when %s', async (_, more, closing) => {
    await open(modal([reason], { notify_on_close: true }));
    const view = modal([reason], { notify_on_close: true, ...more });
    answering({ response_action: 'push', view });
    await submit({ Reason: 'Because' });
    await world.sandbox.workspace.closeModal(closing);
    expect(shown()).toBeUndefined();
    expect(world.payloads('view_closed')).toMatchObject([
      { is_cleared: true },
      { is_cleared: true },
    ]);
  });
});

describe('an input', () => {
  const speaking = { ...project, dispatch_action: true };

  proof('choice in a modal', 'sends its value at once only if it asks for it', async () => {
    await open(modal([reason, speaking]));
    const at = { user, surface: 'modal' } as const;
    const { workspace } = world.sandbox;
    expect(await workspace.choose({ ...at, input: 'Reason', value: 'Because' })).toMatchObject({
      sent: false,
    });
    await workspace.choose({ ...at, input: 'project.input', value: 'Platform' });
    const [payload, ...more] = world.payloads('block_actions');
    expect(more).toEqual([]);
    expect(payload).toMatchObject({
      container: { type: 'view', view_id: shown()?.id },
      trigger_id: expect.any(String),
      view: {
        state: {
          values: {
            reason: { 'reason.input': { value: 'Because' } },
            project: { 'project.input': { selected_option: { value: 'p1' } } },
          },
        },
      },
      actions: [
        {
          type: 'static_select',
          block_id: 'project',
          action_id: 'project.input',
          selected_option: { text: { text: 'Platform' }, value: 'p1' },
        },
      ],
    });
    expect(payload).not.toHaveProperty('response_url');
    expect(payload).not.toHaveProperty('channel');
  });

  proof('dispatched text', 'of text sends its value if it asks for it', async () => {
    await open(modal([{ ...reason, dispatch_action: true }]));
    const choice = { user, surface: 'modal', input: 'Reason', value: 'Because' } as const;
    await world.sandbox.workspace.choose(choice);
    expect(world.payloads('block_actions')).toMatchObject([
      { actions: [{ type: 'plain_text_input', action_id: 'reason.input', value: 'Because' }] },
    ]);
  });

  proof('choice in a message', 'in a message sends the state of the message', async () => {
    const menu = { type: 'overflow', action_id: 'menu', options: projects };
    const accessory = { type: 'users_select', action_id: 'who', placeholder: plain('Who') };
    const blocks = [
      { type: 'section', block_id: 'a', text: plain('Who?'), accessory },
      { type: 'actions', block_id: 'b', elements: [menu] },
    ];
    const ts = await post(world.sandbox, blocks);
    const at = { user, channel, ts };
    const { workspace } = world.sandbox;
    await workspace.choose({ ...at, input: 'Who', value: 'U0BEN' });
    await workspace.choose({ ...at, input: 'More actions', value: 'Mobile' });
    const [who, chosen] = world.payloads('block_actions');
    expect(who).toMatchObject({
      channel: { id: channel },
      state: { values: { a: { who: { type: 'users_select', selected_user: 'U0BEN' } } } },
      response_url: expect.any(String),
      actions: [{ type: 'users_select', action_id: 'who', selected_user: 'U0BEN' }],
    });
    expect(chosen).toMatchObject({
      state: { values: { a: { who: { selected_user: 'U0BEN' } } } },
      actions: [
        {
          type: 'overflow',
          action_id: 'menu',
          block_id: 'b',
          selected_option: option('Mobile', 'p2'),
          action_ts: expect.any(String),
        },
      ],
    });
    const missing = workspace.choose({ ...at, input: 'More actions', value: 'Other' });
    await expect(missing).rejects.toThrow('does not offer "Other"');
  });

  proof('confirmation', 'with a confirmation is not sent without it', async () => {
    const confirm = {
      title: plain('Sure?'),
      text: plain('Really?'),
      confirm: plain('Yes'),
      deny: plain('No'),
    };
    const sure = { ...speaking, element: { ...speaking.element, confirm } };
    await open(modal([sure]));
    const choice = { user, surface: 'modal', input: 'Project', value: 'p1' } as const;
    const { workspace } = world.sandbox;
    expect(await workspace.choose({ ...choice, confirm: false })).toMatchObject({ sent: false });
    expect(await workspace.choose(choice)).toMatchObject({ sent: true });
  });
});

it('an app without interactivity in its manifest gets no interaction', async () => {
  const off = manifest.replace('is_enabled: true', 'is_enabled: false');
  await using other = await startAppWorld({ manifest: off });
  const blocks = [
    { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: plain('Go') }] },
  ];
  const press = { user, channel, ts: await post(other.sandbox, blocks), label: 'Go' };
  expect(await other.sandbox.workspace.click(press)).toMatchObject({
    sent: false,
    acknowledged: false,
    shown: 'This app is not configured to handle interactive responses.',
  });
  expect(other.app.received).toEqual([]);
});

describe('a button in a view', () => {
  const button = { type: 'button', action_id: 'go', text: plain('Go'), value: 'v' };

  proof('button in a modal', 'sends the modal, and a trigger', async () => {
    await open(modal([reason, { type: 'actions', block_id: 'b', elements: [button] }]));
    await world.sandbox.workspace.click({ user, surface: 'modal', label: 'Go' });
    expect(world.payloads('block_actions')).toMatchObject([
      {
        view: { id: shown()?.id },
        actions: [{ action_id: 'go', block_id: 'b', value: 'v', type: 'button' }],
      },
    ]);
  });
});

describe('an external select', () => {
  const element = { type: 'external_select', min_query_length: 2 };
  const external = field('find', 'Find', element, { dispatch_action: true });
  const asked = { user, surface: 'modal', input: 'Find', typed: 'plat' } as const;

  proof('options', 'shows the options of the app, and keeps what is selected', async () => {
    await open(modal([external]));
    answering({ options: projects });
    const { workspace } = world.sandbox;
    expect(await workspace.suggest({ ...asked, typed: 'p' })).toMatchObject({
      delivery: { sent: false },
    });
    const { options, delivery } = await workspace.suggest(asked);
    expect(delivery).toMatchObject({ acknowledged: true, shown: null });
    expect(options).toEqual(projects);
    expect(world.payloads('block_suggestion')).toMatchObject([
      {
        user: { id: user },
        api_app_id: 'A0APP',
        action_id: 'find.input',
        block_id: 'find',
        value: 'plat',
        container: { type: 'view' },
        view: { callback_id: 'try' },
      },
    ]);
    await workspace.choose({ ...asked, value: 'Mobile' });
    expect(world.payloads('block_actions')).toMatchObject([
      { actions: [{ selected_option: { value: 'p2' } }] },
    ]);
  });

  it.each([
    ['more than a hundred', { options: Array.from({ length: 101 }, () => projects[0]) }],
    ['no options', { text: 'none' }],
    ['an option without a value', { options: [{ text: plain('a') }] }],
  ])('shows no options when the response is %s', async (_, answer) => {
    await open(modal([external]));
    answering(answer);
    const suggestions = await world.sandbox.workspace.suggest(asked);
    expect(suggestions).toMatchObject({ options: [], delivery: { shown: 'No results' } });
  });

  it('shows groups of options', async () => {
    await open(modal([external]));
    answering({ option_groups: [{ label: plain('All'), options: projects }] });
    const { options } = await world.sandbox.workspace.suggest(asked);
    expect(options).toEqual(projects);
  });

  it('needs a URL for options in the manifest', async () => {
    const without = manifest.replace(/, message_menu_options_url: \S+/, ' ');
    await using other = await startAppWorld({ manifest: without });
    const blocks = [{ type: 'actions', elements: [{ ...element, action_id: 'find' }] }];
    const ts = await post(other.sandbox, blocks);
    const inMessage = { user, channel, ts, input: 'find', typed: 'plat' };
    const suggestions = await other.sandbox.workspace.suggest(inMessage);
    expect(suggestions).toMatchObject({ options: [], delivery: { sent: false } });
  });
});
