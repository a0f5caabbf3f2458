import { describe, expect, it, test } from 'vitest';
import { messageMarkup, ownMarkup } from '../../../src/core/slack/message-markup.ts';

const lines = (...all: readonly string[]) => all.join('\n');
const section = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const words = (text: string, style = {}) => ({ type: 'text', text, style });
const rich = (...elements: readonly object[]) => ({
  text: '',
  blocks: [{ type: 'rich_text', elements }],
});
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const plain = (text: string) => ({ type: 'plain_text', text });

describe('the attachment of a monitoring app', () => {
  const fields = [
    { title: 'Service', value: 'checkout', short: true },
    { title: '', value: 'since noon' },
    { title: 'Region', value: '' },
  ];
  it.each<[string, object, string]>([
    [
      'a title, a text and fields',
      { title: 'p99 is high', fallback: 'p99 is high: 2 s', text: '2 s', fields },
      lines('p99 is high', '2 s', 'Service: checkout', 'since noon', 'Region'),
    ],
    [
      'a fallback in place of a title',
      { fallback: 'p99 is high', fields: fields.slice(0, 1) },
      'p99 is high\nService: checkout',
    ],
    ['a fallback alone', { fallback: 'p99 is high\nsince noon' }, 'p99 is high\nsince noon'],
    [
      'a fallback that its text repeats',
      { fallback: 'It is *down*', text: 'It is down\nnow' },
      'It is down\nnow',
    ],
    ['a fallback that says more', { fallback: 'Down\nHost: a', text: 'Host: a' }, 'Down\nHost: a'],
    [
      'a pretext',
      { title: 'Down', pretext: 'Heads up', text: 'Host: a' },
      'Down\nHeads up\nHost: a',
    ],
    [
      'a title that leads somewhere',
      { title: 'Down', title_link: 'https://m.example/1' },
      'Down\n<https://m.example/1>',
    ],
    [
      'blocks',
      {
        fallback: '[no preview available]',
        blocks: [
          { type: 'header', text: plain('Down') },
          { type: 'section', text: mrkdwn('*Host* a') },
        ],
      },
      'Down\n*Host* a',
    ],
    ['nothing that is known', { id: 7, color: 'danger', title: 3, fields: 'x', blocks: {} }, ''],
  ])('%s', (_what, attachment, markup) => {
    expect(messageMarkup({ text: '', attachments: [attachment] })).toBe(markup);
  });

  it('several attachments follow each other, below the text of the message', () => {
    const attachments = [{ title: 'One' }, { text: 'Two' }];
    expect(messageMarkup({ text: 'Alert', attachments })).toBe('Alert\n\nOne\n\nTwo');
    expect(messageMarkup({ attachments })).toBe('One\n\nTwo');
  });
});

describe('blocks', () => {
  it.each<[string, object, string]>([
    [
      'a header, a section with fields, a context',
      {
        text: 'Checkout is down…',
        blocks: [
          { type: 'header', text: plain('Checkout & pay <are> down &amp; out') },
          { type: 'divider' },
          {
            type: 'section',
            text: mrkdwn('Ask <@U0BEN>'),
            fields: [
              mrkdwn('*Priority:*\nHigh'),
              mrkdwn('*Region*\neu'),
              plain('One\nTwo'),
              mrkdwn('*a*\nb\nc'),
            ],
            accessory: { type: 'button', text: plain('Silence') },
          },
          {
            type: 'context',
            elements: [
              { type: 'image', image_url: 'x', alt_text: 'x' },
              mrkdwn('by *bot*'),
              plain('now'),
            ],
          },
          { type: 'actions', elements: [{ type: 'button', text: plain('Ack') }] },
        ],
      },
      lines(
        'Checkout &amp; pay &lt;are&gt; down &amp; out',
        'Ask <@U0BEN>',
        ...['Priority: High', 'Region: eu', 'One', 'Two', '*a*', 'b', 'c'],
        'by *bot* now',
      ),
    ],
    [
      'lists, in lists, that begin elsewhere',
      rich(
        section(words('Steps:\n')),
        {
          type: 'rich_text_list',
          style: 'ordered',
          offset: 1,
          elements: [section(words('Open')), section(words('Pay'))],
        },
        {
          type: 'rich_text_list',
          style: 'bullet',
          indent: 1,
          elements: [section(words('by card'))],
        },
      ),
      lines('Steps:', '2. Open', '3. Pay', '  • by card'),
    ],
    [
      'a quote and code',
      rich(
        { type: 'rich_text_quote', elements: [words('It fails\nagain')] },
        section(words('with '), words('__init__', { code: true }), words('a`b', { code: true })),
        {
          type: 'rich_text_preformatted',
          elements: [words('x < *y*\n'), { type: 'link', url: 'https://a.example' }],
        },
      ),
      lines(
        '&gt; It fails',
        '&gt; again',
        'with `__init__`a`b',
        '```',
        'x &lt; *y*',
        'https://a.example',
        '```',
      ),
    ],
    [
      'everything that is no text',
      rich(
        section(
          ...[
            { type: 'user', user_id: 'U0BEN' },
            words(' '),
            { type: 'channel', channel_id: 'C0QA' },
            words(' '),
          ],
          ...[
            { type: 'usergroup', usergroup_id: 'S0QA' },
            words(' '),
            { type: 'broadcast', range: 'here' },
            words(' '),
          ],
          ...[
            { type: 'emoji', name: 'tada' },
            words(' '),
            { type: 'color', value: '#ff0000' },
            words(' '),
          ],
          ...[{ type: 'link', url: 'https://a.example/?a&b|c', text: 'a > b' }, words(' ')],
          ...[
            { type: 'date', timestamp: 0, fallback: 'noon' },
            words(' '),
            { type: 'date', timestamp: 60 },
            { type: 'date' },
          ],
          { type: 'new', text: '!' },
        ),
      ),
      '<@U0BEN> <#C0QA> <!subteam^S0QA> <!here> :tada: #ff0000 <https://a.example/?a&amp;b%7Cc|a &gt; b> <!date^0^{date_short} {time}|noon> <!date^60^{date_short} {time}|1970-01-01 00:01 UTC>!',
    ],
    [
      'a table, and what is not known',
      {
        blocks: [
          {
            type: 'table',
            rows: [
              [
                { type: 'raw_text', text: 'a' },
                { type: 'raw_number', text: 1 },
              ],
              'x',
            ],
          },
          { type: 'markdown', text: '**b**' },
          {
            type: 'container',
            title: plain('c'),
            child_blocks: [{ type: 'header', text: plain('d') }],
          },
          { type: 'unheard_of', text: mrkdwn('e') },
          ...[null, 'x', 7, {}, { type: 'section', text: 3, fields: [null] }],
        ],
      },
      lines('a | 1', '**b**', 'c', 'd', 'e'),
    ],
  ])('%s', (_what, message, markup) => {
    expect(messageMarkup(message)).toBe(markup);
  });

  it('are used only when they say more than the text', () => {
    const said = {
      text: 'Ask *Ben*, who knows',
      ...{ blocks: rich(section(words('Ask'))).blocks },
    };
    expect(ownMarkup(said)).toBe('Ask *Ben*, who knows');
    expect(ownMarkup({ ...said, text: 'A…' })).toBe('Ask');
  });
});

