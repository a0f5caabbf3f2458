import { BLOCKS, type FieldName } from './form-view.ts';

/** The one field that the service's words name, as the interface writes it (4.2); null: none, or several. */
export function fieldNamedIn(words: string): FieldName | null {
  // as: the keys of the table are the names
  const names = Object.keys(BLOCKS) as FieldName[];
  const named = names.filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'u').test(words));
  return named.length === 1 ? (named[0] ?? null) : null;
}
