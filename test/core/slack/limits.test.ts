import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  actions,
  button,
  confirm,
  context,
  fields,
  header,
  linkButton,
  overflowMenu,
  section,
} from '../../../src/core/slack/blocks.ts';
import { plain } from '../../../src/core/slack/text.ts';
import { messageSchema, viewSchema } from '../../support/slack-limits.ts';

const x = (count: number) => 'x'.repeat(count);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Where the first fault is; undefined: none. */
function faultIn(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && `/${issue.path.join('/')}`;
}

const ask = (title: number, text: number, yes: number, no: number) =>
  confirm(x(title), x(text), x(yes), x(no));
const menu = (options: number, text = 1, value = 1) => [
  actions('b', [
    overflowMenu(
      'a',
      times(options, () => [x(text), x(value)]),
    ),
  ]),
];
const click = (rest: object) => [actions('b', [{ ...button('a', 'Go', 'v'), ...rest }])];

describe('a message', () => {
  it.each<[string, unknown[], unknown[], string]>([
    ['a header of 150', [header(x(150))], [header(x(151))], '/blocks/0/text/text'],
    ['a section of 3000', [section(x(3000))], [section(x(3001))], '/blocks/0/text/text'],
    [
      '10 fields',
      [fields(times(10, () => 'f'))],
      [fields(times(11, () => 'f'))],
      '/blocks/0/fields',
    ],
    ['a field of 2000', [fields([x(2000)])], [fields([x(2001)])], '/blocks/0/fields/0/text'],
    [
      '10 texts of small print',
      [context(...times(10, () => 'c'))],
      [context(...times(11, () => 'c'))],
      '/blocks/0/elements',
    ],
    ['some text in a section', [section('a')], [section('')], '/blocks/0/text/text'],
    [
      '25 actions',
      [
        actions(
          'b',
          times(25, (i) => button(`a${i}`, 'Go', 'v')),
        ),
      ],
      [
        actions(
          'b',
          times(26, (i) => button(`a${i}`, 'Go', 'v')),
        ),
      ],
      '/blocks/0/elements',
    ],
    [
      'a label of 75',
      click({ text: plain(x(75)) }),
      click({ text: plain(x(76)) }),
      '/blocks/0/elements/0/text/text',
    ],
    [
      'a value of 2000',
      click({ value: x(2000) }),
      click({ value: x(2001) }),
      '/blocks/0/elements/0/value',
    ],
    [
      'a label for screen readers of 75',
      click({ accessibility_label: x(75) }),
      click({ accessibility_label: x(76) }),
      '/blocks/0/elements/0/accessibility_label',
    ],
    [
      'an address of 3000',
      [actions('b', [linkButton('a', 'Open', x(3000))])],
      [actions('b', [linkButton('a', 'Open', x(3001))])],
      '/blocks/0/elements/0/url',
    ],
    ['5 options in a menu', menu(5), menu(6), '/blocks/0/elements/0/options'],
    ['at least one option in a menu', menu(1), menu(0), '/blocks/0/elements/0/options'],
    [
      'an option text of 75 in a menu',
      menu(1, 75),
      menu(1, 76),
      '/blocks/0/elements/0/options/0/text/text',
    ],
    [
      'an option value of 75 in a menu',
      menu(1, 1, 75),
      menu(1, 1, 76),
      '/blocks/0/elements/0/options/0/value',
    ],
    [
      'an action id of 255',
      click({ action_id: x(255) }),
      click({ action_id: x(256) }),
      '/blocks/0/elements/0/action_id',
    ],
    [
      'a block id of 255',
      [actions(x(255), [button('a', 'Go', 'v')])],
      [actions(x(256), [button('a', 'Go', 'v')])],
      '/blocks/0/block_id',
    ],
    [
      'a question of 100, 300, 30, 30',
      click({ confirm: ask(100, 300, 30, 30) }),
      click({ confirm: ask(101, 300, 30, 30) }),
      '/blocks/0/elements/0/confirm/title/text',
    ],
    [
      'an answer of 30',
      click({ confirm: ask(1, 1, 30, 1) }),
      click({ confirm: ask(1, 1, 31, 1) }),
      '/blocks/0/elements/0/confirm/confirm/text',
    ],
    ['50 blocks', times(50, () => section('a')), times(51, () => section('a')), '/blocks'],
    [
      '10,000 characters in all',
      times(4, () => section(x(2500))),
      times(5, () => section(x(2001))),
      '/blocks',
    ],
    [
      'different block ids',
      [actions('b', [button('a', 'Go', 'v')]), actions('c', [button('a', 'Go', 'v')])],
      [actions('b', [button('a', 'Go', 'v')]), actions('b', [button('a', 'Go', 'v')])],
      '/blocks',
    ],
    [
      'different action ids in a block',
      [actions('b', [button('a', 'Go', 'v'), button('c', 'Go', 'v')])],
      [actions('b', [button('a', 'Go', 'v'), button('a', 'Go', 'v')])],
      '/blocks',
    ],
    ['blocks of known types', [{ type: 'divider' }], [{ type: 'marquee' }], '/blocks/0/type'],
  ])('may have %s and no more', (_, good, bad, pointer) => {
    expect(faultIn(messageSchema, { text: 't', blocks: good })).toBeUndefined();
    expect(faultIn(messageSchema, { text: 't', blocks: bad })).toBe(pointer);
  });

  it('always has a text for notifications', () => {
    expect(faultIn(messageSchema, { text: '', blocks: [section('a')] })).toBe('/text');
    expect(faultIn(messageSchema, { blocks: [section('a')] })).toBe('/text');
    expect(faultIn(messageSchema, { text: 'a' })).toBeUndefined();
  });
});

