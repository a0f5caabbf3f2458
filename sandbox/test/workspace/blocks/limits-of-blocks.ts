import {
  a,
  actions,
  beside,
  button,
  dialog,
  group,
  image,
  input,
  type Json,
  many,
  mrkdwn,
  option,
  options,
  plain,
  rich,
  section,
  select,
  written,
} from './sample-blocks.ts';

/** What is just allowed, what is just not, the place of the problem and its text. */
export interface Limit {
  readonly name: string;
  readonly allowed: readonly Json[];
  readonly refused: readonly Json[];
  /** After `/blocks`. */
  readonly at: string;
  readonly says: string;
}

/** At most that many characters. */
function characters(
  name: string,
  most: number,
  at: string,
  make: (text: string) => Json | readonly Json[],
): Limit {
  const blocks = (count: number) => [make(a(count))].flat();
  const says = `must be less than ${most + 1} characters`;
  return { name, allowed: blocks(most), refused: blocks(most + 1), at, says };
}

/** At most that many items. */
function items(
  name: string,
  most: number,
  at: string,
  make: (count: number) => Json | readonly Json[],
): Limit {
  const blocks = (count: number) => [make(count)].flat();
  const says = `no more than ${most} items allowed`;
  return { name, allowed: blocks(most), refused: blocks(most + 1), at, says };
}

function shape(name: string, allowed: Json, refused: Json, at: string, says: string): Limit {
  return { name, allowed: [allowed], refused: [refused], at, says };
}

const element = '/0/elements/0';
const texts: Limit[] = [
  items('blocks', 50, '', (count) => many(count, { type: 'divider' })),
  characters('text of a section', 3000, '/0/text/text', (text) => section(text)),
  shape('empty text', section('a'), section(''), '/0/text/text', 'must be more than 0 characters'),
  items('fields of a section', 10, '/0/fields', (count) => ({
    type: 'section',
    fields: many(count, mrkdwn('a')),
  })),
  characters('text of a field', 2000, '/0/fields/0/text', (text) => ({
    type: 'section',
    fields: [plain(text)],
  })),
  shape(
    'text or fields of a section',
    section('a'),
    { type: 'section' },
    '/0',
    'missing required field: text or fields',
  ),
  characters('header', 150, '/0/text/text', (text) => ({ type: 'header', text: plain(text) })),
  shape(
    'header in plain text',
    { type: 'header', text: plain('a') },
    { type: 'header', text: mrkdwn('a') },
    '/0/text/type',
    'Invalid input: expected "plain_text"',
  ),
  items('context', 10, '/0/elements', (count) => ({
    type: 'context',
    elements: many(count, image()),
  })),
  characters('text in a context', 2000, `${element}/text`, (text) => ({
    type: 'context',
    elements: [mrkdwn(text)],
  })),
  characters('address of an image', 3000, '/0/image_url', (image_url) => image({ image_url })),
  characters('words for an image', 2000, '/0/alt_text', (alt_text) => image({ alt_text })),
  characters('title of an image', 2000, '/0/title/text', (title) => image({ title: plain(title) })),
  characters('words for a small image', 2000, '/0/accessory/alt_text', (alt_text) =>
    beside(image({ alt_text })),
  ),
  characters('block_id', 255, '/0/block_id', (block_id) => ({ type: 'divider', block_id })),
  characters('formatted text', 3000, `${element}/elements/0/text`, (text) =>
    rich(written({ type: 'text', text })),
  ),
  shape(
    'a list in formatted text',
    rich({ type: 'rich_text_list', style: 'bullet', elements: [written()], indent: 8 }),
    rich({ type: 'rich_text_list', style: 'dash', elements: [written()] }),
    `${element}/style`,
    'Invalid option: expected one of "bullet"|"ordered"',
  ),
  shape(
    'what is preformatted',
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a' }] }),
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U0ANA' }] }),
    `${element}/elements/0/type`,
    'unsupported type',
  ),
  shape(
    'a person in formatted text',
    rich(written({ type: 'user', user_id: 'U0ANA' })),
    rich(written({ type: 'user', user_id: '@ana' })),
    `${element}/elements/0/user_id`,
    'Invalid id',
  ),
  shape(
    'an address in formatted text',
    rich(written({ type: 'link', url: 'https://example.com/a' })),
    rich(written({ type: 'link', url: 'example' })),
    `${element}/elements/0/url`,
    'Invalid URL',
  ),
  shape(
    'kinds of formatted text',
    rich({ type: 'rich_text_quote', elements: [{ type: 'user', user_id: 'U0ANA' }] }),
    rich({ type: 'rich_text_verse', elements: [] }),
    `${element}/type`,
    'unsupported type',
  ),
];

