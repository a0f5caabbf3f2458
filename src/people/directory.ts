import { foldEmail } from '../lib/fold-email.ts';
import type { Raise } from '../notices/raise-notice.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';
import type { Store } from '../store/store.ts';
import { createFinder, type Finder, type FinderNeeds, type Reading } from './account-finder.ts';
import { conflictOf, isConflict } from './conflict.ts';
import { conflictNews } from './conflict-news.ts';
import { type Identity, identityOf, type SentId } from './identity.ts';
import { keepPin, type Pinned, readPin } from './pin.ts';
import { lastingIdsOf, type SlackPerson } from './slack-person.ts';

/** Of `isEmailConfirmed` only true makes the address count; null is Slack's silence. */
export type PersonToFind = Pick<SlackPerson, 'id' | 'globalId' | 'email' | 'isEmailConfirmed'>;

/** Who somebody is, and what was looked at to say so. */
export interface Search {
  readonly identity: Identity;
  /** Service user id that the configuration gives: nothing else was looked at. */
  readonly override: string | null;
  /** The confirmed address, folded. */
  readonly address: string | null;
  /** Service user id of the one account with that address. */
  readonly account: string | null;
  /** Service user id that the person is pinned to. */
  readonly pinned: string | null;
}

/** All but `readAhead` throw RemoteFailure when the lookup failed, and StoreError. */
export interface Directory {
  /**
   * Who somebody is who acts; their account is read anew. An override's id is used as it is: the interface has no way to look
   * an id up (Interface 4.5), so whether that account is active is not known here. Else the account
   * with the person's address, to which they are pinned from then on. What does not agree with a pin
   * is a `Conflict`; administrators are told.
   */
  serviceUserFor(person: PersonToFind, reading?: Reading): Promise<Identity>;
  /** Who they would be: nobody is pinned and nobody is told. The account is read anew. */
  search(person: PersonToFind, reading?: Reading): Promise<Search>;
  /** The same, the account up to 5 s old: for lists and for who only looks. */
  recentSearch(person: PersonToFind, limits?: CallLimits): Promise<Search>;
  /**
   * Begins to read the account of somebody as they were last seen, so that `serviceUserFor` with the
   * same `since` need not wait for Slack first. If they have another address now, that one is read.
   */
  readAhead(person: PersonToFind, reading: Reading): void;
}

export interface DirectoryNeeds extends Omit<FinderNeeds, 'users'> {
  /** null: the service's list of users cannot be read. */
  readonly users: FinderNeeds['users'] | null;
  /** Service user ids by Slack user id. */
  readonly overrides: Readonly<Record<string, string>>;
  /** Default: the service's own id. */
  readonly userId?: SentId;
  readonly store: Pick<Store, 'get' | 'put' | 'putIfAbsent' | 'now'>;
  readonly raise: Raise;
}

/** Finds service users for Slack people. */
export function createDirectory(needs: DirectoryNeeds): Directory {
  const { users, overrides, store, userId = 'id' } = needs;
  const finder = users === null ? null : createFinder({ ...needs, users });

  async function look(
    person: PersonToFind,
    read: (finder: Finder, address: string) => Promise<UserMatch>,
  ): Promise<{ search: Search; kept: Pinned | null }> {
    const ids = lastingIdsOf(person);
    const override = overrideOf(overrides, ids);
    const nothing = { override, address: null, account: null, pinned: null };
    if (override !== null) {
      const identity = { kind: 'linked', userId: override, active: true } as const;
      return { search: { ...nothing, identity }, kept: null };
    }
    if (finder === null) {
      return { search: { ...nothing, identity: { kind: 'no-directory' } }, kept: null };
    }
    const address = addressOf(person);
    const match = address === null ? NOBODY : await read(finder, address);
    const account = match.kind === 'found' ? match.user.id : null;
    const kept = await readPin(store, ids, account);
    const conflict = match.kind === 'several' ? null : conflictOf(ids, kept, account);
    const identity = conflict ?? identityOf(match, userId);
    return { search: { ...nothing, identity, address, account, pinned: kept.account }, kept };
  }

  /** Pins what was found, unless somebody was faster. */
  async function pin(person: PersonToFind, { identity, account }: Search, kept: Pinned | null) {
    if (account === null || kept === null || !kept.isDue || isConflict(identity)) return identity;
    const ids = lastingIdsOf(person);
    await keepPin(store, ids, account, kept);
    return conflictOf(ids, await readPin(store, ids, account), account) ?? identity;
  }

  const anew = (reading?: Reading) => (finder: Finder, address: string) =>
    finder.find(address, reading);
  return {
    async serviceUserFor(person, reading) {
      const { search, kept } = await look(person, anew(reading));
      const identity = await pin(person, search, kept);
      if (isConflict(identity)) await needs.raise(conflictNews(identity));
      return identity;
    },
    search: async (person, reading) => (await look(person, anew(reading))).search,
    recentSearch: async (person, limits) =>
      (await look(person, (finder, address) => finder.recent(address, limits))).search,
    readAhead(person, reading) {
      const address = addressOf(person);
      if (address === null || overrideOf(overrides, lastingIdsOf(person)) !== null) return;
      // Whoever needs the answer asks again when this fails.
      finder?.find(address, reading).catch(() => undefined);
    },
  };
}

const NOBODY: UserMatch = { kind: 'none' };

function overrideOf(overrides: DirectoryNeeds['overrides'], ids: readonly string[]): string | null {
  const named = ids.find((id) => Object.hasOwn(overrides, id));
  return (named !== undefined && overrides[named]) || null;
}

function addressOf({ email, isEmailConfirmed }: PersonToFind): string | null {
  return isEmailConfirmed === true ? foldEmail(email ?? '') || null : null;
}
