import { RemoteFailure } from '../../lib/failure.ts';
import type { Raise } from '../../notices/raise-notice.ts';
import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { Directory } from '../directory.ts';
import type { SlackPerson } from '../slack-person.ts';
import { leaverNews, unreadLeaverNews } from './leaver-news.ts';

export interface LeaverNeeds {
  readonly tellOfLeavers: boolean;
  readonly users: UsersClient | null;
  readonly directory: Pick<Directory, 'search'>;
  readonly raise: Raise;
}

/** How old what is known of the account may be. */
const MAX_AGE_MS = 5_000;

/** Tells administrators of somebody who is gone from the workspace and has an account still. Throws StoreError. */
export async function tellOfLeaver(needs: LeaverNeeds, person: SlackPerson): Promise<void> {
  const { tellOfLeavers, users, raise } = needs;
  const { deleted, isBot, isStranger } = person;
  if (!tellOfLeavers || users === null || !deleted || isBot || isStranger) return;
  try {
    const account = await accountOf(users, needs, person);
    if (account !== undefined && account.active !== false) await raise(leaverNews(person, account));
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    await raise(unreadLeaverNews(person));
  }
}

/** What they are linked with, or else what has their address; it is for a person to decide on. */
async function accountOf(
  users: UsersClient,
  { directory }: LeaverNeeds,
  person: SlackPerson,
): Promise<UserProfile | undefined> {
  const { override, pinned } = await directory.search(person, { maxAgeMs: MAX_AGE_MS });
  for (const id of [override, pinned]) {
    const linked = id === null ? undefined : await users.find('id', id);
    if (linked?.kind === 'found') return linked.user;
  }
  if (person.email === null) return undefined;
  const match = await users.findByEmail(person.email);
  return match.kind === 'found' ? match.user : undefined;
}
