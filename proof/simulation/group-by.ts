/** Without those that have no key. */
export function groupBy<Seen>(all: readonly Seen[], keyOf: (each: Seen) => string | undefined) {
  const groups = new Map<string, Seen[]>();
  for (const each of all) {
    const key = keyOf(each);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}
