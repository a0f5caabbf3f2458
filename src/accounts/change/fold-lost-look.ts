import type { FailureFacts } from '../../lib/failure.ts';
import { firstPhase } from '../../operations/sending.ts';
import type { Folded } from '../../reconcile/flow.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { AccountChange, Doubt, Phase, Wish } from './account-change.ts';
import { doneWith } from './done-with.ts';
import { over } from './ending.ts';
import { outcomeOf, type Stand } from './stand.ts';

/** Waits between looks, as long as nothing is to be seen. */
const LOOKS_MS = [1_000, 2_000, 5_000, 10_000] as const;
/** So often the same is sent once more by itself. */
const RESENDS_MAX = 2;

interface Times {
  /** What was seen may be as old as that. */
  readonly seenAt: number;
  readonly now: number;
}

/** An answer was lost: how do the accounts stand? */
export function foldLostLook(
  change: AccountChange,
  phase: Extract<Phase, { name: 'look' }>,
  seen: Stand | FailureFacts,
  { seenAt, now }: Times,
): Folded<AccountChange> {
  const { doubt } = change;
  if (doubt === undefined) throw new Error('what was lost is in doubt');
  const lookAt = (at: number): Folded<AccountChange> => ({
    data: { ...change, phase: { ...phase, looks: phase.looks + 1, notBefore: at } },
  });
  const soon = now + (LOOKS_MS[phase.looks] ?? 0);
  if ('class' in seen) {
    const isLast = phase.looks >= LOOKS_MS.length;
    return isLast
      ? over(change, { code: 'unknown' })
      : lookAt(now + (seen.retryAfterMs ?? soon - now));
  }
  if (seen.kind === 'fulfilled') {
    return over(change, { ...doneWith(change.wish, seen.account), found: true });
  }
  if (seen.kind !== 'untouched') return over(change, outcomeOf(seen));
  if (mayRepeat(change.wish, doubt, seenAt)) {
    return { data: { ...change, phase: firstPhase(now + LOOKS_MS[0] * doubt.lost) } };
  }
  if (seenAt < doubt.quietAt) return lookAt(Math.min(Math.max(soon, now + 250), doubt.quietAt));
  return over(change, { code: canTell(change.wish, seen.account) ? 'not-done' : 'unknown' });
}

/**
 * A change sets what it names, whatever it was, so that it may be sent once more when its own call
 * has ended; anything else when nothing can be on its way any more. Who was deactivated and is still,
 * may have been so again: only a person sends that once more.
 */
function mayRepeat(wish: Wish, { lost, hasEnded, quietAt }: Doubt, seenAt: number): boolean {
  if (lost > RESENDS_MAX) return false;
  if (wish.kind !== 'create') return hasEnded || seenAt >= quietAt;
  return wish.foreseen.kind !== 'reactivate' && seenAt >= quietAt;
}

/** Whether the account would show that it was done. */
function canTell(wish: Wish, account: UserProfile | null): boolean {
  if (wish.kind === 'create') return wish.foreseen.kind !== 'link';
  return wish.kind === 'edit' || account?.active !== null;
}
