import type { NeedSeen } from './evidence.ts';

/** Whether a person is one of those whom a need names. */
export type Fits<Person> = (person: Person, need: NeedSeen) => boolean;

/**
 * Whether different people of these can fill every place: all ways of it are tried, one after the other. People are few, and
 * whoever looks for a mistake in a clever way must not make the same.
 */
export function canFillAll<Person>(
  needs: readonly NeedSeen[],
  people: readonly Person[],
  fits: Fits<Person>,
): boolean {
  const [place, ...others] = needs.flatMap((need) => one(need));
  if (place === undefined) return true;
  return people.some(
    (person) =>
      fits(person, place) &&
      canFillAll(
        others,
        people.filter((each) => each !== person),
        fits,
      ),
  );
}

function one(need: NeedSeen): NeedSeen[] {
  return Array.from({ length: need.count }, () => ({ ...need, count: 1 }));
}

/** How many different people have to approve, at least. */
export function neededOf({
  quorum,
  needs = [],
}: {
  readonly quorum: number;
  readonly needs?: readonly NeedSeen[];
}): number {
  return Math.max(
    quorum,
    needs.reduce((sum, { count }) => sum + count, 0),
  );
}
