import type { NeedSeen } from './evidence.ts';

/** Whether a person is one of those whom a need names. */
export type Fits<Person> = (person: Person, need: NeedSeen) => boolean;

/**
 * Whether different people of these can fill every place, by trying all assignments. There are few people, and the
 * check must not share a mistake with a clever algorithm.
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

/** The smallest number of different people who have to approve. */
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
