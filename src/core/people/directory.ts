import { addressHidden } from '../alerts/key-alerts.ts';
import type { RaiseAlert } from '../alerts/raise-alert.ts';
import type { EmailRule } from '../config/config.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { foldEmail } from '../lib/fold-email.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';
import { idsOf, lastingIdsOf, type SlackPerson } from '../slack/slack-person.ts';
import type { Store } from '../store/store.ts';
import { type Identity, identityOf, overriddenIdentity, type SentId } from './identity.ts';
import { holderOf, type KnownLink, keepLink, readLink } from './identity-link.ts';
import { conflictAlert, conflictOf, isConflict } from './link-conflict.ts';
import { type Belonging, isOwnMember, type Workspace } from './membership.ts';

/** `addressOf` says whether their address counts. */
export type PersonToFind = Belonging &
  Pick<SlackPerson, 'id' | 'globalId' | 'email' | 'isEmailConfirmed'>;

/** Somebody of whom only the id is known yet. */
export function unseen(id: string): PersonToFind {
  const nothing = { globalId: null, teamId: null, enterpriseId: null, email: null };
  return { id, ...nothing, isEmailConfirmed: null, isGuest: false, isStranger: false };
}

/** Who somebody is, and what was looked at to say so. */
export interface Search {
  readonly identity: Identity;
  /** Id in the service that the configuration gives, as `identity.userId` has it: nothing but that account was looked at. */
  readonly override: string | null;
  /** The address that was looked for, folded. */
  readonly address: string | null;
  /** Service user id of the one account with that address, or that the override names. */
  readonly account: string | null;
  /** Service user id that the person is linked to. */
  readonly linkedTo: string | null;
}

/** Who somebody is who acts, and what tells that two Slack accounts are one person's. */
export interface Actor {
  readonly identity: Identity;
  /** The address that counts, folded; null: Slack shows none. */
  readonly address: string | null;
  /** Their account, whatever its state: found now, or remembered by their link; null: none is known. */
  readonly account: KnownAccount | null;
  /** Other Slack user ids of the same person: in the organisation, and linked to the same account. */
  readonly alsoKnownAs: readonly string[];
}

/** Of an account that was not read, only the name is known that an override or a link gives it. */
export interface KnownAccount {
  readonly id: string | null;
  readonly userName: string | null;
  readonly externalId: string | null;
}

/** How an account is read. */
export interface Reading extends CallLimits {
  /** What was asked for after this moment (monotonic) is shared. Default: now, so that nothing is. */
  readonly since?: number;
}

/** All but `readAhead` and `known` throw RemoteFailure when the lookup failed; all but `readAhead` StoreError. */
export interface Directory {
  /**
   * Who somebody is who acts; their account is read anew. An override's account does not let them
   * act when the service shows it deactivated; one that is not in its list, which may show
   * synchronized accounts only (Interface 4.5), counts as active. Else it is the account
   * with the person's address, to which they are linked from then on. What does not agree with a link
   * is a `LinkConflict`; administrators are told. Without an address nothing is looked for, and nothing
   * disagrees with a link; administrators are told once where Slack hides addresses from the app.
   */
  serviceUserFor(person: PersonToFind, reading?: Reading): Promise<Actor>;
  /** Who they would be: nobody is linked and nobody is told. The account is read anew. */
  search(person: PersonToFind, reading?: Reading): Promise<Search>;
  /** The same, the account up to 5 s old: for lists and for who only looks. */
  recentSearch(person: PersonToFind, limits?: CallLimits): Promise<Search>;
  /** What is known of them without asking the service. */
  known(person: PersonToFind): Promise<Pick<Search, 'override' | 'linkedTo'>>;
  /**
   * Begins to read the account of somebody as they were last seen, so that `serviceUserFor` with the
   * same `since` need not wait for Slack first. If they have another address now, that one is read.
   */
  readAhead(person: PersonToFind, reading: Reading): void;
}

