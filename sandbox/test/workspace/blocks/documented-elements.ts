import type {
  ActionsBlockElement,
  ContextActionsBlockElement,
  InputBlockElement,
  SectionBlockAccessory,
} from '@slack/types';
import {
  dialog,
  group,
  type Json,
  mrkdwn,
  option,
  options,
  plain,
  rich,
  written,
} from './sample-blocks.ts';

type Element =
  | ActionsBlockElement
  | ContextActionsBlockElement
  | InputBlockElement
  | SectionBlockAccessory;
/** Every member that Slack's own types know. */
type Members<E> = E extends unknown ? keyof E : never;

/** Elements of these blocks that the README lists under its differences. */
export const refused = ['workflow_button'] as const;
type Taken = Exclude<Element['type'], (typeof refused)[number]>;

interface Documented {
  /** The block it is used in. */
  readonly place: 'actions' | 'context_actions' | 'input' | 'section';
  /** Members that it needs. */
  readonly needs: readonly string[];
}

const choice = { place: 'actions', needs: [] } as const;
const typed = { place: 'input', needs: [] } as const;

/** Where each element is used, and what it cannot be without. */
export const documented: Readonly<Record<Taken, Documented>> = {
  button: { place: 'actions', needs: ['text'] },
  channels_select: choice,
  checkboxes: { place: 'actions', needs: ['options'] },
  conversations_select: choice,
  datepicker: choice,
  datetimepicker: choice,
  email_text_input: typed,
  external_select: choice,
  feedback_buttons: { place: 'context_actions', needs: ['positive_button', 'negative_button'] },
  file_input: typed,
  icon_button: { place: 'context_actions', needs: ['icon', 'text'] },
  image: { place: 'section', needs: ['image_url', 'alt_text'] },
  multi_channels_select: typed,
  multi_conversations_select: typed,
  multi_external_select: typed,
  multi_static_select: { place: 'input', needs: ['options'] },
  multi_users_select: typed,
  number_input: { place: 'input', needs: ['is_decimal_allowed'] },
  overflow: { place: 'actions', needs: ['options'] },
  plain_text_input: typed,
  radio_buttons: { place: 'actions', needs: ['options'] },
  rich_text_input: typed,
  static_select: { place: 'actions', needs: ['options'] },
  timepicker: choice,
  url_text_input: typed,
  users_select: choice,
};

/** The member that one takes the place of. */
export const instead: Readonly<Record<string, string>> = {
  option_groups: 'options',
  slack_file: 'image_url',
};

const acting = { action_id: 'go', confirm: dialog() };
const focused = { ...acting, focus_on_load: true };
const select = { ...focused, placeholder: plain('Choose') };
const several = { ...select, max_selected_items: 3 };
const offered = { options: options(2), option_groups: [group('All', 2)] };
const filter = {
  include: ['public', 'im'],
  exclude_external_shared_channels: true,
  exclude_bot_users: true,
};
const typing = {
  action_id: 'go',
  focus_on_load: true,
  placeholder: plain('Write'),
  dispatch_action_config: { trigger_actions_on: ['on_character_entered'] },
};

/** A value for every member of every element: it does not compile without one that Slack's types know. */
export const samples: {
  readonly [Type in Taken]: Readonly<Record<Members<Extract<Element, { type: Type }>>, unknown>>;
} = {
  button: {
    type: 'button',
    ...acting,
    text: plain('Go'),
    value: 'go',
    url: 'https://example.com',
    style: 'primary',
    accessibility_label: 'Go',
  },
  channels_select: {
    type: 'channels_select',
    ...select,
    initial_channel: 'C0DEPLOYS',
    response_url_enabled: true,
  },
  checkboxes: {
    type: 'checkboxes',
    ...focused,
    options: [{ text: mrkdwn('*One*'), value: 'one', description: plain('First') }],
    initial_options: [{ text: mrkdwn('*One*'), value: 'one', description: plain('First') }],
  },
  conversations_select: {
    type: 'conversations_select',
    ...select,
    initial_conversation: 'C0DEPLOYS',
    default_to_current_conversation: true,
    response_url_enabled: true,
    filter,
  },
  datepicker: { type: 'datepicker', ...select, initial_date: '2026-11-28' },
  datetimepicker: { type: 'datetimepicker', ...focused, initial_date_time: 1_795_867_200 },
  email_text_input: { type: 'email_text_input', ...typing, initial_value: 'ana@example.com' },
  external_select: {
    type: 'external_select',
    ...select,
    initial_option: option('o0'),
    min_query_length: 0,
  },
  feedback_buttons: {
    type: 'feedback_buttons',
    action_id: 'go',
    positive_button: { text: plain('Good'), value: 'good', accessibility_label: 'It was good' },
    negative_button: { text: plain('Bad'), value: 'bad' },
  },
  file_input: { type: 'file_input', action_id: 'go', filetypes: ['pdf'], max_files: 2 },
  icon_button: {
    type: 'icon_button',
    ...acting,
    icon: 'trash',
    text: plain('Delete'),
    value: 'a',
    accessibility_label: 'Delete the answer',
    visible_to_user_ids: ['U0ANA'],
  },
  image: {
    type: 'image',
    alt_text: 'A gate',
    image_url: 'https://example.com/a.png',
    slack_file: { id: 'F0A' },
  },
  multi_channels_select: {
    type: 'multi_channels_select',
    ...several,
    initial_channels: ['C0DEPLOYS'],
  },
  multi_conversations_select: {
    type: 'multi_conversations_select',
    ...several,
    initial_conversations: ['C0DEPLOYS'],
    default_to_current_conversation: true,
    filter,
  },
  multi_external_select: {
    type: 'multi_external_select',
    ...several,
    initial_options: [option('o0')],
    min_query_length: 0,
  },
  multi_static_select: {
    type: 'multi_static_select',
    ...several,
    ...offered,
    initial_options: [option('o0')],
  },
  multi_users_select: { type: 'multi_users_select', ...several, initial_users: ['U0ANA'] },
  number_input: {
    type: 'number_input',
    ...typing,
    is_decimal_allowed: true,
    initial_value: '7',
    min_value: '1',
    max_value: '9',
  },
  overflow: {
    type: 'overflow',
    ...acting,
    options: [option('o0', { url: 'https://example.com', description: plain('First') })],
  },
  plain_text_input: {
    type: 'plain_text_input',
    ...typing,
    initial_value: 'A',
    multiline: true,
    min_length: 1,
    max_length: 9,
  },
  radio_buttons: {
    type: 'radio_buttons',
    ...focused,
    options: options(2),
    initial_option: option('o0'),
  },
  rich_text_input: {
    type: 'rich_text_input',
    ...typing,
    initial_value: rich(written()),
    min_lines: 1,
    max_lines: 9,
  },
  static_select: {
    type: 'static_select',
    ...select,
    ...offered,
    initial_option: option('o0'),
  },
  timepicker: {
    type: 'timepicker',
    ...select,
    initial_time: '23:59',
    timezone: 'Europe/Madrid',
  },
  url_text_input: { type: 'url_text_input', ...typing, initial_value: 'https://example.com' },
  users_select: { type: 'users_select', ...select, initial_user: 'U0ANA' },
};

/** The element with what it needs, and one member more. */
export function withMember(type: Taken, member: string): Json {
  const sample: Json = samples[type];
  const names = documented[type].needs.filter((name) => name !== instead[member]);
  return Object.fromEntries(['type', ...names, member].map((name) => [name, sample[name]]));
}
