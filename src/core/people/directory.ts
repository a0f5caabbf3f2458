import { addressHidden } from '../alerts/key-alerts.ts';
import type { RaiseAlert } from '../alerts/raise-alert.ts';
import type { Config } from '../config/config.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { foldEmail } from '../lib/fold-email.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';
import { idsOf, lastingIdsOf, type SlackPerson } from '../slack/slack-person.ts';
import type { Store } from '../store/store.ts';
import { type Identity, identityOf, isPartial, overriddenIdentity } from './identity.ts';
import { holderOf, type KnownLink, keepLink, readLink } from './identity-link.ts';
import { conflictAlert, conflictOf, isConflict } from './link-conflict.ts';
import { type Belonging, isOwnMember, type Workspace } from './membership.ts';

/** `addressOf` decides whether their address counts. */
export type PersonToFind = Belonging &
  Pick<SlackPerson, 'id' | 'globalId' | 'email' | 'isEmailConfirmed'>;

/** A person of whom only the id is known so far. */
export function unseen(id: string): PersonToFind {
  const nothing = { globalId: null, teamId: null, enterpriseId: null, email: null };
  return { id, ...nothing, isEmailConfirmed: null, isGuest: false, isStranger: false };
}

/** A person's identity, and what it is based on. */
export interface Search {
  readonly identity: Identity;
  /** The account's id from the configuration, as in `identity.userId`: only that account was looked up. */
  readonly override: string | null;
  /** The address that was looked up, folded. */
  readonly address: string | null;
  /** Service user id of the only account with that address, or of the override. */
  readonly account: string | null;
  /** Service user id that the person is linked to. */
  readonly linkedTo: string | null;
}

/** The identity of somebody who acts, and what shows that two Slack accounts belong to one person. */
export interface Actor {
  readonly identity: Identity;
  /** The address that counts, folded; null: Slack shows none. */
  readonly address: string | null;
  /** Their account in any state: just read, or known from their link; null: unknown. */
  readonly account: KnownAccount | null;
  /** The same person's other Slack user ids: in the organisation, and linked to the same account. */
  readonly alsoKnownAs: readonly string[];
}

/** Of an account that was not read, only the id in the override or link is known. */
export interface KnownAccount {
  readonly id: string | null;
  readonly userName: string | null;
  readonly externalId: string | null;
}

/** How an account is read. */
export interface Reading extends CallLimits {
  /** Answers requested after this moment (monotonic) are shared. Default: now, so none is. */
  readonly since?: number;
}

/**
 * All but `readAhead` and `known` throw RemoteFailure when the look-up failed; all but `readAhead` throw StoreError.
 */
export interface Directory {
  /**
   * The identity of somebody who acts, with their account read from the service. An override's account is refused only
   * if the service shows it as deactivated: one that is not in its list, which may contain only synchronized accounts
   * (Interface 4.5), counts as active. Otherwise it is the account with the person's address, to which they are linked
   * from now on. A mismatch with a link is a `LinkConflict`, and alerts administrators. Without an address no account
   * is looked up and no link can mismatch; administrators are alerted once if Slack hides addresses from the app.
   */
  serviceUserFor(person: PersonToFind, reading?: Reading): Promise<Actor>;
  /** The same without linking or alerting anybody. */
  search(person: PersonToFind, reading?: Reading): Promise<Search>;
  /** The same, with the account up to 5 s old: for lists and views. */
  recentSearch(person: PersonToFind, limits?: CallLimits): Promise<Search>;
  /** What is known without asking the service. */
  known(person: PersonToFind): Promise<Pick<Search, 'override' | 'linkedTo'>>;
  /**
   * Starts reading the account of a person as last seen, so that `serviceUserFor` with the same `since` need not wait
   * for Slack first. If their address has changed, the new one is read.
   */
  readAhead(person: PersonToFind, reading: Reading): void;
}

export interface DirectoryDependencies {
  /** null: the service's list of users is not available. */
  readonly users: UserList | null;
  /** Read at each use: reloading replaces them. */
  readonly config: Pick<Config, 'identityOverrides' | 'identityUserId' | 'identityEmails'>;
  readonly workspace: Workspace;
  readonly store: Store;
  readonly raise: RaiseAlert;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
}

