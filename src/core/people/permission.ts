/**
 * Who somebody is, and whether they can: their account in the service (`directory.ts`), the link that a
 * first decision makes (`identity-link.ts`), their membership in Slack (`membership.ts`). Features ask here
 * (this file) and decide nothing about people themselves.
 */

import { accountsRefused } from '../alerts/key-alerts.ts';
import type { IdentityRule, NamedPeople, Reviewers } from '../config/config.ts';
import type { Core } from '../core.ts';
import type { Failed } from '../engine/call-result.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { PeopleLookup } from '../slack/lookup.ts';
import { idsOf, NO_SUCH_PERSON, type SlackPerson } from '../slack/slack-person.ts';
import { type Store, StoreError } from '../store/store.ts';
import { type Reading, unseen } from './directory.ts';
import { type AccountDenial, accountDenial } from './identity.ts';
import { type Membership, membershipOf } from './membership.ts';

/** Why a restricted action is denied. */
export type Denial = 'not-named' | 'bot' | 'deactivated' | 'guest' | 'stranger' | 'other-company';

export type Permission<Code extends string = Denial> =
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
 * named. Denied unless all of that is known. A failed lookup neither grants nor denies.
 */
export async function authorizePerson(
  core: PersonCore,
  who: Reviewers,
  asker: Asker,
): Promise<Permission> {
  const found = await findAllowed(core, who, asker, core.timers.deadline(core.timing.stepMs));
  return found.kind === 'person' ? { kind: 'allowed' } : found;
}

/** Who may, and whose account in the service counts. */
export interface AccountRule {
  readonly who: Reviewers;
  readonly identity: IdentityRule;
  /** The account was read for the same press already. */
  readonly isAccountRead?: boolean;
}

/** Why a person is denied acting in the service. Nothing is sent of them, so an id that is lacking does not matter. */
export type DenialWithAccount = Denial | Exclude<AccountDenial, 'no-external-id'>;

/**
 * The same, of what is done in the service with Gatepost's own key: the person's account there has to
 * be active too, as it is read now.
 */
export async function authorizeWithAccount(
  core: Core,
  { who, identity, isAccountRead }: AccountRule,
  asker: Asker,
): Promise<Permission<DenialWithAccount>> {
  if (isAccountRead) return authorizePerson(core, who, asker);
  const { stepMs } = core.timing;
  const signal = core.timers.deadline(stepMs);
  const reading = { signal, deadlineMs: stepMs, since: core.ages.monotonic() };
  // Whom the configuration links is known by the id alone: their account is read while Slack is asked.
  core.directory.readAhead(unseen(asker.user), reading);
  const found = await findAllowed(core, who, asker, signal);
  if (found.kind !== 'person') return found;
  return judgeAccount(core, identity, found.person, reading);
}

async function judgeAccount(
  core: Core,
  rule: IdentityRule,
  person: SlackPerson,
  reading: Reading,
): Promise<Permission<DenialWithAccount>> {
  try {
    const { identity } = await core.directory.serviceUserFor(person, reading);
    const code = accountDenial(identity, rule);
    const isAllowed = code === null || code === 'no-external-id';
    return isAllowed ? { kind: 'allowed' } : { kind: 'not-allowed', code };
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'service' };
    if (!(error instanceof RemoteFailure)) throw error;
    const { class: kind, status, code } = error.facts;
    if (kind === 'refused' && status !== 429)
      await core.raise(accountsRefused(String(status ?? code)));
    return { kind: 'failed', failure: error.facts, of: 'service' };
  }
}

/** The person, when they are one of those who may. */
async function findAllowed(
  core: PersonCore,
  who: Reviewers,
  { user, channel }: Asker,
  signal: AbortSignal,
): Promise<
  | { readonly kind: 'person'; readonly person: SlackPerson }
  | Exclude<Permission, { readonly kind: 'allowed' }>
