import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spellCode } from '../../../src/core/lib/clean-line.ts';
import {
  cutRuns,
  lengthOf,
  piecesOf,
  quotedWords,
  type Run,
  runsOf,
} from '../../../src/core/slack/rich-text.ts';
import { cases } from '../../support/cases.ts';

const text = (words: string): Run => ({ kind: 'text', text: words });
const link = (address: string): Run => ({ kind: 'link', text: address });

describe('an address', () => {
  test.each([
    'https://ci.example.com/runs/4711',
    'http://localhost:3000/?task=kiosk#s',
    'HTTPS://X.EXAMPLE',
    'https://en.example.org/wiki/Gate_(logic)',
  ])('%s is a link to what it shows', (address) => {
    expect(runsOf(`See ${address}.\nNow`)).toEqual([text('See '), link(address), text('.\nNow')]);
    expect(runsOf(`(${address})`)).toEqual([text('('), link(address), text(')')]);
  });

  test.each([
    'https://bank.example@evil.example/',
    'https://user:secret@evil.example',
    'https://b\u0430nk.example',
    'https://evil.example:80:80/',
    'https://evil.example|https://bank.example',
    'https://evil.example/p\u202eath',
    'https://exam\u200bple.com',
    'https://exam\u00adple.com',
    'http://',
    'ftp://files.example',
    'javascript:alert(1)',
    'slack://open',
  ])('%s is text', (words) => {
    expect(runsOf(words).map(({ kind }) => kind)).toEqual(['text']);
  });
});

describe('an address ends where its sentence goes on', () => {
  const ADDRESS = 'https://ci.example.com/runs/4711';
  test.each([
    ['詳細は', '。次へ'],
    ['', '、または'],
    ['（', '）です'],
    ['「', '」と'],
    ['', '，然后'],
    ['詳細は', 'を見てください。'],
    ['请看', '谢谢！'],
    ['', 'ビルド, 次へ'],
    ['', '에서 확인'],
    ['ดู', 'ก่อน'],
    ['', 'をAPIで.'],
    ['“', '” and'],
    ['‘', '’s page'],
    ['', '…and so on'],
    ['<a href="', '">run</a>'],
    ["<a href='", "'>run</a>"],
    ['{"url":"', '","state":"failed"}'],
    ['<', '>'],
    ['[the run](', ')**!**'],
    ['[the run](', '), then'],
    ['(see ', ').'],
    ['[', ']: failed'],
    ['', '.'],
    ['', ',\nnext'],
    ['«', '», done'],
    ['', '—failed'],
  ])('%s…%s', (before, after) => {
    const runs = runsOf(before + ADDRESS + after);
    expect(runs.filter(({ kind }) => kind === 'link')).toEqual([link(ADDRESS)]);
    expect(runs.map((run) => run.text).join('')).toBe(before + ADDRESS + after);
  });

  test('and the next address is a link too', () => {
    const words = `${ADDRESS}と${ADDRESS}を比べる`;
    expect(runsOf(words)).toEqual([
      ...[link(ADDRESS), text('と'), link(ADDRESS), text('を比べる')],
    ]);
  });

  test.each([
    'https://ja.example.org/wiki/日本',
    'https://ja.example.org/wiki/a日本/b',
    'https://ja.example.org/wiki/日本?a=b',
    'https://shop日本.example/',
    'https://例え.example/a',
  ])('and stays text where they may belong to it: %s', (words) => {
    expect(runsOf(words)).toEqual([text(words)]);
  });

  test('and stays text where it has a label, which would show something else', () => {
    expect(runsOf(`<${ADDRESS}|the run>`)).toEqual([text(`<${ADDRESS}|the run>`)]);
  });

  test.each([
    'https://en.example.org/wiki/Gate_(logic)',
    'https://a.example/(a)/(b)?c=(d)',
    'https://a.example/[id]',
    "https://a.example/it's",
    'https://a.example/a,b;c.d!e',
  ])('and not within: %s', (address) => {
    expect(
      runsOf(`(${address}), [it](${address})。`).filter(({ kind }) => kind === 'link'),
    ).toEqual([link(address), link(address)]);
  });
});

