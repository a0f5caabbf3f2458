import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  characterCount,
  clip,
  clipLines,
  clipWords,
  lineCount,
} from '../../../src/core/lib/clip.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('clip', () => {
  it.each([
    ['', 3, '', ''],
    ['abc', 3, 'abc', ''],
    ['abcd', 3, 'abc', 'd'],
    ['abc', 0, '', 'abc'],
    ['😀😀😀', 3, '😀😀😀', ''],
    ['😀😀😀', 2, '😀😀', '😀'],
    ['ae\u0301b', 2, 'a', 'e\u0301b'],
    ['ae\u0301b', 3, 'ae\u0301', 'b'],
    ['a👩‍👩‍👧b', 3, 'a', '👩‍👩‍👧b'],
    ['👩‍👩‍👧b', 3, '👩‍👩', '‍👧b'],
    ['line\r\nnext', 5, 'line', '\r\nnext'],
  ])('cuts %j after %i code points', (text, max, head, rest) => {
    expect(clip(text, max)).toEqual([head, rest]);
  });

  it('loses nothing, keeps to the limit and splits no surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const [head, rest] = clip(text, max);
        expect(head + rest).toBe(text);
        expect([...head].length).toBeLessThanOrEqual(max);
        expect([...head, ...rest]).toEqual([...text]);
        if (max > 0 && text !== '') expect(head).not.toBe('');
      }),
    );
  });
});

describe('clipWords', () => {
  it.each([
    ['one two three', 13, 'one two three', ''],
    ['one two three', 12, 'one two ', 'three'],
    ['one two three', 7, 'one two', ' three'],
    ['a fairly-long-word', 12, 'a fairly-lon', 'g-word'],
    ['unbroken', 4, 'unbr', 'oken'],
    ['a line\nand more of it', 9, 'a line\n', 'and more of it'],
    ['a\nline and more of it', 9, 'a\nline ', 'and more of it'],
    ['a whole line\nand', 15, 'a whole line\n', 'and'],
    [
      'no word ends here, but far before: 0123456789012345678901234567890',
      60,
      'no word ends here, but far before: 0123456789012345678901234',
      '567890',
    ],
  ])('cuts %j after at most %i units', (text, max, head, rest) => {
    expect(clipWords(text, max)).toEqual([head, rest]);
  });

  it('loses nothing, keeps the limit, and always makes progress', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '😀', 'e\u0301') });
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 20 }), (text, max) => {
        const [head, rest] = clipWords(text, max);
        expect(head + rest).toBe(text);
        expect(head.length).toBeLessThanOrEqual(max);
        expect(head).not.toMatch(/[\ud800-\udbff]$/);
        if (text !== '') expect(head).not.toBe('');
      }),
    );
  });
});

test('the length of a text is counted in characters, whatever its script', () => {
  const sign = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\ud83d', '\ude00', '漢', '\r\n'),
  );
  fc.assert(
    fc.property(fc.array(sign), (signs) => {
      const text = signs.join('');
      expect(characterCount(text)).toBe([...text].length);
    }),
  );
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['a\r\nb\r\n', 2],
  ['\n\n', 2],
])('%j has %i lines', (text, count) => {
  expect(lineCount(text)).toBe(count);
});

test.each([
  ['ab\ncd\nef', 8, 'ab\ncd\nef'],
  ['ab\ncd\nef', 7, 'ab\ncd\n'],
  ['ab\ncd\nef', 6, 'ab\ncd\n'],
  ['ab\ncd\nef', 5, 'ab\n'],
  ['ab\r\ncd\r\n', 7, 'ab\r\n'],
  ['ab\r\ncd\r\n', 3, ''],
  ['😀😀\n😀😀', 4, '😀😀\n'],
  ['abcdef\n', 3, ''],
  ['abc', 0, ''],
])('of %j the lines up to %i characters are %j', (text, max, head) => {
  expect(clipLines(text, max)).toBe(head);
});