export interface DirectoryDependencies {
  /** null: the service's list of users cannot be read. */
  readonly users: UserList | null;
  /** Ids in the service, as `userId` has it, by Slack user id. */
  readonly overrides: Readonly<Record<string, string>>;
  /** Default: the service's own id. */
  readonly userId?: SentId;
  /** Default: confirmed ones. */
  readonly emails?: EmailRule;
  readonly workspace: Workspace;
  readonly store: Store;
  readonly raise: RaiseAlert;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
}

/** Finds service users for Slack people. */
export function createDirectory(dependencies: DirectoryDependencies): Directory {
  const { users, overrides, workspace, store, raise, userId = 'id' } = dependencies;
  const { emails = 'confirmed' } = dependencies;
  const finder = users === null ? null : createFinder({ ...dependencies, users });
  const overridden = userId === 'externalId' ? 'externalId' : 'id';

  /**
   * Anyone can type an address: it counts once Slack has confirmed it, unless the administrator vouches
   * for those of our own members. Slack's silence (null) confirms nothing.
   */
  function addressOf(person: PersonToFind): string | null {
    const isVouchedFor = emails === 'any' && isOwnMember(person, workspace);
    if (person.isEmailConfirmed !== true && !isVouchedFor) return null;
    return foldEmail(person.email ?? '') || null;
  }

  /** What names the person's one account; null: nothing does. */
  function keyOf(person: PersonToFind): AccountKey | null {
    const override = overrideOf(overrides, lastingIdsOf(person));
    if (override !== null) return [overridden, override];
    const address = addressOf(person);
    return address === null ? null : ['userName', address];
  }

  async function searchBy(
    person: PersonToFind,
    read: (finder: Finder, key: AccountKey) => Promise<UserMatch>,
  ): Promise<{ search: Search; known: KnownLink | null; match: UserMatch }> {
    const ids = lastingIdsOf(person);
    const override = overrideOf(overrides, ids);
    const key = keyOf(person);
    const match = key === null || finder === null ? NOBODY : await read(finder, key);
    const account = match.kind === 'found' ? match.user.id : null;
    const found = { override, address: null, account, linkedTo: null };
    if (override !== null) {
      const identity = overriddenIdentity(override, match);
      return { search: { ...found, identity }, known: null, match };
    }
    if (finder === null) {
      return { search: { ...found, identity: { kind: 'no-directory' } }, known: null, match };
    }
    const known = await readLink(store, ids, account);
    const address = addressOf(person);
    const looked = { ...found, address, linkedTo: known.account };
    if (address === null) {
      // Nothing is looked for by an address; somebody who was linked before may be deactivated since.
      const linked = known.account === null ? NOBODY : await read(finder, ['id', known.account]);
      const isInactive = linked.kind === 'found' && linked.user.active === false;
      const identity = { kind: isInactive ? 'inactive' : 'no-address' } as const;
      return { search: { ...looked, identity }, known, match: linked };
    }
    const conflict = match.kind === 'several' ? null : conflictOf(ids, known, account);
    const identity = conflict ?? identityOf(match, userId);
    return { search: { ...looked, identity }, known, match };
  }

  function accountOf({ override, linkedTo }: Search, match: UserMatch): KnownAccount | null {
    if (match.kind === 'found') return match.user;
    const unread = { id: linkedTo, userName: null, externalId: null };
    if (override !== null) return { ...unread, [overridden]: override };
    return linkedTo === null ? null : unread;
  }

  /** Everybody in Slack who acts with this account is one person. */
  async function linkedWith(account: KnownAccount | null, known: KnownLink | null) {
    if (account === null) return [];
    const named = Object.keys(overrides).filter((id) => overrides[id] === account[overridden]);
    const holder =
      known === null && account.id !== null ? await holderOf(store, account.id) : known?.holder;
    return holder ? [...named, holder] : named;
  }

  /** Links the person to what was found, unless somebody was faster. */
  async function link(person: PersonToFind, search: Search, known: KnownLink | null) {
    const { identity, account } = search;
    if (account === null || known === null || !known.isDue || isConflict(identity)) return identity;
    const ids = lastingIdsOf(person);
    await keepLink(store, ids, account, known);
    return conflictOf(ids, await readLink(store, ids, account), account) ?? identity;
  }

  const anew = (reading?: Reading) => (finder: Finder, key: AccountKey) =>
    finder.find(key, reading);
  return {
    async serviceUserFor(person, reading) {
      const { search, known, match } = await searchBy(person, anew(reading));
      const identity = await link(person, search, known);
      if (isConflict(identity)) await raise(conflictAlert(identity));
      if (identity.kind === 'no-address' && !person.email && isOwnMember(person, workspace)) {
        await raise(addressHidden(person.id));
      }
      const account = accountOf(search, match);
      const ids = new Set([...idsOf(person), ...(await linkedWith(account, known))]);
      ids.delete(person.id);
      return { identity, address: addressOf(person), account, alsoKnownAs: [...ids] };
    },
    search: async (person, reading) => (await searchBy(person, anew(reading))).search,
    recentSearch: async (person, limits) =>
      (await searchBy(person, (finder, key) => finder.recent(key, limits))).search,
    async known(person) {
      const ids = lastingIdsOf(person);
      const override = overrideOf(overrides, ids);
      if (override !== null) return { override, linkedTo: null };
      return { override, linkedTo: (await readLink(store, ids, null)).account };
    },
    readAhead(person, reading) {
      const key = keyOf(person);
      // Whoever needs the answer asks again when this fails.
      if (key !== null) finder?.find(key, reading).catch(() => undefined);
    },
  };
}

