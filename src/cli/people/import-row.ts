import { cleanLine } from '../../core/lib/clean-line.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import type { UserFinder } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import { ATTRIBUTES, accountChanges, accountName } from '../../operations/accounts/account.ts';
import { type Change, isDone } from '../../operations/accounts/change.ts';
import { doneText } from '../../operations/accounts/change-result.ts';
import { wantedOf } from '../../operations/accounts/compare-accounts.ts';
import {
  foreseeProvisioning,
  provisioningSentence,
} from '../../operations/accounts/provisioning.ts';
import { padLine } from '../table.ts';
import {
  type End,
  endText,
  type PlannedChange,
  planCreating,
  planEdit,
  planSwitch,
} from './change.ts';
import type { ImportRow } from './import-file.ts';

const NOTHING_TO_DEACTIVATE =
  'The service shows no account with this address, so this row cannot deactivate one.';

/** What a row will do. */
type RowPlan =
  | { readonly kind: 'change'; readonly planned: PlannedChange }
  /** The account already has these values. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Plans a row. An account that already has the values is left alone; one without an external id is linked, which sets
 * the differences; one with an external id is changed; a deactivated one is reactivated only if the row says so. Throws
 * RemoteFailure.
 */
export async function planRow(users: UserFinder, { user, problem }: ImportRow): Promise<RowPlan> {
  if (problem !== null) return { kind: 'refused', reason: problem };
  const foreseen = await foreseeProvisioning(users, user);
  switch (foreseen.kind) {
    case 'collision':
    case 'several':
      return { kind: 'refused', reason: provisioningSentence(foreseen, user.userName) };
    case 'new':
      if (user.active === false) return { kind: 'refused', reason: NOTHING_TO_DEACTIVATE };
      return changed(planCreating(user, foreseen));
  }
  const { account } = foreseen;
  const { userName, ...wanted } = user;
  // It was found by its external id.
  if (foldEmail(account.userName) !== foldEmail(userName)) {
    return { kind: 'refused', reason: otherAddressReason(account) };
  }
  const values = accountChanges(account, wanted);
  if (foreseen.kind === 'reactivate' && user.active !== false) {
    // Somebody may have deactivated the account after the file was written.
    return user.active === undefined
      ? { kind: 'refused', reason: deactivatedReason(account) }
      : changed(planCreating(user, foreseen));
  }
  if (Object.keys(values).length === 0) return { kind: 'unchanged' };
  if (values.active === false) {
    return changed(planSwitch(account, 'deactivate', values));
  }
  // Creating would reactivate it.
  const isLinked = account.externalId !== null || account.active === false;
  return isLinked ? changed(planEdit(account, values)) : changed(planCreating(user, foreseen));
}

function changed(planned: PlannedChange): RowPlan {
  return { kind: 'change', planned };
}

function otherAddressReason(account: UserProfile): string {
  return `${accountName(account)} has this external id but a different address. Change the address in the service itself, or correct this row.`;
}

function deactivatedReason(account: UserProfile): string {
  return `${accountName(account)} is deactivated. To re-activate the account, set active to true in this row.`;
}

export type RowWord =
  | 'create'
  | 'link'
  | 're-activate'
  | 'update'
  | 'deactivate'
  | 'unchanged'
  | 'refused'
  | 'unknown';

/** The report on a row: before or after it is carried out. */
export interface RowResult {
  readonly row: number;
  readonly userName: string;
  readonly result: RowWord;
  /** Names of the attributes it sets, without values. */
  readonly attributes: readonly string[];
  /** More detail, in words; null: none. */
  readonly detail: string | null;
}

/** What a row would do. */
export function plannedRow(row: ImportRow, plan: RowPlan): RowResult {
  const common = { row: row.number, userName: cleanLine(row.user.userName) };
  switch (plan.kind) {
    case 'refused':
      return { ...common, result: 'refused', attributes: [], detail: plan.reason };
    case 'unchanged':
      return { ...common, result: 'unchanged', attributes: [], detail: null };
    case 'change': {
      const { planned } = plan;
      const { change, account } = planned;
      const detail = account === null ? null : accountName(account);
      return { ...common, result: wordFor(change), attributes: attributesOf(planned), detail };
    }
  }
}

/** What a row did. */
export function doneRow(row: ImportRow, planned: PlannedChange, end: End): RowResult {
  const asPlanned = plannedRow(row, changed(planned));
  const { outcome, ...rest } = end;
  const failed = (result: RowWord, detail: string): RowResult => {
    return { ...asPlanned, result, attributes: [], detail };
  };
  if (outcome === undefined || !isDone(outcome)) {
    if (outcome?.code === 'already') return plannedRow(row, { kind: 'unchanged' });
    const isKnown = outcome !== undefined && outcome.code !== 'unknown' && !rest.unconfirmed;
    const text = endText(planned.change, { ...(outcome && { outcome }), ...rest });
    return failed(isKnown ? 'refused' : 'unknown', text);
  }
  const { unlike } = outcome;
  return unlike.length > 0 ? failed('unknown', doneText(outcome, '')) : asPlanned;
}

function wordFor(change: Change): RowWord {
  if (change.kind !== 'create') return change.kind === 'edit' ? 'update' : 'deactivate';
  return ({ new: 'create', link: 'link', reactivate: 're-activate' } as const)[
    change.foreseen.kind
  ];
}

function attributesOf({ change, account }: PlannedChange): string[] {
  const wanted = wantedOf(change);
  const set = account === null ? wanted : accountChanges(account, wanted);
  // as: both have names of attributes
  const names = Object.keys(set) as (keyof UserAttributes)[];
  return names.filter((name) => name !== 'active').map((name) => ATTRIBUTES[name].name);
}

const WOULD = {
  create: 'would create an account',
  link: 'would link to',
  're-activate': 'would re-activate',
  update: 'would change',
  deactivate: 'would deactivate',
  unchanged: 'already has all of this',
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

/** `Row 2  una@example.com  created: Job title`, aligned to `widths`. */
export function rowText(
  { row, userName, result, attributes, detail }: RowResult,
  { isPlan, widths }: { readonly isPlan: boolean; readonly widths: RowWidths },
): string {
  const words = [(isPlan ? WOULD : DID)[result], ...(detail === null ? [] : [detail])].join(' ');
  const sets = attributes.length === 0 ? '' : `: ${attributes.join(', ')}`;
  const head = `Row ${String(row).padEnd(widths.row)}  ${padLine(userName, widths.userName)}`;
  return `${head}  ${words}${sets}`;
}

interface RowWidths {
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

/** Rows for programs: `create` is planned, `created` is done. */
export function rowsJson(results: readonly RowResult[], isPlan: boolean): readonly object[] {
  return results.map((each) => ({ ...each, result: isPlan ? each.result : ENDED[each.result] }));
}

/** `7 rows: 3 created, 1 linked, 3 unchanged.` */
export function summaryText(results: readonly RowResult[], isPlan: boolean): string {
  const words = isPlan ? PLANNED : COUNTED;
  // as: COUNTED has exactly these names
  const counts = (Object.keys(COUNTED) as RowWord[])
    .map((word) => ({ word, count: results.filter(({ result }) => result === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${words[word]}`);
  const rows = results.length === 1 ? '1 row' : `${results.length} rows`;
  return counts.length === 0 ? `${rows}.` : `${rows}: ${counts.join(', ')}.`;
}
