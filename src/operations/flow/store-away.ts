/** For requests that could not be recorded. */

import { StoreError } from '../../core/store/store.ts';

/** For `catch`: unavailable: not stored; unknown: possibly stored. */
export function storeTrouble(error: unknown): StoreError['code'] {
  if (error instanceof StoreError) return error.code;
  throw error;
}

/** Plain text. Does not say what was done, because an earlier press may have been recorded. */
export function notRecorded(error: unknown): string {
  return storeTrouble(error) === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
}

const NOT_RECORDED =
  'This was not recorded because Gatepost cannot store it right now. Try again in a minute.';
const MAYBE_RECORDED =
  'It is not known whether this was recorded. Try again: nothing is done twice.';
