import { describe, expect, it } from 'vitest';
import { type Inline, type Passage, parseMrkdwn } from '../../page/client/text/parse-mrkdwn.ts';

const lines = (...inside: Inline[]): Passage[] => [{ kind: 'lines', inside }];
const text = (words: string): Inline => ({ kind: 'text', text: words });

describe('parseMrkdwn', () => {
  it.each<[string, string, Inline[]]>([
    ['entities', '1 &lt; 2 &amp;&amp; 3 &gt; 2', [text('1 < 2 && 3 > 2')]],
    ['an entity that was escaped twice', '&amp;lt;', [text('&lt;')]],
    ['bold', 'a *b c* d', [text('a '), { kind: 'bold', inside: [text('b c')] }, text(' d')]],
    ['asterisks inside words', '2*3*4', [text('2*3*4')]],
    [
      'styles inside each other',
      '*_b_*',
      [{ kind: 'bold', inside: [{ kind: 'italic', inside: [text('b')] }] }],
    ],
    ['strike', '~x~', [{ kind: 'strike', inside: [text('x')] }]],
    ['code, in which nothing is a mark', '`*a* &lt;`', [{ kind: 'code', text: '*a* <' }]],
    ['a person', '<@U0ANA>', [{ kind: 'user', id: 'U0ANA', label: '' }]],
    ['a group', '<!subteam^S0REL|@rel>', [{ kind: 'group', id: 'S0REL', label: '@rel' }]],
    ['a channel', '<#C0DEPLOYS|dep>', [{ kind: 'channel', id: 'C0DEPLOYS', label: 'dep' }]],
    ['everybody', '<!here>', [{ kind: 'broadcast', name: 'here' }]],
    [
      'a link with words',
      '<https://x.example/?a=1&amp;b|a &lt; b>',
      [{ kind: 'link', href: 'https://x.example/?a=1&b', label: 'a < b' }],
    ],
    [
      'a link without',
      '<https://x.example>',
      [{ kind: 'link', href: 'https://x.example', label: 'https://x.example' }],
    ],
    ['emoji', ':tada:', [{ kind: 'emoji', name: 'tada' }]],
    ['two lines', 'a\nb', [text('a'), { kind: 'break' }, text('b')]],
    [
      'a date',
      '<!date^1700000000^{date} at {time}^https://x.example|then>',
      [
        {
          kind: 'date',
          seconds: 1_700_000_000,
          form: '{date} at {time}',
          href: 'https://x.example',
          fallback: 'then',
        },
      ],
    ],
  ])('reads %s', (_what, written, inside) => {
    expect(parseMrkdwn(written)).toEqual(lines(...inside));
  });

  it('separates quotes, code blocks and other lines', () => {
    expect(parseMrkdwn('a\n> b\n&gt;c\n\nd\n```\n*e*\n&lt;```f')).toEqual([
      ...lines(text('a')),
      { kind: 'quote', inside: [text('b'), { kind: 'break' }, text('c')] },
      ...lines(text('d')),
      { kind: 'code', text: '*e*\n<' },
      ...lines(text('f')),
    ]);
  });

  it('keeps empty lines between others', () => {
    expect(parseMrkdwn('a\n\nb')).toEqual(
      lines(text('a'), { kind: 'break' }, { kind: 'break' }, text('b')),
    );
  });

  it('returns nothing for an empty text', () => {
    expect(parseMrkdwn('')).toEqual([]);
  });
});
