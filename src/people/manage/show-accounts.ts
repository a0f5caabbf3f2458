import type { ModalView } from '@slack/types';
import type { Clock } from '../../lib/clock.ts';
import { type AdministratorNeeds, type Asking, asAdministrator } from './as-administrator.ts';
import type { Browse } from './browse.ts';
import { cardView } from './card-view.ts';
import { pageView, searchView } from './list-view.ts';
import { troubleView } from './notice-view.ts';
import { type AccountReference, readAccount } from './read-account.ts';
import { readPage } from './read-page.ts';
import { searchAccounts } from './search-accounts.ts';
import { GONE } from './sentences.ts';

export interface ShowNeeds extends AdministratorNeeds {
  readonly clock: Pick<Clock, 'monotonic'>;
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

/** The card of an account, as it stands now. `browse`: where the person came from. */
export function showAccount(
  needs: ShowNeeds,
  who: Asking,
  reference: AccountReference | undefined,
  browse: Browse,
): Promise<ModalView> {
  return asAdministrator(needs, who, browse, async (users) => {
    const user = reference && (await readAccount(users, reference));
    return user ? cardView(user, browse) : troubleView(GONE, browse, 'Back to the list');
  });
}
