import { foldEmail } from '../lib/fold-email.ts';
import type { UserProfile } from '../service/service-user.ts';
import { accountName } from './account-name.ts';
import type { Provisioning } from './provisioning.ts';

type Quote = (text: string) => string;

const same: Quote = (text) => text;

/**
 * What creating an account would do, before it is done. `userName`: as it was asked for. `quote`:
 * what the medium needs for other people's text.
 */
export function wouldSentence(
  provisioning: Provisioning,
  userName: string,
  quote: Quote = same,
): string {
  switch (provisioning.kind) {
    case 'new':
      return provisioning.isPartial
        ? `Would create an account for ${quote(userName)}, unless the service has one that it does not show.`
        : `Would create an account for ${quote(userName)}.`;
    case 'link':
      return `Would link to ${named(provisioning.account, quote)}, which exists already.${otherAddress(provisioning.account, userName)}`;
    case 'reactivate':
      return `Would re-activate ${named(provisioning.account, quote)}, which is deactivated.${otherAddress(provisioning.account, userName)}`;
    case 'collision':
    case 'several':
      return barSentence(provisioning, quote);
  }
}

/** What creating an account did, once the service said so. */
export function didSentence(
  provisioning: Provisioning & { readonly kind: 'new' | 'link' | 'reactivate' },
  userName: string,
  quote: Quote = same,
): string {
  switch (provisioning.kind) {
    case 'new':
      return `Created an account for ${quote(userName)}.`;
    case 'link':
      return `Linked to ${named(provisioning.account, quote)}, which existed already.`;
    case 'reactivate':
      return `Re-activated ${named(provisioning.account, quote)}.`;
  }
}

/** Why nothing is sent. */
function barSentence(
  provisioning: Provisioning & { readonly kind: 'collision' | 'several' },
  quote: Quote,
): string {
  if (provisioning.kind === 'collision') {
    return `${COLLISION} It is ${named(provisioning.account, quote)}. To link to it, leave out the external id; it can be set afterwards.`;
  }
  return provisioning.attribute === 'externalId'
    ? 'Several accounts have this external id: nothing was linked. Tidy them up in the service first.'
    : 'Several accounts have this address: nothing was linked. Tidy them up in the service first.';
}

/** Interface 4.5, create rule 3: before it is sent, and when the service refuses it. */
export const COLLISION = 'An account made otherwise has this address: nothing was linked.';

function named(account: UserProfile, quote: Quote): string {
  return quote(accountName(account));
}

/** It was found by its external id. */
function otherAddress(account: UserProfile, userName: string): string {
  const isSame = foldEmail(account.userName) === foldEmail(userName);
  return isSame ? '' : ' It was found by its external id and keeps its own address.';
}