> {
  try {
    const person = await core.lookup.person(user, { signal });
    const code = DENIALS[membershipOf(person, { ...core.workspace, guests: false })];
    if (code !== null) return { kind: 'not-allowed', code };
    const isOne =
      (await isNamed(core.lookup, who, idsOf(person), signal)) ||
      (who.channel && (await isInside(core, channel, person.id, signal)));
    return isOne ? { kind: 'person', person } : { kind: 'not-allowed', code: 'not-named' };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return { kind: 'not-allowed', code: 'stranger' };
    return { kind: 'failed', failure: error.facts };
  }
}

/** What is asked about a person; `lookup` may be what was read lately. */
type PersonCore = Pick<Core, 'timers' | 'timing' | 'workspace'> & { readonly lookup: PeopleLookup };

/** Whether somebody is named by one of their ids, alone or as a member of a group. Throws RemoteFailure. */
async function isNamed(
  lookup: PeopleLookup,
  { users, groups }: NamedPeople,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (ids.some((id) => users.includes(id))) return true;
  const members = await Promise.all(
    groups.map((group) => lookup.groupMembers(group, { signal, lookingFor: ids })),
  );
  return members.some((group) => ids.some((id) => group.users.includes(id)));
}

/**
 * Whether somebody is named as an administrator, as far as Slack tells soon: for which sentence they read,
 * never for what they may do.
 */
export async function isAdministrator(
  { config, lookup, timers }: Core,
  user: string,
): Promise<boolean> {
  try {
    return await isNamed(lookup, config.administrators, [user], timers.deadline(SOON_MS));
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

/** What is asked before Slack is acknowledged leaves time for that. */
const SOON_MS = 1_500;

const DENIALS = {
  bot: 'bot',
  deactivated: 'deactivated',
  'other-team': 'other-company',
  stranger: 'stranger',
  guest: 'guest',
  member: null,
} satisfies Record<Membership, Denial | null>;

/** A channel that the bot is not in has nobody whom it lets in. */
async function isInside(
  { lookup }: PersonCore,
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

/**
 * Somebody was turned away before there was anything to do. `action`: what the audit log calls it.
 * Throws StoreError.
 */
export async function recordRefusal(
  store: Store,
  action: string,
  { user, channel, code }: { user: string; channel: string; code: string },
): Promise<void> {
  const facts = { refusal: code, channel };
  await store.writeAudit({ action, record: null, actor: user, facts });
}

const ME = 'Type `/people me` for details and to tell an administrator.';

/** What a person reads whose account does not let them act: what holds, and what they can do. */
export const ACCOUNT_REFUSALS = {
  'no-address': [
    'Slack shows Gatepost no confirmed address for you, so Gatepost did not look for your account in the service.',
    ME,
  ],
  inactive: ['Your account in the service is deactivated.', ME],
  'activity-unknown': ['The service does not say whether your account is active.', ME],
  'not-linked': [
    'Gatepost did not find your account in the service.',
    `An administrator can give your account the e-mail address of your Slack profile, or link you in the configuration. ${ME}`,
  ],
  'several-accounts': [
    'Several accounts in the service have the e-mail address of your Slack profile.',
    ME,
  ],
  'account-changed': [
    'The e-mail address of your Slack profile belongs to a different account in the service than the one you are linked with.',
    `A Gatepost administrator must confirm the new one. ${ME}`,
  ],
  'account-lost': [
    'You were linked with an account in the service, but no account has the e-mail address of your Slack profile now.',
    ME,
  ],
  'account-taken': [
    'The account in the service with the e-mail address of your Slack profile is linked with somebody else.',
    `A Gatepost administrator must confirm whose it is. ${ME}`,
  ],
  'no-directory': [
    'Gatepost cannot look up accounts in the service.',
    'Ask a Gatepost administrator to link you in the configuration.',
  ],
} as const satisfies Record<
  Exclude<DenialWithAccount, Denial>,
  readonly [what: string, next: string]
>;
