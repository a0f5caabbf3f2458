/** The figures on the page: a test lets them only fall. */

export const PAGE = 'proof/removable/README.md';

const BEGIN = '<!-- removable: written by `npm run removable` -->';
const END = '<!-- /removable -->';

/** Throws if the page has no markers. */
export function withTable(page: string, counts: readonly (readonly [string, number])[]): string {
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined) throw new Error('the page has no markers');
  const rows = counts.map(([name, count]) => `| ${name} | ${count} |`);
  const table = ['| feature | other files |', '|---|---|', ...rows].join('\n');
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}

/** The counts that the page says, by feature. */
export function countsIn(page: string): ReadonlyMap<string, number> {
  const [, table = ''] = new RegExp(`${BEGIN}([^]*)${END}`).exec(page) ?? [];
  const rows = [...table.matchAll(/^\| (.+) \| (\d+) \|$/gmu)];
  return new Map(rows.map(([, name = '', count]) => [name, Number(count)]));
}
