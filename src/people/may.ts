import type { Reviewers } from '../config/config.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import type { Failed } from '../reconcile/settled.ts';
import type { Lookup } from '../slack/lookup.ts';
import { isNamed, NO_SUCH_PERSON } from './is-named.ts';
import { type Standing, type StandingRules, standing } from './standing.ts';

export interface MayNeeds {
  readonly lookup: Pick<Lookup, 'person' | 'isMember' | 'groupMembers'>;
  readonly workspace: Omit<StandingRules, 'guests'>;
  readonly who: Reviewers;
}

/** Why a person may not do something that only some may. */
export type Bar = 'not-named' | 'bot' | 'deactivated' | 'guest' | 'stranger' | 'other-company';

export type Permission<Code extends string = Bar> =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: Code }
  | Failed;

/**
 * Finds out whether a person may do what only some may: a full member of an allowed workspace who is
 * named. Denied unless all of that is known. A failed lookup neither lets in nor turns away.
 */
export async function may(
  needs: MayNeeds,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<Permission> {
  const signal = AbortSignal.timeout(STEP_MS);
  try {
    const person = await needs.lookup.person(user, { signal });
    const bar = BARS[standing(person, { ...needs.workspace, guests: false })];
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

/** Nobody's address is compared with anything here, so an unconfirmed one does not matter. */
const BARS = {
  bot: 'bot',
  deactivated: 'deactivated',
  'other-team': 'other-company',
  stranger: 'stranger',
  guest: 'guest',
  'email-unconfirmed': null,
  member: null,
} satisfies Record<Standing, Bar | null>;

/** A channel that the bot is not in has nobody whom it lets in. */
async function isInside(
  { lookup }: MayNeeds,
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
