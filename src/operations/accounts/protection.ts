import type { Core } from '../../core/core.ts';
import type { Failed } from '../../core/engine/call-result.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { personIfAny, type SlackPerson } from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import { type AccountNamed, accountNamed, readAccount } from './account.ts';

/** Whether an account may be deactivated, with regard to administrators. */
type Protection =
  | Ownership
  /** No other administrator with an active account was found. */
  | { readonly kind: 'last-administrator' }
  /** Another administrator's account is being deactivated, which may leave too few. */
  | { readonly kind: 'one-at-a-time' };

/** Whether an account may be created or reactivated. */
type Ownership =
  | { readonly kind: 'free' }
  | { readonly kind: 'own-account' }
  /** Nothing says which account is that of the person who asks: it may be this one. */
  | { readonly kind: 'own-unknown' }
  | NotRead;

type NotRead = Failed & { readonly of?: 'store' };

/**
 * Whether the account is the person's own, or may be. If that is not known, false: it is checked again before sending.
 * Throws StoreError.
 */
export async function ownsAccount(
  core: Core,
  account: AccountNamed,
  person: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await administratorOf(core, account, person, signal))?.owns ?? false;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

/** How many are checked in parallel. */
const TOGETHER = 8;
/** Longer than it takes to send after the check. */
const LOCK_MS = 25_000;
const LOCK = 'people.deactivates-administrator';

interface Wanted {
  readonly by: string;
  /** The record of the change. */
  readonly change: string;
  readonly signal: AbortSignal;
}

/**
 * People cannot create or reactivate their own account: a stolen administrator account must not be able to restore its
 * access.
 */
export function ownershipOf(
  core: Core,
  account: AccountNamed,
  { by, signal }: Pick<Wanted, 'by' | 'signal'>,
): Promise<Ownership> {
  return unlessFailed(async () => {
    const now = await asItIs(core, account, signal);
    const owner = await administratorOf(core, now, by, signal);
    const own = ownKind(owner);
    const mayMatch = own === null && now.id === '' && (await isHidden(core, owner, signal));
    return { kind: mayMatch ? 'own-unknown' : (own ?? 'free') };
  });
}

/** A failed look-up is returned as such: it neither protects nor permits. */
export function protectionOf(
  core: Core,
  account: AccountNamed,
  { by, change, signal }: Wanted,
): Promise<Protection> {
  return unlessFailed(async () => {
    const now = await asItIs(core, account, signal);
    const [known, self] = await Promise.all([
      administratorsOf(core, now, signal),
      // The configuration may name them by another of their ids.
      administratorOf(core, now, by, signal),
    ]);
    const own = ownKind(self);
    if (own !== null) return { kind: own };
    if (!known.some(({ owns }) => owns)) return { kind: 'free' };
    // The person who asks most likely has an active account.
    const others = known
      .filter(({ owns }) => !owns)
      .toSorted((one, other) => Number(other.id === by) - Number(one.id === by));
    const isOneLeft = () => isOneActive(core, others, now, signal);
    if (!(await isOneLeft())) return { kind: 'last-administrator' };
    // Two administrators deactivating each other at the same time would leave nobody. A lock from an earlier try may
    // expire too early.
    if (!(await core.store.putIfAbsent(LOCK, change, LOCK_MS))) return { kind: 'one-at-a-time' };
    return { kind: (await isOneLeft()) ? 'free' : 'last-administrator' };
  });
}

/**
 * The person was linked with an account that the service does not show now: it may be deactivated, and have any address
 * or external id.
 */
async function isHidden(
  { service: { users } }: Core,
  owner: Administrator | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (users === null || !owner?.linkedTo) return false;
  return (await users.find('id', owner.linkedTo, { signal })).kind === 'none';
}

function ownKind(self: Administrator | undefined): 'own-account' | 'own-unknown' | null {
  if (self === undefined) return null;
  if (self.owns) return 'own-account';
  return self.isKnown ? null : 'own-unknown';
}

async function unlessFailed<Found>(find: () => Promise<Found>): Promise<Found | NotRead> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    if (!(error instanceof RemoteFailure)) throw error;
    return { kind: 'failed', failure: error.facts };
  }
}

/** The account may have changed its address since the person saw it. */
async function asItIs(
  { service: { users } }: Core,
  account: AccountNamed,
  signal: AbortSignal,
): Promise<AccountNamed> {
  // A new one has no id.
  if (users === null || account.id === '') return account;
  const user = await readAccount(users, account, { signal });
  return user === undefined ? account : accountNamed(user);
}

interface Administrator {
  readonly id: string;
  readonly person: SlackPerson;
  /** The account is theirs, or may be. */
  readonly owns: boolean;
  /** A link, an override or an address says which account is theirs. */
  readonly isKnown: boolean;
  /** null: by nothing but the configuration or their address. */
  readonly linkedTo: string | null;
}

async function administratorsOf(
  core: Core,
  account: AccountNamed,
  signal: AbortSignal,
): Promise<readonly Administrator[]> {
  const { lookup, config } = core;
  const { administrators } = config;
  const groups = await Promise.all(
    administrators.groups.map((group) => lookup.groupMembers(group, { signal })),
  );
  const people = [...new Set([...administrators.users, ...groups.flatMap(({ users }) => users)])];
  const found: (Administrator | undefined)[] = [];
  for (const some of inTurns(people)) {
    const asked = some.map((id) => administratorOf(core, account, id, signal));
    found.push(...(await Promise.all(asked)));
  }
  return found.filter((each) => each !== undefined);
}

/** undefined: people who left the workspace, and guests, are no administrators. */
async function administratorOf(
  { lookup, directory, workspace }: Core,
  { id: account, externalId, userName }: AccountNamed,
  id: string,
  signal: AbortSignal,
): Promise<Administrator | undefined> {
  const person = await personIfAny(lookup, id, { signal });
  if (person === undefined) return undefined;
  if (membershipOf(person, { ...workspace, guests: false }) !== 'member') return undefined;
  const { override, linkedTo } = await directory.known(person);
  const isTheirs = [linkedTo, override].includes(account) || override === (externalId ?? '');
  // Anybody can enter an address, but it is enough to protect the account.
  const address = foldEmail(person.email ?? '');
  const isNamesake = address === foldEmail(userName);
  const isKnown = address !== '' || (override ?? linkedTo) !== null;
  return { id, person, owns: isTheirs || isNamesake, isKnown, linkedTo };
}

/** Resolves when the first one is found. A failed look-up matters only if none is. */
async function isOneActive(
  { directory }: Core,
  administrators: readonly Administrator[],
  { id }: AccountNamed,
  signal: AbortSignal,
): Promise<boolean> {
  let failure: unknown;
  for (const some of inTurns(administrators)) {
    const looks = some.map(async ({ person }) => {
      const { identity, account } = await directory.search(person, { signal });
      if (identity.kind !== 'linked' || account === id) throw INACTIVE;
    });
    try {
      await Promise.any(looks);
      return true;
    } catch (error) {
      // as: Promise.any rejects with it
      failure ??= (error as AggregateError).errors.find((each) => each !== INACTIVE);
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

const INACTIVE = new Error('has no active account');

function* inTurns<Each>(all: readonly Each[]): Generator<readonly Each[]> {
  for (let at = 0; at < all.length; at += TOGETHER) yield all.slice(at, at + TOGETHER);
}
