import { casesIn } from './checker.ts';
import type { Evidence } from './evidence.ts';
import { ABSENCE_ROWS } from './rules-met/absences.ts';
import { DECISION_ROWS } from './rules-met/decisions.ts';
import { HOLD_ROWS } from './rules-met/holds.ts';
import { NEED_ROWS } from './rules-met/needs.ts';
import { PRESS_ORDER_ROWS } from './rules-met/press-order.ts';
import { RESULT_ROWS } from './rules-met/results.ts';
import { REVIEWER_ROWS } from './rules-met/reviewers.ts';
import type { RuleMet } from './rules-met/row.ts';
import { SHOWN_ROWS } from './rules-met/shown.ts';

/** A run of 300 approvals should meet each of them, except what only a store that goes back can meet. */
const ROWS: readonly RuleMet[] = [
  ...HOLD_ROWS,
  ...PRESS_ORDER_ROWS,
  ...NEED_ROWS,
  ...REVIEWER_ROWS,
  ...ABSENCE_ROWS,
  ...DECISION_ROWS,
  ...SHOWN_ROWS,
  ...RESULT_ROWS,
];

export const RULE_NAMES = ROWS.map(({ rule, meets }) => `${rule}: ${meets}`);

/** How often each row was met, in the order of the rows. */
export function rulesMet(evidence: Evidence): number[] {
  const cases = casesIn(evidence);
  return ROWS.map(({ count }) => cases.reduce((sum, seen) => sum + count(seen), 0));
}

export function added(one: readonly number[], other: readonly number[]): number[] {
  return ROWS.map((_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}

/** Names of the rows that were never met. `hasLapses`: some store went back. */
export function unmetIn(counts: readonly number[], hasLapses = true): string[] {
  const isOwed = (at: number) => hasLapses || ROWS[at]?.isOfLapses !== true;
  return RULE_NAMES.filter((_, at) => !counts[at] && isOwed(at));
}

/** Names of the rows that were met. */
export function metIn(counts: readonly number[]): string[] {
  return RULE_NAMES.filter((_, at) => counts[at]);
}

const WIDTH = Math.max(...ROWS.map(({ meets }) => meets.length));

/** As text: how often each rule was met. */
export function metTable(counts: readonly number[]): string {
  return ROWS.map(({ rule, meets }, at) => {
    const count = counts[at] ?? 0;
    return `${rule.padEnd(16)} ${meets.padEnd(WIDTH)} ${count === 0 ? 'NEVER MET' : count}\n`;
  }).join('');
}
