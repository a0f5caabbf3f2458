import type { IdentityRule, Reviewers } from '../config/config.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { accountsRefused } from '../notices/key-notices.ts';
import type { Raise } from '../notices/raise-notice.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import type { Failed } from '../reconcile/settled.ts';
import type { PeopleLookup } from '../slack/lookup.ts';
import type { Directory } from './directory.ts';
import { type AccountBar, accountBar } from './identity.ts';
import { isNamed, NO_SUCH_PERSON } from './is-named.ts';
import type { SlackPerson } from './slack-person.ts';
import { type Standing, type StandingRules, standing } from './standing.ts';

export interface MayNeeds {
  readonly lookup: PeopleLookup;
  readonly workspace: Omit<StandingRules, 'guests'>;
  readonly who: Reviewers;
}

/** Why a person may not do something that only some may. */
export type Bar = 'not-named' | 'bot' | 'deactivated' | 'guest' | 'stranger' | 'other-company';

export type Permission<Code extends string = Bar> =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: Code }
  /** `of`: absent when it was Slack that could not be asked. */
  | (Failed & { readonly of?: 'service' });

interface Asker {
  readonly user: string;
  readonly channel: string;
}

/**
 * Finds out whether a person may do what only some may: a full member of an allowed workspace who is
 * named. Denied unless all of that is known. A failed lookup neither lets in nor turns away.
 */
export async function may(needs: MayNeeds, asker: Asker): Promise<Permission> {
  const found = await findAllowed(needs, asker, AbortSignal.timeout(STEP_MS));
  return found.kind === 'person' ? { kind: 'allowed' } : found;
}

/** Whose account in the service counts, and how. */
export interface AccountRule {
  readonly directory: Pick<Directory, 'serviceUserFor'>;
  readonly identity: IdentityRule;
  readonly raise: Raise;
}

export interface MayActNeeds extends MayNeeds {
  /** null: the account was read for the same press already. */
  readonly account: AccountRule | null;
}

/** Why a person may not act in the service. Nothing is sent of them, so an id that is lacking does not matter. */
export type ActBar = Bar | Exclude<AccountBar, 'no-external-id'> | 'address-not-confirmed';

/**
 * The same, of what is done in the service with Gatepost's own key: the person's account there has to
 * be active too, as it is read now. Throws StoreError.
 */
export async function mayAct(needs: MayActNeeds, asker: Asker): Promise<Permission<ActBar>> {
  const signal = AbortSignal.timeout(STEP_MS);
  const found = await findAllowed(needs, asker, signal);
  if (found.kind !== 'person') return found;
  if (needs.account === null) return { kind: 'allowed' };
  // Accounts are found by the address, and anyone can type one.
  if (found.person.isEmailConfirmed === false) {
    return { kind: 'not-allowed', code: 'address-not-confirmed' };
  }
  return judgeAccount(needs.account, found.person, signal);
}

async function judgeAccount(
  { directory, identity: rule, raise }: AccountRule,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<Permission<ActBar>> {
  try {
    const limits = { signal, deadlineMs: STEP_MS };
    const identity = await directory.serviceUserFor(person, limits);
    const bar = accountBar(identity, rule);
    const isAllowed = bar === null || bar === 'no-external-id';
    return isAllowed ? { kind: 'allowed' } : { kind: 'not-allowed', code: bar };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const { class: kind, status, code } = error.facts;
    if (kind === 'refused' && status !== 429) await raise(accountsRefused(String(status ?? code)));
    return { kind: 'failed', failure: error.facts, of: 'service' };
  }
}

/** The person, when they are one of those who may. */
async function findAllowed(
  needs: MayNeeds,
  { user, channel }: Asker,
  signal: AbortSignal,
): Promise<
  | { readonly kind: 'person'; readonly person: SlackPerson }
  | Exclude<Permission, { readonly kind: 'allowed' }>
> {
  try {
    const person = await needs.lookup.person(user, { signal });
    const bar = BARS[standing(person, { ...needs.workspace, guests: false })];
    if (bar !== null) return { kind: 'not-allowed', code: bar };
    const isOne =
      (await isNamed(needs.lookup, needs.who, user, signal)) ||
      (needs.who.channel && (await isInside(needs, channel, user, signal)));
    return isOne ? { kind: 'person', person } : { kind: 'not-allowed', code: 'not-named' };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return { kind: 'not-allowed', code: 'stranger' };
    return { kind: 'failed', failure: error.facts };
  }
}

/** An unconfirmed address matters only where an account is looked for by it. */
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

const ME = 'Type `/people me` to see what was looked for, and to tell an administrator.';

/** What a person reads whose account bars them: what holds, and what they can do. */
export const ACCOUNT_REFUSALS = {
  'address-not-confirmed': [
    'Your e-mail address is not confirmed in Slack, so your account in the service was not looked for.',
    'Confirm it in your Slack account settings, then try again.',
  ],
  inactive: ['Your account in the service is deactivated.', ME],
  'activity-unknown': ['The service does not say whether your account is active.', ME],
  'not-linked': [
    'Gatepost found no account of yours in the service.',
    `An administrator can give your account the e-mail address of your Slack profile, or link you in the configuration. ${ME}`,
  ],
  'several-accounts': [
    'Several accounts in the service have the e-mail address of your Slack profile.',
    ME,
  ],
  'account-changed': [
    'The e-mail address of your Slack profile leads to another account in the service than the one you are linked with.',
    `An administrator of Gatepost has to confirm the new one. ${ME}`,
  ],
  'account-lost': [
    'You were linked with an account in the service, and none has the e-mail address of your Slack profile any more.',
    ME,
  ],
  'account-taken': [
    'The account in the service with the e-mail address of your Slack profile is linked with somebody else.',
    `An administrator of Gatepost has to confirm whose it is. ${ME}`,
  ],
  'no-directory': ['Gatepost cannot look up accounts in the service.', ME],
} as const satisfies Record<Exclude<ActBar, Bar>, readonly [what: string, next: string]>;
