import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedBy, readShortId, shortIdOf } from '../../../src/core/lib/short-id.ts';
import { anyCharacter } from '../../support/any-character.ts';

const ID = '0-Jx3kQ9a1Zp_8-s7d';
const SHORT = shortIdOf(ID);

/** Ids as the store makes them. */
const name = fc.string({
  unit: fc.constantFrom(...'ABCXYZabcxyz0189-_'),
  minLength: 16,
  maxLength: 16,
});
const anyId = fc.tuple(fc.nat(63), name).map(([shard, member]) => `${shard}-${member}`);

describe('a short id', () => {
  it('does not change between versions, since messages show it', () => {
    expect(SHORT).toBe('0D2K-9FFG');
  });

  it('has no ambiguous letters, and differs between records', () => {
    const shorts = Array.from({ length: 5_000 }, (_, at) => shortIdOf(`0-${at}`));
    expect(
      shorts.filter((short) => !/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/.test(short)),
    ).toEqual([]);
    expect(new Set(shorts).size).toBe(shorts.length);
    expect(new Set(shorts.join('')).size).toBe('-'.length + 32);
  });

  it('is read in any case, with look-alike letters, and with or without a hyphen', () => {
    const mixed = fc.tuple(anyId, fc.func(fc.boolean()), fc.constantFrom('-', ''));
    fc.assert(
      fc.property(mixed, ([id, isLower, hyphen]) => {
        const looksLike = (digit: string) =>
          digit === '1' ? (isLower(digit) ? 'l' : 'I') : digit === '0' ? 'O' : digit;
        const typed = [...shortIdOf(id).replace('-', hyphen)]
          .map((each, at) => (isLower(at) ? looksLike(each).toLowerCase() : looksLike(each)))
          .join('');
        expect(readShortId(typed)).toBe(shortIdOf(id));
        expect(namedBy(typed)(id)).toBe(true);
      }),
    );
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['half of one', '7H2N'],
    ['too short', '7H2N-K4Q'],
    ['too long', '7H2N-K4QMX'],
    ['a hyphen elsewhere', '7H-2NK4QM'],
    ['two hyphens', '7H2N--K4QM'],
    ['two words', '7H2N K4QM'],
    ['a letter that is not used', 'UUUU-UUUU'],
    ['a line end', '7H2N-K4QM\n'],
    ['a wide digit', '７H2N-K4QM'],
    ['letters that fold to others', 'ſſſſ-\u212a\u212a\u212a\u212a'],
    ['an emoji', '7H2N-K4Q\u{1F600}'],
    ['very long', '7'.repeat(1_000_000)],
  ])('%s is not a short id', (_, typed) => {
    expect(readShortId(typed)).toBeUndefined();
  });

  it('can be made of any text, and reading any text does not fail', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 40 });
    fc.assert(
      fc.property(text, text, (id, typed) => {
        expect(readShortId(shortIdOf(id))).toBe(shortIdOf(id));
        expect(readShortId(typed) ?? '0000-0000').toMatch(/^[\dA-Z]{4}-[\dA-Z]{4}$/);
        expect(namedBy(typed)(id)).toBeTypeOf('boolean');
      }),
    );
  });
});

describe('a record', () => {
  it.each([
    ID,
    SHORT,
    SHORT.toLowerCase(),
    SHORT.replace('-', ''),
    'Jx3kQ9a1',
    '0-Jx3kQ9a1',
    'Jx3kQ9a1Zp_8-s7d',
    'Jx3k',
  ])('is named by %s', (typed) => {
    expect(namedBy(typed)(ID)).toBe(true);
  });

  it.each(['', '0-', 'Jx3', 'jx3kq9a1', '1-Jx3kQ9a1', `${ID}0`, 'Q9a1Zp_8', shortIdOf('0-x')])(
    'is not named by %j',
    (typed) => {
      expect(namedBy(typed)(ID)).toBe(false);
    },
  );

  it('shares a prefix with another record, and both are found by it', () => {
    const ids = [ID, '3-Jx3kQ9a1AAAAAAAA', '0-Jx3kQ9a2AAAAAAAA'];
    expect(ids.filter(namedBy('Jx3kQ9a1'))).toEqual(ids.slice(0, 2));
  });
});
