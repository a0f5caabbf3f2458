import type { Electorate } from '../../electorate/electorate.ts';

/**
 * A button to approve with, in place of the usual one, that asks only the requester for a reason: whether they press it
 * is known only after the press.
 */
export interface AskingButton {
  /** Its id. */
  readonly action: string;
  isFor(electorate: Electorate): boolean;
}
