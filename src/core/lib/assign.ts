/** A group of equal places, and who fills them. */
interface Filled<Place, Person> {
  readonly place: Place;
  readonly filledBy: readonly Person[];
}

/**
 * Fills as many places as these people can, one each. Whoever is earlier in the list is never left out for somebody
 * later. (A maximum matching in a bipartite graph, by augmenting paths.)
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
