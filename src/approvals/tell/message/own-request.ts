import type { Electorate } from '../../electorate/electorate.ts';
import { isOwnRequestUnknown } from '../../electorate/own-request.ts';

/** What people read about requesters who could decide their own request. */

/** What it means that it is not known who asked; undefined: it is known, or changes nothing. */
export function unknownRequester(electorate: Electorate): string | undefined {
  if (!isOwnRequestUnknown(electorate)) return undefined;
  return UNKNOWN_REQUESTER[electorate.selfApproval === 'loud' ? 'loud' : 'false'];
}

export const UNKNOWN_REQUESTER = {
  false: 'It is not known who asked: reviewers could approve their own request',
  loud: 'It is not known who asked: a reviewer could approve their own request before others are told',
} as const;
