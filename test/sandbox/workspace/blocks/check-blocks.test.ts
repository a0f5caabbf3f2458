import { describe, expect, it } from 'vitest';
import {
  messageProblems,
  textLength,
  viewProblems,
} from '../../../../src/sandbox/workspace/blocks/check-blocks.ts';

const a = (count: number) => 'a'.repeat(count);
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) });
const button = (more: object = {}) => ({ type: 'button', text: plain('Go'), ...more });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const option = (text: string, value = 'v') => ({ text: plain(text), value });
const select = (count: number) => ({
  type: 'static_select',
  options: Array.from({ length: count }, (_, index) => option(`o${index}`, `v${index}`)),
});
const dialog = (more: object = {}) => ({
  title: plain('Sure?'),
  text: mrkdwn('Really?'),
  confirm: plain('Yes'),
  deny: plain('No'),
  ...more,
});
const many = (count: number, block: object) => Array.from({ length: count }, () => block);

/** What is just allowed, what is just not, and where the problem is. */
const limits: [string, object[], object[], string][] = [
  ['blocks', many(50, { type: 'divider' }), many(51, { type: 'divider' }), '/blocks'],
  ['text of a section', [section(a(3000))], [section(a(3001))], '/blocks/0/text/text'],
  ['empty text', [section('a')], [section('')], '/blocks/0/text/text'],
  [
    'fields of a section',
    [{ type: 'section', fields: many(10, mrkdwn('a')) }],
    [{ type: 'section', fields: many(11, mrkdwn('a')) }],
    '/blocks/0/fields',
  ],
  [
    'text of a field',
    [{ type: 'section', fields: [mrkdwn(a(2000))] }],
    [{ type: 'section', fields: [mrkdwn(a(2001))] }],
    '/blocks/0/fields/0/text',
  ],
  [
    'header',
    [{ type: 'header', text: plain(a(150)) }],
    [{ type: 'header', text: plain(a(151)) }],
    '/blocks/0/text/text',
  ],
  [
    'header in plain text',
    [{ type: 'header', text: plain('a') }],
    [{ type: 'header', text: mrkdwn('a') }],
    '/blocks/0/text/type',
  ],
  [
    'actions',
    [actions(...many(25, button()))],
    [actions(...many(26, button()))],
    '/blocks/0/elements',
  ],
  [
    'context',
    [{ type: 'context', elements: many(10, mrkdwn('a')) }],
    [{ type: 'context', elements: many(11, mrkdwn('a')) }],
    '/blocks/0/elements',
  ],
  [
    'text of a button',
    [actions(button({ text: plain(a(75)) }))],
    [actions(button({ text: plain(a(76)) }))],
    '/blocks/0/elements/0/text/text',
  ],
  [
    'value of a button',
    [actions(button({ value: a(2000) }))],
    [actions(button({ value: a(2001) }))],
    '/blocks/0/elements/0/value',
  ],
  [
    'style of a button',
    [actions(button({ style: 'danger' }))],
    [actions(button({ style: 'red' }))],
    '/blocks/0/elements/0/style',
  ],
  [
    'action_id',
    [actions(button({ action_id: a(255) }))],
    [actions(button({ action_id: a(256) }))],
    '/blocks/0/elements/0/action_id',
  ],
  [
    'block_id',
    [{ type: 'divider', block_id: a(255) }],
    [{ type: 'divider', block_id: a(256) }],
    '/blocks/0/block_id',
  ],
  ['options', [actions(select(100))], [actions(select(101))], '/blocks/0/elements/0/options'],
  [
    'text of an option',
    [actions({ type: 'static_select', options: [option(a(75))] })],
    [actions({ type: 'static_select', options: [option(a(76))] })],
    '/blocks/0/elements/0/options/0/text/text',
  ],
  [
    'value of an option',
    [actions({ type: 'static_select', options: [option('a', a(75))] })],
    [actions({ type: 'static_select', options: [option('a', a(76))] })],
    '/blocks/0/elements/0/options/0/value',
  ],
  [
    'title of a confirmation',
    [actions(button({ confirm: dialog({ title: plain(a(100)) }) }))],
    [actions(button({ confirm: dialog({ title: plain(a(101)) }) }))],
    '/blocks/0/elements/0/confirm/title/text',
  ],
  [
    'text of a confirmation',
    [actions(button({ confirm: dialog({ text: plain(a(300)) }) }))],
    [actions(button({ confirm: dialog({ text: plain(a(301)) }) }))],
    '/blocks/0/elements/0/confirm/text/text',
  ],
  [
    'buttons of a confirmation',
    [actions(button({ confirm: dialog({ confirm: plain(a(30)), deny: plain(a(30)) }) }))],
    [actions(button({ confirm: dialog({ deny: plain(a(31)) }) }))],
    '/blocks/0/elements/0/confirm/deny/text',
  ],
  [
    'placeholder',
    [actions({ ...select(1), placeholder: plain(a(150)) })],
    [actions({ ...select(1), placeholder: plain(a(151)) })],
    '/blocks/0/elements/0/placeholder/text',
  ],
  ['type of a block', [{ type: 'divider' }], [{ type: 'dividers' }], '/blocks/0/type'],
  ['text or fields', [section('a')], [{ type: 'section' }], '/blocks/0'],
  [
    'same block_id',
    [
      { type: 'divider', block_id: 'x' },
      { type: 'divider', block_id: 'y' },
    ],
    [
      { type: 'divider', block_id: 'x' },
      { type: 'divider', block_id: 'x' },
    ],
    '/blocks/1/block_id',
  ],
  [
    'same action_id',
    [actions(button({ action_id: 'x' })), actions(button({ action_id: 'x' }))],
    [actions(button({ action_id: 'x' }), button({ action_id: 'x' }))],
    '/blocks/0/elements/1/action_id',
  ],
];