const buttons: Limit[] = [
  items('actions', 25, '/0/elements', (count) => actions(...many(count, button()))),
  characters('text of a button', 75, `${element}/text/text`, (text) =>
    actions(button({ text: plain(text) })),
  ),
  characters('value of a button', 2000, `${element}/value`, (value) => actions(button({ value }))),
  characters('address of a button', 3000, `${element}/url`, (url) => actions(button({ url }))),
  characters('label of a button for screen readers', 75, `${element}/accessibility_label`, (text) =>
    actions(button({ accessibility_label: text })),
  ),
  shape(
    'style of a button',
    actions(button({ style: 'danger' })),
    actions(button({ style: 'red' })),
    `${element}/style`,
    'must be primary or danger',
  ),
  characters('action_id', 255, `${element}/action_id`, (action_id) =>
    actions(button({ action_id })),
  ),
  characters('title of a confirmation', 100, `${element}/confirm/title/text`, (text) =>
    actions(button({ confirm: dialog({ title: plain(text) }) })),
  ),
  characters('text of a confirmation', 300, `${element}/confirm/text/text`, (text) =>
    actions(button({ confirm: dialog({ text: mrkdwn(text) }) })),
  ),
  characters('yes of a confirmation', 30, `${element}/confirm/confirm/text`, (text) =>
    actions(button({ confirm: dialog({ confirm: plain(text) }) })),
  ),
  characters('no of a confirmation', 30, `${element}/confirm/deny/text`, (text) =>
    actions(button({ confirm: dialog({ deny: plain(text) }) })),
  ),
];

