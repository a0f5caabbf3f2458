import { ATTRIBUTES, accountChanges, accountName } from '../../../accounts/account.ts';
import { cleanLine } from '../../../lib/clean-line.ts';
import type { UserAttributes } from '../../../service/user-attributes.ts';
import { accountBefore, type Change, type Result, wantedOf } from '../change.ts';
import { differences } from '../differences.ts';
import { differingText, resultText } from '../sentences.ts';
import type { RowPlan } from './plan-row.ts';
import type { ImportRow } from './read-rows.ts';

export type RowWord =
  | 'create'
  | 'link'
  | 're-activate'
  | 'update'
  | 'deactivate'
  | 'unchanged'
  | 'refused'
  | 'unknown';

/** What is told of a row: before it is done, or after. */
export interface RowResult {
  readonly row: number;
  readonly userName: string;
  readonly result: RowWord;
  /** Names of the attributes that it sets, never what is in them. */
  readonly attributes: readonly string[];
  /** More of it, in words; null: nothing. */
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
      const { change } = plan;
      const result = wordFor(change);
      return { ...common, result, attributes: attributesOf(change), detail: whose(change) };
    }
  }
}

/** What came of it. */
export function doneRow(row: ImportRow, change: Change, result: Result): RowResult {
  const planned = plannedRow(row, { kind: 'change', change });
  const differing = differences(change, result);
  if (differing.length > 0) {
    return { ...planned, result: 'unknown', attributes: [], detail: differingText(differing) };
  }
  if (result.kind === 'done') return planned;
  const word = result.kind === 'refused' ? 'refused' : 'unknown';
  return { ...planned, result: word, attributes: [], detail: resultText(change, result) };
}

function wordFor(change: Change): RowWord {
  if (change.kind !== 'create') return change.kind === 'update' ? 'update' : 'deactivate';
  return ({ new: 'create', link: 'link', reactivate: 're-activate' } as const)[
    change.foreseen.kind
  ];
}

function attributesOf(change: Change): string[] {
  const account = accountBefore(change);
  const set = account === null ? wantedOf(change) : accountChanges(account, wantedOf(change));
  // as: both have names of attributes
  const names = Object.keys(set) as (keyof UserAttributes)[];
  return names.filter((name) => name !== 'active').map((name) => ATTRIBUTES[name].name);
}

function whose(change: Change): string | null {
  const account = accountBefore(change);
  return account === null ? null : accountName(account);
}
