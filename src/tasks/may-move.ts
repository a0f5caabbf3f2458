import type { Config } from '../config/config.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { isNamed, NO_SUCH_PERSON } from '../people/is-named.ts';
import { type StandingRules, standing } from '../people/standing.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import type { Failed } from '../reconcile/settled.ts';
import type { Lookup } from '../slack/lookup.ts';
import { type MoveRefusal, STANDINGS } from './refusal.ts';

export interface MayMoveNeeds {
  readonly lookup: Pick<Lookup, 'person' | 'isMember' | 'groupMembers'>;
  readonly workspace: Omit<StandingRules, 'guests'>;
  readonly who: Config['move']['who'];
}

export type Permission =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: MoveRefusal }
  | Failed;

/**
 * Finds out whether a person may move work items: a full member of an allowed workspace who is named.
 * Denied unless all of that is known. A failed lookup neither lets in nor turns away.
 */
export async function mayMove(
  needs: MayMoveNeeds,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<Permission> {
  const signal = AbortSignal.timeout(STEP_MS);
  try {
    const person = await needs.lookup.person(user, { signal });
    const bar = STANDINGS[standing(person, { ...needs.workspace, guests: false })];
    if (bar !== null) return { kind: 'not-allowed', code: bar };
    const isOne =
      (await isNamed(needs.lookup, needs.who, user, signal)) ||
      (needs.who.channel && (await isInside(needs, channel, user, signal)));
    return isOne ? { kind: 'allowed' } : { kind: 'not-allowed', code: 'not-named' };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return { kind: 'not-allowed', code: 'stranger' };
    return { kind: 'failed', failure: error.facts };
  }
}

/** A channel that the bot is not in has nobody whom it lets in. */
async function isInside(
  { lookup }: MayMoveNeeds,
  channel: string,
  user: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await lookup.isMember(channel, user, { signal });
  } catch (error) {
    const isOutside = error instanceof RemoteFailure && OUTSIDE.has(error.code);
    if (!isOutside) throw error;
    return false;
  }
}

const OUTSIDE: ReadonlySet<string> = new Set(['channel_not_found', 'not_in_channel']);
