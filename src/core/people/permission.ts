/**
 * Identity and permission: a person's service account (`directory.ts`), the link made by their first decision
 * (`identity-link.ts`), their Slack membership (`membership.ts`). Features use this file, and have no rules of their
 * own about people.
 */

import { accountsRefused, severalAccounts } from '../alerts/key-alerts.ts';
import type { IdentityRule, NamedPeople, Reviewers } from '../config/config.ts';
import type { Core } from '../core.ts';
import type { Failed } from '../engine/call-result.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { PeopleLookup } from '../slack/lookup.ts';
import { idsOf, NO_SUCH_PERSON, type SlackPerson } from '../slack/slack-person.ts';
import { type Store, StoreError } from '../store/store.ts';
import { type Denial, MEMBERSHIPS } from './denials.ts';
import { type Reading, unseen } from './directory.ts';
import { type AccountDenial, accountDenial } from './identity.ts';
import { membershipOf } from './membership.ts';

export type Permission<Code extends string = Denial> =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: Code }
  /** `of`: absent if it was Slack that failed. */
  | (Failed & { readonly of?: 'service' | 'store' });

interface Asker {
  readonly user: string;
  readonly channel: string;
}

/**
 * Authorizes a person for a restricted action: a full member of an allowed workspace, and named. Denied unless all of
 * that is known. A failed look-up neither grants nor denies.
 */
export async function authorizePerson(
  core: PersonCore,
  who: Reviewers,
  asker: Asker,
): Promise<Permission> {
  const found = await findAllowed(core, who, asker, core.timers.deadline(core.timing.stepMs));
  return found.kind === 'person' ? { kind: 'allowed' } : found;
}

/** Who can, and which service account counts. */
export interface AccountRule {
  readonly who: Reviewers;
  readonly identity: IdentityRule;
  /** The account was already read for the same press. */
  readonly isAccountRead?: boolean;
}

/** Why a person cannot act in the service. Their id is not sent, so a missing one does not matter. */
export type DenialWithAccount = Denial | Exclude<AccountDenial, 'no-external-id'>;

/**
 * The same for actions in the service with Gatepost's own key: the person's account also has to be active, and is read
 * now.
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
  // With an override the id is enough to start reading the account while Slack is asked.
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
    if (code === 'several-accounts') await core.raise(severalAccounts(person.id));
    const isAllowed = code === null || code === 'no-external-id';
    return isAllowed ? { kind: 'allowed' } : { kind: 'not-allowed', code };
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    if (!(error instanceof RemoteFailure)) throw error;
    const { class: kind, status, code } = error.facts;
    if (kind === 'refused' && status !== 429)
      await core.raise(accountsRefused(String(status ?? code)));
    return { kind: 'failed', failure: error.facts, of: 'service' };
  }
}

/** The person, if they are among those who can. */
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
    const membership = membershipOf(person, { ...core.workspace, guests: false });
    if (membership !== 'member') {
      return { kind: 'not-allowed', code: MEMBERSHIPS[membership].denial };
    }
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

/** Dependencies for one person; `lookup` may be the cached one. */
type PersonCore = Pick<Core, 'timers' | 'timing' | 'workspace'> & { readonly lookup: PeopleLookup };

/** Whether one of a person's ids is named, directly or through a group. Throws RemoteFailure. */
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
 * Whether somebody is named as an administrator, if Slack answers soon: only to choose a sentence, never to authorize.
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

/** Leaves time for the acknowledgement. */
const SOON_MS = 1_500;

/** A channel without the bot has no members to authorize. */
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
 * Records a refusal that happened before there was a record. `action`: its name in the audit log. Throws StoreError.
 */
export async function recordRefusal(
  store: Store,
  action: string,
  { user, channel, code }: { user: string; channel: string; code: string },
): Promise<void> {
  const facts = { refusal: code, channel };
  await store.writeAudit({ action, record: null, actor: user, facts });
}
