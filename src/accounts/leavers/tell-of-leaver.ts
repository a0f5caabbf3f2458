import { RemoteFailure } from '../../lib/failure.ts';
import type { Raise } from '../../notices/raise-notice.ts';
import type { Directory } from '../../people/directory.ts';
import {
  type Membership,
  type MembershipRules,
  membershipOf,
  type SlackPerson,
} from '../../people/membership.ts';
import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { leaverNews, unreadLeaverNews } from './leaver-news.ts';

export interface LeaverNeeds {
  readonly tellOfLeavers: boolean;
  readonly workspace: Omit<MembershipRules, 'guests'>;
  readonly users: UsersClient | null;
  readonly directory: Pick<Directory, 'search'>;
  readonly raise: Raise;
}

/** Tells administrators of somebody who is gone from the workspace and has an account still. Throws StoreError. */
export async function tellOfLeaver(needs: LeaverNeeds, person: SlackPerson): Promise<void> {
  const { tellOfLeavers, users, raise } = needs;
  if (!tellOfLeavers || users === null || !person.deleted || !isOurs(needs, person)) return;
  try {
    const account = await accountOf(users, needs, person);
    if (account !== undefined && account.active !== false) await raise(leaverNews(person, account));
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    await raise(unreadLeaverNews(person));
  }
}

/** Whoever runs another workspace gives its members any address, and may deactivate them. */
function isOurs({ workspace }: LeaverNeeds, person: SlackPerson): boolean {
  return !OTHERS.has(membershipOf({ ...person, deleted: false }, { ...workspace, guests: true }));
}

const OTHERS: ReadonlySet<Membership> = new Set<Membership>(['bot', 'other-team', 'stranger']);

/** What they are linked with, or else what has their address; it is for a person to decide on. */
async function accountOf(
  users: UsersClient,
  { directory }: LeaverNeeds,
  person: SlackPerson,
): Promise<UserProfile | undefined> {
  const { override, account, linkedTo } = await directory.search(person);
  const id = override === null ? linkedTo : account;
  const linked = id === null ? undefined : await users.find('id', id);
  if (linked?.kind === 'found') return linked.user;
  // Anybody can type an address.
  if (person.email === null || person.isEmailConfirmed === false) return undefined;
  const match = await users.findByEmail(person.email);
  return match.kind === 'found' ? match.user : undefined;
}
