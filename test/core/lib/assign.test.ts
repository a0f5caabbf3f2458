import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assign } from '../../../src/core/lib/assign.ts';
import { cases } from '../../support/cases.ts';

interface Place {
  readonly count: number;
  /** Who can fill it. */
  readonly who: string;
}

const filling = (places: readonly Place[], people: string) =>
  assign(places, [...people], (person, { who }) => who.includes(person)).map(({ filledBy }) =>
    filledBy.join(''),
  );

describe('people are assigned to places', () => {
  test.each<[string, readonly Place[], string, readonly string[]]>([
    ['nobody', [{ count: 1, who: 'a' }], '', ['']],
    ['to nothing', [], 'ab', []],
    ['one each', [{ count: 2, who: 'a' }], 'aa', ['aa']],
    ['no more than there are', [{ count: 2, who: 'abc' }], 'abc', ['ab']],
    [
      'and make room for who can go nowhere else',
      [
        { count: 1, who: 'ab' },
        { count: 1, who: 'a' },
      ],
      'ab',
      ['b', 'a'],
    ],
    [
      'over several steps',
      [
        { count: 1, who: 'ad' },
        { count: 1, who: 'ab' },
        { count: 1, who: 'bc' },
      ],
      'abd',
      ['d', 'a', 'b'],
    ],
  ])('%s', (_what, places, people, filled) => {
    expect(filling(places, people)).toEqual(filled);
  });
});

const scene = fc.record({
  people: fc.integer({ min: 0, max: 5 }).map((count) => 'abcde'.slice(0, count)),
  places: fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 2 }),
      who: fc.subarray([...'abcde']).map((each) => each.join('')),
    }),
    { maxLength: 4 },
  ),
});

/** Tries every way to seat the people, one after the other. */
function most(places: readonly Place[], people: string): number {
  const [first, ...rest] = people;
  if (first === undefined) return 0;
  const others = rest.join('');
  const ways = places.flatMap((place, at) => {
    if (place.count === 0 || !place.who.includes(first)) return [];
    return [1 + most(places.with(at, { ...place, count: place.count - 1 }), others)];
  });
  return Math.max(most(places, others), ...ways);
}

test('as many places as possible are filled, and earlier people are not left out for later ones', () => {
  fc.assert(
    fc.property(scene, ({ people, places }) => {
      const filled = filling(places, people);
      const seated = filled.join('');
      const isRight = places.every(({ count, who }, at) => {
        const here = [...(filled[at] ?? '')];
        return here.length <= count && here.every((each) => who.includes(each));
      });
      // A person has a place where one more is filled with them than with those before them alone.
      const upTo = (count: number) => most(places, people.slice(0, count));
      const wanted = [...people].filter((_, at) => upTo(at + 1) > upTo(at));
      expect({ isRight, seated: [...seated].sort() }).toEqual({ isRight: true, seated: wanted });
    }),
    { numRuns: cases(1_000, 20_000) },
  );
});
