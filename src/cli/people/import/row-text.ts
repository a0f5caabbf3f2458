import { padLine } from '../display-width.ts';
import type { RowResult, RowWord } from './row-result.ts';

const WOULD = {
  create: 'would create an account',
  link: 'would link to',
  're-activate': 'would re-activate',
  update: 'would change',
  deactivate: 'would deactivate',
  unchanged: 'has all of this already',
  refused: 'refused:',
  unknown: 'not known:',
} as const satisfies Record<RowWord, string>;

const DID = {
  ...WOULD,
  create: 'created',
  link: 'linked to',
  're-activate': 're-activated',
  update: 'changed',
  deactivate: 'deactivated',
} as const satisfies Record<RowWord, string>;

/** `Row 2  una@example.com  created: Job title`, aligned to rows up to `widths`. */
export function rowText(
  { row, userName, result, attributes, detail }: RowResult,
  { isPlan, widths }: { readonly isPlan: boolean; readonly widths: RowWidths },
): string {
  const words = [(isPlan ? WOULD : DID)[result], ...(detail === null ? [] : [detail])].join(' ');
  const sets = attributes.length === 0 ? '' : `: ${attributes.join(', ')}`;
  const head = `Row ${String(row).padEnd(widths.row)}  ${padLine(userName, widths.userName)}`;
  return `${head}  ${words}${sets}`;
}

export interface RowWidths {
  readonly row: number;
  readonly userName: number;
}

const COUNTED = {
  create: 'created',
  link: 'linked',
  're-activate': 're-activated',
  update: 'changed',
  deactivate: 'deactivated',
  unchanged: 'unchanged',
  refused: 'refused',
  unknown: 'not known',
} as const satisfies Record<RowWord, string>;

const PLANNED = {
  ...COUNTED,
  create: 'to create',
  link: 'to link',
  're-activate': 'to re-activate',
  update: 'to change',
  deactivate: 'to deactivate',
} as const satisfies Record<RowWord, string>;

const ENDED = {
  ...COUNTED,
  update: 'updated',
  unknown: 'unknown',
} as const satisfies Record<RowWord, string>;

/** Rows for programs: `create` is what a row would do, `created` what it did. */
export function rowsJson(results: readonly RowResult[], isPlan: boolean): readonly object[] {
  return results.map((each) => ({ ...each, result: isPlan ? each.result : ENDED[each.result] }));
}

/** `7 rows: 3 created, 1 linked, 3 unchanged.` */
export function summaryText(results: readonly RowResult[], isPlan: boolean): string {
  const words = isPlan ? PLANNED : COUNTED;
  // as: COUNTED has these names and no others
  const counts = (Object.keys(COUNTED) as RowWord[])
    .map((word) => ({ word, count: results.filter(({ result }) => result === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${words[word]}`);
  const rows = results.length === 1 ? '1 row' : `${results.length} rows`;
  return counts.length === 0 ? `${rows}.` : `${rows}: ${counts.join(', ')}.`;
}