test('inline code and fences are recognized, without the language of a fence', () => {
  expect(runsOf('Run `make all`:\n```sh\nmake all\n```\nThen look.')).toEqual([
    text('Run '),
    { kind: 'code', text: 'make all' },
    text(':'),
    { kind: 'pre', text: 'make all' },
    text('Then look.'),
  ]);
  expect(runsOf('```\nnever closed')).toEqual([{ kind: 'pre', text: 'never closed' }]);
});

test('no other markup is interpreted', () => {
  const words = '*bold* _it_ ~no~ :tada: <!here> <@U0ANA> <https|x> &lt; > quoted ` ` ``` ```';
  expect(runsOf(words)).toEqual([text(words)]);
});

test('invisible and control characters are spelled out', () => {
  expect(runsOf('a\u202eb\u0007c\u200bd\u2060e\r\nf\u2028g\ud83d')).toEqual([
    text('a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩d⟨U+2060⟩e\nf⟨U+2028⟩g⟨U+D83D⟩'),
  ]);
  // What joins an emoji, or a word of a script that needs it, stays.
  const joined = '👩‍🚀 می\u200cخواهم क्\u200dष ✔\ufe0f';
  expect(runsOf(joined)).toEqual([text(joined)]);
});

test('a cut leaves no half of a character, and no half of an address as a link', () => {
  expect(cutRuns(runsOf('👩‍🚀👩‍🚀'), 8)).toEqual([[text('👩‍🚀…')], [text('…👩‍🚀')]]);
  expect(cutRuns(runsOf('See https://example.com/a'), 20)).toEqual([
    [text('See '), text('https://example…')],
    [text('….com/a')],
  ]);
  expect(cutRuns(runsOf('whole'), 5)).toEqual([[text('whole')], []]);
});

test('pieces contain everything, each within the given length', () => {
  const runs = runsOf(`${'word '.repeat(2_000)}\n\`\`\`\n${'code\n'.repeat(2_000)}\`\`\`\u1100`);
  const pieces = piecesOf(runs, 500);
  expect(pieces.every((piece) => lengthOf(piece) <= 500)).toBe(true);
  const all = pieces.flat().map((run) => run.text);
  expect(all.join('').replaceAll('…', '')).toBe(runs.map((run) => run.text).join(''));
  // A character without an end comes to one all the same.
  expect(piecesOf([text('\u1100'.repeat(3_000))], 500).length).toBeLessThan(20);
});

test('quoted words have separate blocks for preformatted text', () => {
  expect(quotedWords(runsOf('Run\n```\nls\n```\nnow')).elements.map(({ type }) => type)).toEqual([
    'rich_text_quote',
    'rich_text_preformatted',
    'rich_text_quote',
  ]);
});

test('an address ends where code begins', () => {
  const code = { kind: 'code', text: 'make\u27e8U+00A0\u27e9all' };
  expect(runsOf('https://ci.example.com/`make\u00a0all`')).toEqual([
    link('https://ci.example.com/'),
    code,
  ]);
});

test('characters in code are always spelled out as in code', () => {
  const sign = fc.constantFrom(
    ...['`', '`', '```', 'https://a', 'a', ' ', '\n', '\r', '\r\n', '\u00a0', '\u2009', '\u3000'],
    ...['\ufeff', '\u2028', '\u0085', '\u000b', '\u200b', '\u200c', '\u0645', '\u200d', '.'],
  );
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
      for (const { kind, text } of runsOf(signs.join(''))) {
        if (kind === 'code' || kind === 'pre') expect(spellCode(text).invisible).toBe(0);
      }
    }),
    { numRuns: cases(1_000, 20_000) },
  );
});