const option = (text: number, value: number) => ({ text: plain(x(text)), value: x(value) });
const select = (options: unknown[], rest: object = {}) => ({
  type: 'input',
  block_id: 'b',
  label: plain('Project'),
  element: { type: 'static_select', action_id: 'a', options },
  ...rest,
});
const view = (rest: object) => ({
  type: 'modal',
  callback_id: 'c',
  title: plain('Move'),
  blocks: [section('a')],
  ...rest,
});

describe('a view', () => {
  it.each<[string, object, object, string]>([
    ['a title of 24', { title: plain(x(24)) }, { title: plain(x(25)) }, '/title/text'],
    ['a submit of 24', { submit: plain(x(24)) }, { submit: plain(x(25)) }, '/submit/text'],
    ['a close of 24', { close: plain(x(24)) }, { close: plain(x(25)) }, '/close/text'],
    [
      'metadata of 3000',
      { private_metadata: x(3000) },
      { private_metadata: x(3001) },
      '/private_metadata',
    ],
    ['a callback id of 255', { callback_id: x(255) }, { callback_id: x(256) }, '/callback_id'],
    [
      '100 blocks',
      { blocks: times(100, () => section('a')) },
      { blocks: times(101, () => section('a')) },
      '/blocks',
    ],
    [
      'a label of 2000',
      { blocks: [select([option(1, 1)], { label: plain(x(2000)) })] },
      { blocks: [select([option(1, 1)], { label: plain(x(2001)) })] },
      '/blocks/0/label/text',
    ],
    [
      'a hint of 2000',
      { blocks: [select([option(1, 1)], { hint: plain(x(2000)) })] },
      { blocks: [select([option(1, 1)], { hint: plain(x(2001)) })] },
      '/blocks/0/hint/text',
    ],
    [
      'an option text of 75',
      { blocks: [select([option(75, 1)])] },
      { blocks: [select([option(76, 1)])] },
      '/blocks/0/element/options/0/text/text',
    ],
    [
      'an option value of 75',
      { blocks: [select([option(1, 75)])] },
      { blocks: [select([option(1, 76)])] },
      '/blocks/0/element/options/0/value',
    ],
    [
      '100 options',
      { blocks: [select(times(100, () => option(1, 1)))] },
      { blocks: [select(times(101, () => option(1, 1)))] },
      '/blocks/0/element/options',
    ],
    [
      'at least one option',
      { blocks: [select([option(1, 1)])] },
      { blocks: [select([])] },
      '/blocks/0/element/options',
    ],
    [
      'a placeholder of 150',
      {
        blocks: [
          select([], {
            element: { type: 'plain_text_input', action_id: 'a', placeholder: plain(x(150)) },
          }),
        ],
      },
      {
        blocks: [
          select([], {
            element: { type: 'plain_text_input', action_id: 'a', placeholder: plain(x(151)) },
          }),
        ],
      },
      '/blocks/0/element/placeholder/text',
    ],
  ])('may have %s and no more', (_, good, bad, pointer) => {
    expect(faultIn(viewSchema, view(good))).toBeUndefined();
    expect(faultIn(viewSchema, view(bad))).toBe(pointer);
  });
});
