import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAsDocumented, readPayload } from '../../../src/core/slack/payload.ts';

it.each<[object, object]>([
  [
    { type: 'block_actions', user: { id: 'U1' }, actions: [{ action_id: 'a' }], response_url: 'r' },
    { kind: 'action', id: 'a', user: 'U1', responseUrl: 'r' },
  ],
  [
    { command: '/x', user_id: 'U1', response_url: 'r' },
    { kind: 'command', id: '/x', user: 'U1', responseUrl: 'r' },
  ],
  [
    { type: 'shortcut', callback_id: 's', user: { id: 'U1' } },
    { kind: 'shortcut', id: 's' },
  ],
  [
    { type: 'message_action', callback_id: 's' },
    { kind: 'shortcut', id: 's' },
  ],
  [
    {
      type: 'view_submission',
      view: { callback_id: 'v', blocks: [{ type: 'section' }, { type: 'input', block_id: 'b' }] },
      response_urls: [{ response_url: 'r' }],
    },
    { kind: 'view', id: 'v', inputBlock: 'b', responseUrl: 'r' },
  ],
  [
    { type: 'view_closed', view: { callback_id: 'v' } },
    { kind: 'view_closed', id: 'v' },
  ],
  [
    { type: 'block_suggestion', action_id: 'a' },
    { kind: 'options', id: 'a' },
  ],
  [
    { type: 'event_callback', event: { type: 'message' } },
    { kind: 'event', id: 'message' },
  ],
  [{ type: 'interactive_message' }, { kind: 'other', id: '', user: null }],
])('%o is read as %o', (body, expected) => {
  expect(readPayload(body)).toMatchObject(expected);
});

it('reads anything without an error', () => {
  const member = fc.constantFrom(
    'type',
    'user',
    'view',
    'actions',
    'event',
    'command',
    'response_urls',
  );
  const body = fc.oneof(fc.anything(), fc.dictionary(member, fc.anything()));
  fc.assert(
    fc.property(body, (value) => {
      expect(readPayload(value).kind).toBeTypeOf('string');
    }),
  );
});

const user = { id: 'U1' };
const container = { message_ts: '1.2', channel_id: 'C1' };
const view = { id: 'V', hash: 'h', callback_id: 'v', private_metadata: '', state: { values: {} } };

it.each<object>([
  { type: 'event_callback', event: '' },
  { type: 'event_callback', event: { type: 'message', channel: null } },
  { type: 'event_callback', event: { type: 'channel_unarchive', channel: 'C1', user: null } },
  { type: 'event_callback', event: { type: 'subteam_updated', subteam: null } },
  { type: 'event_callback', event: { type: 'message' }, authorizations: [null] },
  { type: 'event_callback', event: { type: 'app_home_opened', user: { toString: 'U1' } } },
  { type: 'event_callback', event: { type: 'app_home_opened', user: 'U1', view: {} } },
  { type: 'event_callback', event: { type: 'member_joined_channel', user: 'U1' } },
  { type: 'event_callback', event: { type: 'group_unarchive', channel: { id: 'C1' } } },
  { type: 'block_actions', user: {}, actions: [{ action_id: 'a' }] },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container: {}, view: {} },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }] },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container: {} },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container: { channel_id: 'C1' } },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container: { message_ts: '1.2' } },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container, view: {} },
  { type: 'block_actions', user, actions: [{ action_id: 'a' }], container: { message_ts: {} } },
  {
    type: 'block_actions',
    user,
    actions: [{ action_id: 'a' }],
    container: { channel_id: 1 },
    view,
  },
  { type: 'block_actions', user, container, actions: [{ action_id: 'a' }], response_url: 1 },
  { type: 'block_actions', user, container, actions: [{ action_id: 'a' }], channel: null },
  {
    type: 'block_actions',
    user,
    container,
    actions: [{ action_id: 'a', type: 'overflow', selected_option: { value: 1 } }],
  },
  { type: 'block_suggestion', user, action_id: 'a', value: 'p', view, channel: null },
  { type: 'dialog_submission', user },
  { type: 'view_submission', user, view, response_urls: null },
  { type: 'interactive_message', user, actions: 'a' },
  { type: 'view_submission', user, view: { ...view, state: { values: { b: { a: 'typed' } } } } },
  { type: 'block_suggestion', user, action_id: 'a', value: 'p', view: { id: 'V' } },
  { type: 'message_action', user, callback_id: 's', channel: { id: 'C1' }, message_ts: '1' },
  { command: '/x', user_id: 'U1', channel_id: 'C1', trigger_id: '1' },
])('%j does not have the documented form', (body) => {
  expect(isAsDocumented(body, readPayload(body).kind)).toBe(false);
});

it.each<object>([
  { type: 'event_callback', event: { type: 'message', channel: { id: 'C1' } } },
  { type: 'event_callback', event: { type: 'user_change', user: { id: 'U1' } } },
  { type: 'event_callback', event: { type: 'app_home_opened', user: 'U1' }, authorizations: [{}] },
  { type: 'event_callback', event: { type: 'app_home_opened', user: 'U1', view } },
  { type: 'event_callback', event: { type: 'constructor' } },
  { type: 'event_callback', event: { type: 'channel_unarchive', channel: 'C1', user: 'U1' } },
  { type: 'block_actions', user, team: null, container: {}, actions: [{ action_id: 'a' }], view },
  {
    type: 'block_actions',
    user,
    container,
    actions: [{ action_id: 'a', type: 'overflow', selected_option: { value: 'details' } }],
  },
  { type: 'view_submission', user, view },
  { type: 'shortcut', user, callback_id: 's' },
  { command: '/x', text: '', user_id: 'U1', channel_id: 'C1', trigger_id: '1' },
])('%j has the documented form', (body) => {
  expect(isAsDocumented(body, readPayload(body).kind)).toBe(true);
});