const NOBODY: UserMatch = { kind: 'none' };

function overrideOf(
  overrides: DirectoryDependencies['overrides'],
  ids: readonly string[],
): string | null {
  const named = ids.find((id) => Object.hasOwn(overrides, id));
  return (named !== undefined && overrides[named]) || null;
}

/** So that whoever looks again and again does not ask the service each time. */
const RECENT_MS = 5_000;
const MAX_ENTRIES = 10_000;

/** What tells one account from all others, and its value. */
export type AccountKey = readonly [attribute: 'userName' | 'id' | 'externalId', value: string];

/** The service's list of users. Throws RemoteFailure. */
interface UserList {
  find(attribute: AccountKey[0], value: string, limits?: CallLimits): Promise<UserMatch>;
}

/** Both throw RemoteFailure. */
export interface Finder {
  /** The account, read anew: nothing is decided by what is remembered. */
  find(key: AccountKey, reading?: Reading): Promise<UserMatch>;
  /** The same, up to 5 s old. */
  recent(key: AccountKey, limits?: CallLimits): Promise<UserMatch>;
}

/** Finds accounts in the service's list, with one request for all who ask at once. */
export function createFinder({
  users,
  clock,
  timers,
  maxEntries = MAX_ENTRIES,
}: {
  readonly users: UserList;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly maxEntries?: number;
}): Finder {
  const matches = createSharedCache<UserMatch>({
    lifetimeMs: () => RECENT_MS,
    maxEntries,
    clock,
  });
  // It goes on when the caller that began it gives up: others may be waiting for the answer.
  const ask =
    ([attribute, value]: AccountKey, { deadlineMs }: CallLimits) =>
    () =>
      users.find(attribute, value, deadlineMs === undefined ? {} : { deadlineMs });
  return {
    find: (key, { since = clock.monotonic(), ...limits } = {}) => {
      const answer = matches.getSince(since, key.join('\0'), ask(key, limits));
      return waitFor(answer, 'find user', { ...limits, timers });
    },
    recent: (key, limits = {}) =>
      waitFor(matches.get(key.join('\0'), ask(key, limits)), 'find user', { ...limits, timers }),
  };
}
