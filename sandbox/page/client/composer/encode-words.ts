interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Typed text with mentions and links in Slack's syntax. `@Ana` and `@Ana Reyes` mean Ana, `#releases` that channel;
 * unknown names stay text.
 */
export function encodeWords(
  text: string,
  people: readonly Named[],
  channels: readonly Named[],
): string {
  const ids = new Map([
    ...people.map(({ id, name }) => [`@${name.split(' ')[0]}`.toLowerCase(), `<@${id}>`] as const),
    ...people.map(({ id, name }) => [`@${name}`.toLowerCase(), `<@${id}>`] as const),
    ...channels.map(({ id, name }) => [`#${name}`.toLowerCase(), `<#${id}>`] as const),
  ]);
  // Longest names first: `@Ana Reyes` before `@Ana`.
  const names = [...ids.keys()].sort((one, other) => other.length - one.length).map(escaped);
  if (names.length === 0) return text;
  const mark = new RegExp(`(?<![\\w@#])(?:${names.join('|')})(?![\\w-])|https?://[^\\s<>]+`, 'gi');
  return text.replace(mark, (found) => ids.get(found.toLowerCase()) ?? `<${found}>`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