describe('a forwarded message', () => {
  const share = {
    is_share: true,
    author_name: 'Ben & Co',
    from_url: 'https://acme.slack.com/archives/C0/p1',
  };
  const who = 'Forwarded from Ben &amp; Co, <https://acme.slack.com/archives/C0/p1>';
  it.each<[string, object, string]>([
    [
      'by its text',
      { ...share, text: 'It fails', fallback: '[Nov 25] ben: It fails' },
      `It fails\n\n${who}`,
    ],
    [
      'by its blocks',
      {
        ...share,
        text: '',
        message_blocks: [{ team: 'T', message: rich(section(words('It fails'))) }],
      },
      `It fails\n\n${who}`,
    ],
    [
      'of an app',
      { ...share, attachments: [{ title: 'Down', text: 'Host: a' }] },
      `Down\nHost: a\n\n${who}`,
    ],
    [
      'with a file',
      { ...share, text: '', files: [{ title: 'log.txt', preview: 'x' }] },
      `log.txt\n\`\`\`\nx\n\`\`\`\n\n${who}`,
    ],
    [
      'that is only known by its fallback',
      { ...share, fallback: 'It fails' },
      `It fails\n\n${who}`,
    ],
    ['of nobody', { is_msg_unfurl: true, text: 'It fails' }, 'It fails'],
  ])('%s', (_what, attachment, markup) => {
    expect(messageMarkup({ text: '', attachments: [attachment] })).toBe(markup);
    expect(messageMarkup({ text: 'Look', attachments: [attachment] })).toBe(`Look\n\n${markup}`);
  });

  it('is shown for an address in a message, and a web page only when there is no other text', () => {
    const text = '<https://a.example/1>';
    const page = {
      from_url: 'https://a.example/1',
      title: 'A page',
      text: 'of words',
      title_link: 'https://a.example/1',
    };
    expect(messageMarkup({ text, attachments: [page] })).toBe(`A page\nof words\n\n${text}`);
    expect(messageMarkup({ text: `See ${text}`, attachments: [page] })).toBe(`See ${text}`);
  });
});

test.each<[string, object, string]>([
  ['an upload', { title: 'Basket & co', name: 'basket.png' }, 'Basket &amp; co'],
  ['an upload without a title', { title: '', name: 'basket.png' }, 'basket.png'],
  [
    'a snippet',
    { title: 'fail.log', preview: 'a < *b*\n```c' },
    "fail.log\n```\na &lt; *b*\n'''c\n```",
  ],
  [
    'an e-mail',
    { title: 'x', subject: 'It fails', plain_text: 'Since <noon>' },
    'It fails\nSince &lt;noon&gt;',
  ],
  ['one that is gone', { mode: 'tombstone' }, ''],
])('a file is named, and shown as far as Slack gives its content: %s', (_what, file, markup) => {
  expect(messageMarkup({ text: '', files: [file] })).toBe(markup);
});

test.each([
  undefined,
  null,
  'x',
  7,
  [],
  {},
  { text: 3, blocks: 'x', attachments: {}, files: [null] },
])('nothing is read from %j', (message) => {
  expect(messageMarkup(message)).toBe('');
});