const pointerOf = (problem: string) => /\[json-pointer:(.+)\]$/.exec(problem)?.[1];

describe('the limits of blocks', () => {
  it.each(limits)('%s', (_name, allowed, refused, pointer) => {
    expect(messageProblems(allowed)).toEqual([]);
    expect(messageProblems(refused).map(pointerOf)).toEqual([pointer]);
  });

  it('names a missing and an unknown member', () => {
    expect(messageProblems([actions({ type: 'button', colour: 'red' })])).toEqual([
      'missing required field: text [json-pointer:/blocks/0/elements/0]',
      'invalid additional property: colour [json-pointer:/blocks/0/elements/0]',
    ]);
  });

  it.each([
    ['title', { title: plain(a(24)) }, { title: plain(a(25)) }, '/view/title/text'],
    ['submit', { submit: plain(a(24)) }, { submit: plain(a(25)) }, '/view/submit/text'],
    ['close', { close: plain(a(24)) }, { close: plain(a(25)) }, '/view/close/text'],
    [
      'blocks',
      { blocks: many(100, section('a')) },
      { blocks: many(101, section('a')) },
      '/view/blocks',
    ],
    [
      'metadata',
      { private_metadata: a(3000) },
      { private_metadata: a(3001) },
      '/view/private_metadata',
    ],
    ['callback_id', { callback_id: a(255) }, { callback_id: a(256) }, '/view/callback_id'],
  ])('of a view: %s', (_name, allowed, refused, pointer) => {
    const view = { type: 'modal', title: plain('T'), blocks: [section('a')] };
    expect(viewProblems({ ...view, ...allowed })).toEqual([]);
    expect(viewProblems({ ...view, ...refused }).map(pointerOf)).toEqual([pointer]);
  });

  it('takes inputs in a modal', () => {
    const input = (element: object, label = 'Reason') => ({
      type: 'modal',
      submit: plain('Send'),
      title: plain('T'),
      blocks: [{ type: 'input', label: plain(label), element }],
    });
    expect(viewProblems(input({ type: 'plain_text_input', multiline: true }))).toEqual([]);
    expect(viewProblems(input({ type: 'plain_text_input' }, a(2001))).map(pointerOf)).toEqual([
      '/view/blocks/0/label/text',
    ]);
    expect(viewProblems(input(button())).map(pointerOf)).toEqual(['/view/blocks/0/element/type']);
  });

  it('counts every text once', () => {
    const blocks = [section('abc'), actions(button({ value: 'not a text' })), { type: 'divider' }];
    expect(textLength(blocks)).toBe(5);
  });
});
