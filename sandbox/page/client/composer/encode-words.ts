interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * What a person typed, with mentions and links as Slack writes them. `@Ana` and `@Ana Reyes` name Ana,
 * `#releases` that channel; what names nobody stays as it is.
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
  // The longest names first: `@Ana Reyes` before `@Ana`.
  const names = [...ids.keys()].sort((one, other) => other.length - one.length).map(escaped);
  if (names.length === 0) return text;
  const mark = new RegExp(`(?<![\\w@#])(?:${names.join('|')})(?![\\w-])|https?://[^\\s<>]+`, 'gi');
  return text.replace(mark, (found) => ids.get(found.toLowerCase()) ?? `<${found}>`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
