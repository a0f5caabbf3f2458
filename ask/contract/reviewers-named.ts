/** People and groups from one list of addresses and ids. */
export function reviewersNamed(all: readonly string[]): {
  readonly users: string[];
  readonly groups: string[];
  readonly emails?: string[];
} {
  const emails = all.filter((each) => each.includes('@'));
  const ids = all.filter((each) => !each.includes('@'));
  return {
    users: ids.filter((id) => !id.startsWith('S')),
    groups: ids.filter((id) => id.startsWith('S')),
    ...(emails.length > 0 && { emails }),
  };
}
