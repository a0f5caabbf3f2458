import { describe, expect, it } from 'vitest';
import { cleanLine } from '../../src/lib/clean-line.ts';

describe('cleanLine', () => {
  it.each([
    ['two\r\nlines', 'two lines'],
    ['a\u0000b\u001b[31mc\u007f', 'a b [31mc'],
    ['safe\u202egpj.exe', 'safe gpj.exe'],
    ['a\u2028b\u2029c\u0085d', 'a b c d'],
    ['half \ud83d pair', 'half pair'],
    ['  many \t  blanks ', 'many blanks'],
    ['Grüße 👩‍👩‍👧', 'Grüße 👩‍👩‍👧'],
    ['', ''],
  ])('makes %j one line', (text, line) => {
    expect(cleanLine(text)).toBe(line);
  });
});