const among = 'initial options must be among the options';
const choices: Limit[] = [
  items('options', 100, `${element}/options`, (count) =>
    actions(select({ options: options(count) })),
  ),
  characters('text of an option', 75, `${element}/options/0/text/text`, (text) =>
    actions(select({ options: [option('a', { text: plain(text) })] })),
  ),
  characters('value of an option', 75, `${element}/options/0/value`, (value) =>
    actions(select({ options: [option('a', { value })] })),
  ),
  characters('words under an option', 75, `${element}/options/0/description/text`, (text) =>
    actions(select({ options: [option('a', { description: plain(text) })] })),
  ),
  items('groups of options', 100, `${element}/option_groups`, (count) =>
    actions({ type: 'static_select', option_groups: many(count, group('g', 1)) }),
  ),
  items('options of a group', 100, `${element}/option_groups/0/options`, (count) =>
    actions({ type: 'static_select', option_groups: [group('g', count)] }),
  ),
  characters('label of a group', 75, `${element}/option_groups/0/label/text`, (text) =>
    actions({ type: 'static_select', option_groups: [group(text, 1)] }),
  ),
  shape(
    'options or groups',
    actions(select()),
    actions({ type: 'static_select' }),
    element,
    'missing required field: options or option_groups',
  ),
  shape(
    'options without groups',
    actions(select()),
    actions(select({ option_groups: [group('g', 1)] })),
    element,
    'must have either options or option_groups',
  ),
  shape(
    'initial option',
    actions(select({ options: options(2), initial_option: option('o1') })),
    actions(select({ options: options(2), initial_option: option('o2') })),
    element,
    among,
  ),
  ...['static_select', 'external_select', 'users_select', 'conversations_select', 'channels_select']
    .map((type) => (type === 'static_select' ? select() : { type }))
    .map((one) =>
      characters(`placeholder of a ${one.type}`, 150, `${element}/placeholder/text`, (text) =>
        actions({ ...one, placeholder: plain(text) }),
      ),
    ),
  shape(
    'least length of what is typed into an external select',
    actions({ type: 'external_select', min_query_length: 0 }),
    actions({ type: 'external_select', min_query_length: -1 }),
    `${element}/min_query_length`,
    'Too small: expected number to be >=0',
  ),
  shape(
    'kinds of conversations to choose from',
    actions({ type: 'conversations_select', filter: { include: ['public', 'im'] } }),
    actions({ type: 'conversations_select', filter: { include: ['secret'] } }),
    `${element}/filter/include/0`,
    'Invalid option: expected one of "im"|"mpim"|"private"|"public"',
  ),
  items('options of a menu', 5, `${element}/options`, (count) =>
    actions({ type: 'overflow', options: options(count) }),
  ),
  shape(
    'no options of a menu',
    actions({ type: 'overflow', options: options(1) }),
    actions({ type: 'overflow', options: [] }),
    `${element}/options`,
    'no fewer than 1 items allowed',
  ),
  characters('text of an option of a menu', 75, `${element}/options/0/text/text`, (text) =>
    actions({ type: 'overflow', options: [option('a', { text: plain(text) })] }),
  ),
  characters('value of an option of a menu', 75, `${element}/options/0/value`, (value) =>
    actions({ type: 'overflow', options: [option('a', { value })] }),
  ),
  characters('address of an option of a menu', 3000, `${element}/options/0/url`, (url) =>
    actions({ type: 'overflow', options: [option('a', { url })] }),
  ),
  ...['radio_buttons', 'checkboxes'].map((type) =>
    items(`options of ${type}`, 10, `${element}/options`, (count) =>
      actions({ type, options: options(count) }),
    ),
  ),
  shape(
    'initial radio button',
    actions({ type: 'radio_buttons', options: options(1), initial_option: option('o0') }),
    actions({ type: 'radio_buttons', options: options(1), initial_option: option('o1') }),
    element,
    among,
  ),
  shape(
    'initial checkboxes',
    actions({ type: 'checkboxes', options: options(2), initial_options: options(2) }),
    actions({ type: 'checkboxes', options: options(1), initial_options: options(2) }),
    element,
    among,
  ),
  shape(
    'how many may be selected',
    beside({ type: 'multi_users_select', max_selected_items: 1 }),
    beside({ type: 'multi_users_select', max_selected_items: 0 }),
    '/0/accessory/max_selected_items',
    'Too small: expected number to be >=1',
  ),
  ...['multi_external_select', 'multi_users_select', 'multi_conversations_select'].map((type) =>
    shape(
      `${type} in its place`,
      beside({ type }),
      actions({ type }),
      `${element}/type`,
      'unsupported type',
    ),
  ),
  shape(
    'initial options of a select of several',
    beside(select({ type: 'multi_static_select', initial_options: [option('o0')] })),
    beside(select({ type: 'multi_static_select', initial_options: [option('o1')] })),
    '/0/accessory',
    among,
  ),
  shape(
    'channels of a select of several',
    beside({ type: 'multi_channels_select', initial_channels: ['C0DEPLOYS'] }),
    beside({ type: 'multi_channels_select', initial_channels: 'C0DEPLOYS' }),
    '/0/accessory/initial_channels',
    'must be a valid array',
  ),
];

const times: Limit[] = [
  shape(
    'date',
    actions({ type: 'datepicker', initial_date: '2026-11-20' }),
    actions({ type: 'datepicker', initial_date: '20 November' }),
    `${element}/initial_date`,
    'must be a date as 2026-11-20',
  ),
  shape(
    'time',
    actions({ type: 'timepicker', initial_time: '23:59' }),
    actions({ type: 'timepicker', initial_time: '24:00' }),
    `${element}/initial_time`,
    'must be a time as 23:59',
  ),
  shape(
    'moment',
    actions({ type: 'datetimepicker', initial_date_time: 1_800_000_000 }),
    actions({ type: 'datetimepicker', initial_date_time: 180_000_000 }),
    `${element}/initial_date_time`,
    'must be 10 digits',
  ),
  shape(
    'a picker of moments in its place',
    input({ type: 'datetimepicker' }),
    beside({ type: 'datetimepicker' }),
    '/0/accessory/type',
    'unsupported type',
  ),
];

