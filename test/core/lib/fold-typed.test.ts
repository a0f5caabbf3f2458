import { describe, expect, it } from 'vitest';
import { foldTyped, isHelp, isSameTyped } from '../../../src/core/lib/fold-typed.ts';

describe('what people type to look something up', () => {
  it.each([
    ['PAY\u201112', 'PAY-12'],
    ['PAY\u221212', 'PAY-12'],
    ['`PAY-12`', 'PAY-12'],
    ['“PAY-12”,', 'PAY-12'],
    ['PAY-\u200b12\ufeff', 'PAY-12'],
    ['(PAY–12).', 'PAY-12'],
    ['O’Brien', "O'Brien"],
    [' Big\u00a0\u3000smoke ', 'Big smoke'],
    ['-x_', '-x_'],
    ['C++', 'C++'],
    ['...', '...'],
  ])('“%s” is read as “%s”', (typed, folded) => {
    expect(foldTyped(typed)).toBe(folded);
  });

  it.each([
    ['«Big smoke»', 'big smoke'],
    ['Ｃｈｅｃｋｏｕｔ', 'Checkout'],
    ['Anna’s items', "Anna's Items"],
    ['e\u0301te\u0301', 'ÉTÉ'],
    ['check–out', 'Check-out'],
  ])('“%s” matches “%s”', (typed, name) => {
    expect(isSameTyped(typed, name)).toBe(true);
  });

  it('other names stay apart', () => {
    expect(isSameTyped('C', 'C++')).toBe(false);
    expect(isSameTyped('Check out', 'Checkout')).toBe(false);
  });

  it('a long run of punctuation takes no noticeable time', () => {
    const long = `a${'!'.repeat(50_000)}b`;
    expect(foldTyped(long)).toBe(long);
  });

  it.each([
    'help',
    ' HELP ',
    '--help',
    '\u2212\u2212help',
    '—help',
    '-h',
    '–h',
    '?',
    '？',
    '`help`',
    '“--help”',
    'help.',
    'Help?',
    '/help',
  ])('“%s” asks for help', (typed) => {
    expect(isHelp(typed)).toBe(true);
  });

  it.each(['', 'helpful', 'help me', '-x', '??', 'h'])('“%s” does not ask for help', (typed) => {
    expect(isHelp(typed)).toBe(false);
  });
});
