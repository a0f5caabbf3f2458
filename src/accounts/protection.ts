import type { Config } from '../config/config.ts';
import type { Failed } from '../engine/settled.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { foldEmail } from '../lib/fold-email.ts';
import type { Directory } from '../people/directory.ts';
import {
  type Membership,
  membershipOf,
  NO_SUCH_PERSON,
  type Workspace,
} from '../people/membership.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Store } from '../store/store.ts';
import type { AccountNamed } from './account.ts';

/** Whether an account may be deactivated as far as administrators are concerned. */
type Protection =
  | { readonly kind: 'free' }
  | { readonly kind: 'own-account' }
  /** No other administrator was found whose account is active. */
  | { readonly kind: 'last-administrator' }
  /** Another administrator's account is being deactivated: then fewer are left. */
  | { readonly kind: 'one-at-a-time' }
  | Failed;

export interface ProtectionDependencies {
  readonly lookup: Lookup;
  readonly directory: Directory;
  readonly administrators: Config['administrators'];
  readonly workspace: Workspace;
  readonly store: Store;
}

/**
 * Whether the account is the person's own, or may be. What cannot be found out is no: it is found out
 * again before anything is sent. Throws StoreError.
 */
export async function ownsAccount(
  needs: ProtectionDependencies,
  account: AccountNamed,
  person: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await standingOf(needs, account, person, signal)).owns;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

/** Asked for at once. */
const TOGETHER = 8;
/** Longer than it takes until what was found free has been sent. */
const LOCK_MS = 25_000;
const LOCK = 'people.deactivates-administrator';

interface Wanted {
  readonly by: string;
  /** The record that wants it. */
  readonly change: string;
  readonly signal: AbortSignal;
}

/** A failed lookup neither protects nor lets go. */
export async function protectionOf(
  needs: ProtectionDependencies,
  account: AccountNamed,
  { by, change, signal }: Wanted,
): Promise<Protection> {
  try {
    const people = await administratorsOf(needs, signal);
    const look = async () => protectionBy(await standingsOf(needs, account, people, signal), by);
    const known = await look();
    if (known !== 'administrator') return { kind: known };
    // Two administrators who deactivate each other at the same moment would leave nobody. A turn of
    // its own that it had before may end too soon.
    if (!(await needs.store.putIfAbsent(LOCK, change, LOCK_MS))) return { kind: 'one-at-a-time' };
    const now = await look();
    return { kind: now === 'administrator' ? 'free' : now };
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    throw error;
  }
}

/** `administrator`: it is the account of one, and another one is left. */
function protectionBy(standings: readonly Administrator[], by: string) {
  if (standings.some(({ id, owns }) => owns && id === by)) return 'own-account';
  if (!standings.some(({ owns }) => owns)) return 'free';
  const isOneLeft = standings.some(({ owns, isActive }) => !owns && isActive);
  return isOneLeft ? 'administrator' : 'last-administrator';
}

interface Administrator {
  readonly id: string;
  /** The account is theirs, or may be. */
  readonly owns: boolean;
  /** They have an account that is active. */
  readonly isActive: boolean;
}

async function administratorsOf(
  { lookup, administrators }: ProtectionDependencies,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const groups = await Promise.all(
    administrators.groups.map((group) => lookup.groupMembers(group, { signal })),
  );
  return [...new Set([...administrators.users, ...groups.flatMap(({ users }) => users)])];
}

async function standingsOf(
  needs: ProtectionDependencies,
  account: AccountNamed,
  people: readonly string[],
  signal: AbortSignal,
): Promise<Administrator[]> {
  const standings: Administrator[] = [];
  for (let at = 0; at < people.length; at += TOGETHER) {
    const some = people.slice(at, at + TOGETHER);
    standings.push(
      ...(await Promise.all(some.map((id) => standingOf(needs, account, id, signal)))),
    );
  }
  return standings;
}

async function standingOf(
  { lookup, directory, workspace }: ProtectionDependencies,
  { id, externalId, userName }: AccountNamed,
  person: string,
  signal: AbortSignal,
): Promise<Administrator> {
  const known = await lookup.person(person, { signal }).catch(unlessUnknown);
  // Whoever left the workspace, or is a guest in it, administers nothing.
  if (
    known === undefined ||
    !ADMINISTERS.has(membershipOf(known, { ...workspace, guests: false }))
  ) {
    return { id: person, owns: false, isActive: false };
  }
  const { identity, ...search } = await directory.search(known, { signal });
  const { override, account, linkedTo } = search;
  const isTheirs = [account, linkedTo, override].includes(id) || override === (externalId ?? '');
  // Anybody can type an address: it is enough to protect the account.
  const isNamesake = foldEmail(known.email ?? '') === foldEmail(userName);
  return { id: person, owns: isTheirs || isNamesake, isActive: identity.kind === 'linked' };
}

/** As `may` has it. */
const ADMINISTERS: ReadonlySet<string> = new Set<Membership>(['member', 'email-unconfirmed']);

function unlessUnknown(error: unknown): undefined {
  if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return undefined;
  throw error;
}