const typed = (more: Json = {}) => input({ type: 'plain_text_input', ...more });
const inputs: Limit[] = [
  characters('label of an input', 2000, '/0/label/text', (text) =>
    input({ type: 'plain_text_input' }, { label: plain(text) }),
  ),
  characters('hint of an input', 2000, '/0/hint/text', (text) =>
    input({ type: 'plain_text_input' }, { hint: plain(text) }),
  ),
  characters('initial text of an input', 3000, '/0/element/initial_value', (initial_value) =>
    typed({ initial_value }),
  ),
  characters('placeholder of an input', 150, '/0/element/placeholder/text', (text) =>
    typed({ placeholder: plain(text), multiline: true }),
  ),
  shape(
    'files of an input',
    input({ type: 'file_input', max_files: 10 }),
    input({ type: 'file_input', max_files: 11 }),
    '/0/element/max_files',
    'must be less than 11',
  ),
  shape(
    'lines of a rich text input',
    input({ type: 'rich_text_input', max_lines: 100 }),
    input({ type: 'rich_text_input', max_lines: 101 }),
    '/0/element/max_lines',
    'must be less than 101',
  ),
  items('feedback', 5, '/0/elements', (count) => ({
    type: 'context_actions',
    elements: many(count, { type: 'icon_button', icon: 'trash', text: plain('Delete') }),
  })),
  shape(
    'source of an image',
    image({ image_url: undefined, slack_file: { id: 'F0A' } }),
    image({ slack_file: { id: 'F0A' } }),
    '/0',
    'must have either image_url or slack_file',
  ),
  shape(
    'least length of an input',
    typed({ min_length: 3000 }),
    typed({ min_length: 3001 }),
    '/0/element/min_length',
    'must be less than 3001',
  ),
  shape(
    'most length of an input',
    typed({ max_length: 3000 }),
    typed({ max_length: 3001 }),
    '/0/element/max_length',
    'must be less than 3001',
  ),
  shape(
    'least and most length of an input',
    typed({ min_length: 5, max_length: 5 }),
    typed({ min_length: 6, max_length: 5 }),
    '/0/element',
    'min_length must not be more than max_length',
  ),
  shape(
    'when an input speaks',
    typed({ dispatch_action_config: { trigger_actions_on: ['on_character_entered'] } }),
    typed({ dispatch_action_config: { trigger_actions_on: ['on_focus'] } }),
    '/0/element/dispatch_action_config/trigger_actions_on/0',
    'Invalid option: expected one of "on_enter_pressed"|"on_character_entered"',
  ),
  shape(
    'numbers with or without decimals',
    input({ type: 'number_input', is_decimal_allowed: false, min_value: '1', max_value: '9' }),
    input({ type: 'number_input' }),
    '/0/element',
    'missing required field: is_decimal_allowed',
  ),
  ...['email_text_input', 'url_text_input'].map((type) =>
    characters(`initial text of ${type}`, 3000, '/0/element/initial_value', (initial_value) =>
      input({ type, initial_value }),
    ),
  ),
  shape(
    'formatted input',
    input({ type: 'rich_text_input', initial_value: rich(written({ type: 'text', text: 'a' })) }),
    input({ type: 'rich_text_input', initial_value: 'a' }),
    '/0/element/initial_value',
    'must be a valid object',
  ),
  shape(
    'elements of an input',
    input(select()),
    input(button()),
    '/0/element/type',
    'unsupported type',
  ),
  ...['plain_text_input', 'email_text_input', 'url_text_input', 'rich_text_input'].map((type) =>
    shape(
      `${type} in its place`,
      input({ type }),
      actions({ type }),
      `${element}/type`,
      'unsupported type',
    ),
  ),
];

const wholes: Limit[] = [
  shape('kind of a block', section('a'), { type: 'sections' }, '/0/type', 'unsupported type'),
  shape(
    'member that is missing',
    actions(button()),
    actions({ type: 'button' }),
    element,
    'missing required field: text',
  ),
  shape(
    'member that is unknown',
    actions(button()),
    actions(button({ colour: 'red' })),
    element,
    'invalid additional property: colour',
  ),
  {
    name: 'same block_id',
    allowed: ['x', 'y'].map((block_id) => ({ type: 'divider', block_id })),
    refused: ['x', 'x'].map((block_id) => ({ type: 'divider', block_id })),
    at: '/1/block_id',
    says: '`block_id` already exists',
  },
  {
    name: 'same action_id',
    allowed: many(2, actions(button({ action_id: 'x' }))),
    refused: [actions(...many(2, button({ action_id: 'x' })))],
    at: '/0/elements/1/action_id',
    says: '`action_id` already exists',
  },
  {
    name: 'focus',
    allowed: [typed({ focus_on_load: true }), typed()],
    refused: many(2, typed({ focus_on_load: true })),
    at: '',
    says: 'only one element may have focus_on_load',
  },
];

export const limitsOfBlocks: readonly Limit[] = [
  ...texts,
  ...buttons,
  ...choices,
  ...times,
  ...inputs,
  ...wholes,
];
