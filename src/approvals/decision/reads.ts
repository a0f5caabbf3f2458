import type { Due } from '../../core/engine/first-due.ts';
import type { Approval } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { type ReadClosing, readsClosing } from './closed.ts';
import type { Moment } from './guard.ts';

/** What guards read from the store, in one table; `plan.ts` has the places of the moments. */

export type Read = ReadClosing;

export const READS = { 'read-closing': readsClosing };

/** The first read that is due at that moment. */
export function dueRead(moment: Moment) {
  return (approval: Approval, terms: Terms, now: number): Due<Read> => {
    const dues = Object.values(READS).map(({ due }) => due[moment]?.(approval, terms, now) ?? null);
    const steps = dues.filter((due) => due !== null && typeof due !== 'number');
    const times = dues.filter((due) => typeof due === 'number');
    return steps[0] ?? (times.length === 0 ? null : Math.min(...times));
  };
}
