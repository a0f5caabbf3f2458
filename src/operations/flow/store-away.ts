/** What is said where something could not be recorded. */

import { StoreError } from '../../core/store/store.ts';

/** For `catch`: unavailable, it is not stored; unknown, it may be. */
export function storeTrouble(error: unknown): StoreError['code'] {
  if (error instanceof StoreError) return error.code;
  throw error;
}

/** Plain. Whether an earlier press was recorded is not known here, so nothing is said of what was done. */
export function notRecorded(error: unknown): string {
  return storeTrouble(error) === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
}

const NOT_RECORDED =
  'This was not recorded because Gatepost cannot store it right now. Try again in a minute.';
const MAYBE_RECORDED =
  'It is not known whether this was recorded. Try again: nothing is done twice.';
