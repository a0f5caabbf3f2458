import type { FailureFacts } from '../../lib/failure.ts';
import type { Folded } from '../../reconcile/flow.ts';
import { RETRY_MS } from '../../reconcile/patience.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { AccountChange, Phase } from './account-change.ts';
import { doneWith } from './done-with.ts';
import { over } from './ending.ts';
import type { Stand } from './stand.ts';

/** The service said that it did it, without showing the account: how does it stand? */
export function foldConfirmed(
  change: AccountChange,
  phase: Extract<Phase, { name: 'look' }>,
  seen: Stand | FailureFacts,
  now: number,
): Folded<AccountChange> {
  const { wish } = change;
  const account = 'class' in seen ? null : accountIn(seen);
  const done = doneWith(wish, account);
  const waitMs = RETRY_MS[phase.looks];
  // A list may be a moment behind.
  if ((account === null || done.unlike.length > 0) && waitMs !== undefined) {
    const notBefore = now + waitMs;
    return { data: { ...change, phase: { ...phase, looks: phase.looks + 1, notBefore } } };
  }
  return over(change, done);
}

function accountIn(seen: Stand): UserProfile | null {
  return 'account' in seen ? seen.account : null;
}
