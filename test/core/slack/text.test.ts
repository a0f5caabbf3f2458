import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bold,
  clipText,
  code,
  dateText,
  escapeMrkdwn,
  inertText,
  itSays,
  joinSentences,
  mrkdwn,
  plain,
} from '../../../src/core/slack/text.ts';

const anyText = fc.string({
  unit: fc.constantFrom('&', '<', '>', ';', 'a', '😀', 'é', '|', '!', '@'),
});

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('escaping', () => {
  it.each([
    ['<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;@U1&gt;'],
    [
      '<https://evil.example|https://bank.example>',
      '&lt;https://evil.example|https://bank.example&gt;',
    ],
    ['&lt;', '&amp;lt;'],
    ['*bold* :tada:', '*bold* :tada:'],
  ])('makes %s harmless', (text, expected) => {
    expect(escapeMrkdwn(text)).toBe(expected);
  });

  it('leaves no bracket and loses nothing', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeMrkdwn(text);
        expect(escaped).not.toMatch(/[<>]/);
        expect(unescaped(escaped)).toBe(text);
      }),
    );
  });
});

describe('text within markup', () => {
  it.each([
    ['*bold* 2*3', '∗bold∗ 2∗3'],
    ['_slanted_ snake_case __init__', 'ˍslantedˍ snake_case ˍˍinitˍˍ'],
    ['~struck~ a~b ~/x', '∼struck∼ a~b ∼/x'],
    ['`id` and ```', 'ˋidˋ and ˋˋˋ'],
    [':tada: :+1::skin-tone-2: :100:', '∶tada: ∶+1:∶skin-tone-2: ∶100:'],
    [':Grüner_Haken: :承認:', '∶Grüner_Haken: ∶承認:'],
    ['at 12:30:45, 10:00', 'at 12:30:45, 10:00'],
    ['registry:5000/x:tag http://a.example:80', 'registry:5000/x:tag http://a.example:80'],
    ['<!here> & Ana', '&lt;!here&gt; &amp; Ana'],
  ])('of %s nothing takes effect', (text, expected) => {
    expect(inertText(text)).toBe(expected);
    expect(bold(inertText(text))).toBe(`*${expected}*`);
  });

  it('of code keeps each backtick', () => {
    expect(code('sh -c `id` *x*')).toBe('`sh -c ˋidˋ *x*`');
  });
});

describe('clipping', () => {
  it.each([
    ['abc', 3, 'abc', ''],
    ['abcd', 3, 'abc', 'd'],
    ['a&amp;b', 5, 'a', '&amp;b'],
    ['a&amp;b', 6, 'a&amp;', 'b'],
    ['a & b; c', 4, 'a & ', 'b; c'],
    ['ab😀', 3, 'ab', '😀'],
    ['ab😀c', 4, 'ab😀', 'c'],
  ])('%s at %i gives %s and %s', (text, max, head, rest) => {
    expect(clipText(text, max)).toEqual([head, rest]);
  });

  it('splits no entity or surrogate pair, keeps the limit, makes progress and loses nothing', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 5, max: 20 }), (text, max) => {
        const escaped = escapeMrkdwn(text);
        const [head, rest] = clipText(escaped, max);
        expect(head + rest).toBe(escaped);
        expect(head.length).toBeLessThanOrEqual(max);
        if (escaped !== '') expect(head).not.toBe('');
        expect(unescaped(head) + unescaped(rest)).toBe(text);
        expect(head).not.toMatch(/[\ud800-\udbff]$/);
      }),
    );
  });
});

it('a time is shown in the reader’s time zone, with an escaped fallback', () => {
  expect(dateText(1_700_000_000_999, '14 Nov <22:13>')).toBe(
    '<!date^1700000000^{date_short_pretty} at {time}|14 Nov &lt;22:13&gt;>',
  );
});

it('bare mentions are not turned into links', () => {
  expect(mrkdwn('@here')).toEqual({ type: 'mrkdwn', text: '@here', verbatim: true });
  expect(plain('Hi')).toEqual({ type: 'plain_text', text: 'Hi', emoji: true });
});

describe('a message of the service', () => {
  it('is quoted, and empty without words', () => {
    expect(itSays('Missing <Create tasks>')).toBe('It says: “Missing &lt;Create tasks&gt;”');
    expect(itSays(undefined)).toBe('');
  });

  it('fits into a section however much it is', () => {
    const detail = Array.from({ length: 10 }, () => '&'.repeat(300)).join('\n');
    const said = itSays(detail);
    expect(said.length).toBeLessThan(2_000);
    expect(said).toMatch(/\n• and 9 more$/);
  });

  it('is shown as a list when there are several reasons', () => {
    expect(joinSentences('Not moved.', itSays('one\ntwo'), 'Choose again.')).toBe(
      'Not moved. It says:\n• “one”\n• “two”\nChoose again.',
    );
  });
});
