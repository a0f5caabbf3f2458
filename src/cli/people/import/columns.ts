import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttribute } from '../../../accounts/account.ts';

/** What a column of a file holds. */
export type ColumnKind = 'userName' | 'active' | TextAttribute;

/** As the flags of the command line call them. */
export const COLUMN_NAMES: Readonly<Record<ColumnKind, string>> = {
  userName: 'user-name',
  ...mapped((name) => ATTRIBUTES[name].flag),
  active: ATTRIBUTES.active.flag,
};

/** Besides the flags: as SCIM calls them (RFC 7643 4.1), as people read them, and e-mail addresses. */
const OTHER_NAMES: readonly (readonly [string, ColumnKind])[] = [
  ['email', 'userName'],
  ['formatted', 'formattedName'],
  ['jobtitle', 'title'],
  ['firstname', 'givenName'],
  ['lastname', 'familyName'],
  ['nameformatted', 'formattedName'],
  ['namegivenname', 'givenName'],
  ['namefamilyname', 'familyName'],
];

const KINDS: ReadonlyMap<string, ColumnKind> = new Map([
  // as: COLUMN_NAMES has these names and no others
  ...(Object.entries(COLUMN_NAMES) as [ColumnKind, string][]).map(
    ([kind, name]) => [fold(name), kind] as const,
  ),
  ...OTHER_NAMES,
]);

/** What each column holds, or what is wrong with the first row. */
export type Columns =
  | { readonly kind: 'read'; readonly columns: readonly ColumnKind[] }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Reads the first row. Nothing of it is repeated: it may be somebody's already. */
export function readColumns(heads: readonly string[]): Columns {
  const columns: ColumnKind[] = [];
  for (const [index, head] of heads.entries()) {
    const kind = KINDS.get(fold(head));
    if (kind === undefined) return wrong(`column ${index + 1} is not known. ${KNOWN}`);
    const twin = columns.indexOf(kind);
    if (twin !== -1) return wrong(`columns ${twin + 1} and ${index + 1} are the same.`);
    columns.push(kind);
  }
  if (columns.includes('userName')) return { kind: 'read', columns };
  return wrong(`the column user-name is missing. ${KNOWN}`);
}

const KNOWN = `There can be ${Object.values(COLUMN_NAMES).join(', ')}.`;

function wrong(words: string): Columns {
  return { kind: 'wrong', problem: `The first row has to name the columns: ${words}` };
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function mapped(nameOf: (attribute: TextAttribute) => string): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [name, nameOf(name)]);
  return Object.fromEntries(entries) as Record<TextAttribute, string>; // as: of all of them
}
