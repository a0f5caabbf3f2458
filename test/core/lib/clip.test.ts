import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip } from '../../../src/core/lib/clip.ts';

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
