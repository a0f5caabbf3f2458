import process from 'node:process';

/** Whether there is time for many cases: in the slow tests. */
export const IS_AT_LENGTH = process.env.AT_LENGTH === 'true';

/** How many cases a test tries: few in the quick tests, many in the slow ones. */
export function cases(quick: number, slow: number): number {
  return IS_AT_LENGTH ? slow : quick;
}