/** Finds the service accounts of Slack users. */
export function createDirectory(dependencies: DirectoryDependencies): Directory {
  const { users, config, workspace, store, raise } = dependencies;
  const finder = users === null ? null : createFinder({ ...dependencies, users });
  const overridden = () => (config.identityUserId === 'externalId' ? 'externalId' : 'id');

  /**
   * Anyone can enter an address: it counts once Slack has verified it, or if the configuration accepts all addresses of
   * our own members. null (Slack did not say) does not count as verified.
   */
  function addressOf(person: PersonToFind): string | null {
    const isVouchedFor = config.identityEmails === 'any' && isOwnMember(person, workspace);
    if (person.isEmailConfirmed !== true && !isVouchedFor) return null;
    return foldEmail(person.email ?? '') || null;
  }

  /** The person's one account, by a unique attribute; null: not known. */
  function keyOf(person: PersonToFind): AccountKey | null {
    const override = overrideOf(config.identityOverrides, lastingIdsOf(person));
    if (override !== null) return [overridden(), override];
    const address = addressOf(person);
    return address === null ? null : ['userName', address];
  }

  async function searchBy(
    person: PersonToFind,
    read: (finder: Finder, key: AccountKey) => Promise<UserMatch>,
  ): Promise<Looked> {
    const ids = lastingIdsOf(person);
    const override = overrideOf(config.identityOverrides, ids);
    const key = keyOf(person);
    const match = key === null || finder === null ? NOBODY : await read(finder, key);
    const account = match.kind === 'found' ? match.user.id : null;
    const found = { override, address: null, account, linkedTo: null };
    if (override !== null) {
      const identity = overriddenIdentity(override, match);
      return { search: { ...found, identity }, known: null, match, key };
    }
    if (finder === null) {
      return { search: { ...found, identity: { kind: 'no-directory' } }, known: null, match, key };
    }
    const known = await readLink(store, ids, account);
    const address = addressOf(person);
    const seen = { ...found, address, linkedTo: known.account };
    if (address === null) {
      // No address to look up; but a linked account may have been deactivated.
      const linked = known.account === null ? NOBODY : await read(finder, ['id', known.account]);
      const isInactive = linked.kind === 'found' && linked.user.active === false;
      const kind = isPartial(linked) ? 'not-shown' : isInactive ? 'inactive' : 'no-address';
      return { search: { ...seen, identity: { kind } }, known, match: linked, key };
    }
    const isUnclear = match.kind === 'several' || isPartial(match);
    const conflict = isUnclear ? null : conflictOf(ids, known, account);
    const identity = conflict ?? identityOf(match, config.identityUserId);
    return { search: { ...seen, identity }, known, match, key };
  }

  function accountOf({ search: { override, linkedTo }, match, key }: Looked): KnownAccount | null {
    if (match.kind === 'found') return match.user;
    const unread = { id: linkedTo, userName: null, externalId: null };
    if (override !== null && key !== null) return { ...unread, [key[0]]: override };
    return linkedTo === null ? null : unread;
  }

  /** All Slack users who act with this account are one person. */
  async function linkedWith(account: KnownAccount | null, known: KnownLink | null) {
    if (account === null) return [];
    const overrides = config.identityOverrides;
    const named = Object.keys(overrides).filter((id) => overrides[id] === account[overridden()]);
    const holder =
      known === null && account.id !== null ? await holderOf(store, account.id) : known?.holder;
    return holder ? [...named, holder] : named;
  }

  /** Links the person to the account found, unless somebody else was linked first. */
  async function link(person: PersonToFind, search: Search, known: KnownLink | null) {
    const { identity, account } = search;
    if (account === null || known === null || !known.isDue || isConflict(identity)) return identity;
    const ids = lastingIdsOf(person);
    await keepLink(store, ids, account, known);
    return conflictOf(ids, await readLink(store, ids, account), account) ?? identity;
  }

  const findWith = (reading?: Reading) => (finder: Finder, key: AccountKey) =>
    finder.find(key, reading);
  return {
    async serviceUserFor(person, reading) {
      const looked = await searchBy(person, findWith(reading));
      const { search, known } = looked;
      const identity = await link(person, search, known);
      if (isConflict(identity)) await raise(conflictAlert(identity));
      if (identity.kind === 'no-address' && !person.email && isOwnMember(person, workspace)) {
        await raise(addressHidden(person.id));
      }
      const account = accountOf(looked);
      const ids = new Set([...idsOf(person), ...(await linkedWith(account, known))]);
      ids.delete(person.id);
      return { identity, address: addressOf(person), account, alsoKnownAs: [...ids] };
    },
    search: async (person, reading) => (await searchBy(person, findWith(reading))).search,
    recentSearch: async (person, limits) =>
      (await searchBy(person, (finder, key) => finder.recent(key, limits))).search,
    async known(person) {
      const ids = lastingIdsOf(person);
      const override = overrideOf(config.identityOverrides, ids);
      if (override !== null) return { override, linkedTo: null };
      return { override, linkedTo: (await readLink(store, ids, null)).account };
    },
    readAhead(person, reading) {
      const key = keyOf(person);
      // After a failure the actual read tries again.
      if (key !== null) finder?.find(key, reading).catch(() => undefined);
    },
  };
}

/** What one search read. */
interface Looked {
  readonly search: Search;
  readonly known: KnownLink | null;
  readonly match: UserMatch;
  /** What was looked up; null: nothing. */
  readonly key: AccountKey | null;
}

const NOBODY: UserMatch = { kind: 'none' };

function overrideOf(overrides: Config['identityOverrides'], ids: readonly string[]): string | null {
  const named = ids.find((id) => Object.hasOwn(overrides, id));
  return (named !== undefined && overrides[named]) || null;
}

/** Repeated views do not ask the service each time. */
const RECENT_MS = 5_000;
const MAX_ENTRIES = 10_000;

/** A unique attribute of an account, and its value. */
export type AccountKey = readonly [attribute: 'userName' | 'id' | 'externalId', value: string];

/** The service's list of users. Throws RemoteFailure. */
interface UserList {
  find(attribute: AccountKey[0], value: string, limits?: CallLimits): Promise<UserMatch>;
}

/** Both throw RemoteFailure. */
export interface Finder {
  /** Reads the account now: decisions never use cached answers. */
  find(key: AccountKey, reading?: Reading): Promise<UserMatch>;
  /** The same, up to 5 s old. */
  recent(key: AccountKey, limits?: CallLimits): Promise<UserMatch>;
}

/** Finds accounts in the service's list, with one request for simultaneous callers. */
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
  // Continues if its first caller gives up: others may be waiting for the answer.
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
