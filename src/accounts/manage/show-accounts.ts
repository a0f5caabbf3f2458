import type { ModalView } from '@slack/types';
import type { Clock } from '../../lib/clock.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { AccountNamed } from '../change/account-named.ts';
import { readAccount } from '../change/read-account.ts';
import { type AdministratorNeeds, type Asking, asAdministrator } from './as-administrator.ts';
import { BEGINNING, type Browse } from './browse.ts';
import { cardView } from './card-view.ts';
import { ADDRESS_MAX, createView } from './create-view.ts';
import { editView } from './edit-view.ts';
import { pageView, searchView } from './list-view.ts';
import { troubleView } from './notice-view.ts';
import { readPage } from './read-page.ts';
import { searchAccounts } from './search-accounts.ts';
import { GONE } from './sentences.ts';

export interface ShowNeeds extends AdministratorNeeds {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly newId: () => string;
}

/** A page of all accounts, or those that match. */
export function showAccounts(needs: ShowNeeds, who: Asking, browse: Browse): Promise<ModalView> {
  const { clock } = needs;
  return asAdministrator(needs, who, browse, async (users) => {
    const { text } = browse;
    if (text === null) return pageView(await readPage(users, browse), browse);
    return searchView(await searchAccounts({ users, clock }, text), text, browse);
  });
}

/** The form for a new account. */
export function showCreate(needs: ShowNeeds, who: Asking, userName: string): Promise<ModalView> {
  return asAdministrator(needs, who, BEGINNING, async () =>
    createView(needs.newId(), { userName: userName.slice(0, ADDRESS_MAX) }),
  );
}

/** The form with what can be changed of an account. */
export function showEdit(
  needs: ShowNeeds,
  who: Asking,
  account: AccountNamed | undefined,
  browse: Browse,
): Promise<ModalView> {
  const { newId } = needs;
  return showOne(needs, who, { account, browse }, (user) =>
    editView(user, { browse, key: newId() }),
  );
}

/** The card of an account, as it stands now. `browse`: where the person came from. */
export function showAccount(
  needs: ShowNeeds,
  who: Asking,
  account: AccountNamed | undefined,
  browse: Browse,
): Promise<ModalView> {
  return showOne(needs, who, { account, browse }, (user) => cardView(user, browse));
}

function showOne(
  needs: ShowNeeds,
  who: Asking,
  { account, browse }: { readonly account: AccountNamed | undefined; readonly browse: Browse },
  view: (user: UserProfile) => ModalView,
): Promise<ModalView> {
  return asAdministrator(needs, who, browse, async (users) => {
    const user = account && (await readAccount(users, account));
    return user ? view(user) : troubleView(GONE, browse, 'Back to the list');
  });
}
