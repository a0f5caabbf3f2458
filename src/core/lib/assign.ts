/** A group of equal places, and the people assigned to them. */
interface Filled<Place, Person> {
  readonly place: Place;
  readonly filledBy: readonly Person[];
}

/**
 * Assigns these people to as many places as possible, one each. Earlier people are never dropped for later ones. (A
 * maximum bipartite matching, by augmenting paths.)
 */
export function assign<Place extends { readonly count: number }, Person>(
  places: readonly Place[],
  people: readonly Person[],
  canFill: (person: Person, place: Place) => boolean,
): readonly Filled<Place, Person>[] {
  const all = places.map((place) => ({ place, filledBy: [] as Person[] }));
  const seat = (person: Person, tried: Set<Place>): boolean => {
    for (const { place, filledBy } of all) {
      if (tried.has(place) || !canFill(person, place)) continue;
      tried.add(place);
      const isFree = filledBy.length < place.count;
      const leaving = isFree ? filledBy.length : filledBy.findIndex((each) => seat(each, tried));
      if (leaving < 0) continue;
      filledBy[leaving] = person;
      return true;
    }
    return false;
  };
  let open = places.reduce((sum, { count }) => sum + count, 0);
  for (const person of people) {
    if (open === 0) break;
    if (seat(person, new Set())) open -= 1;
  }
  return all;
}
