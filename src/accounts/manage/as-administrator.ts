import type { ModalView } from '@slack/types';
import type { Config } from '../../config/config.ts';
import { RemoteFailure } from '../../lib/failure.ts';
import {
  type AuthorizationDependencies,
  authorize,
  recordRefusal,
} from '../../people/permission.ts';
import type { UsersClient } from '../../service/service-client.ts';
import { escapeMrkdwn } from '../../slack/text.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { troubleOf, troubleSentence } from '../trouble.ts';
import type { Browse } from './browse.ts';
import { noticeView, troubleView } from './notice-view.ts';
import { REFUSALS, REFUSED } from './refusal.ts';
import { COULD_NOT_CHECK, NO_TOKEN, NOT_STORED } from './sentences.ts';

export interface AdministratorNeeds extends Omit<AuthorizationDependencies, 'who'> {
  readonly administrators: Config['administrators'];
  /** null: there is no token for the accounts. */
  readonly users: UsersClient | null;
  readonly store: Pick<Store, 'writeAudit'>;
}

/** Whoever wants to see accounts. `channel`: where the command was typed; empty in a modal. */
export interface Asking {
  readonly user: string;
  readonly channel: string;
}

/**
 * What an administrator sees, and the sentence for anybody else. What the service does not give is
 * said; `browse`: where the person goes on from there.
 */
export async function asAdministrator(
  needs: AdministratorNeeds,
  who: Asking,
  browse: Browse,
  view: (users: UsersClient) => Promise<ModalView>,
): Promise<ModalView> {
  try {
    const permission = await authorize({ ...needs, who: namedIn(needs) }, who);
    if (permission.kind === 'failed') return troubleView(COULD_NOT_CHECK, browse);
    if (permission.kind === 'not-allowed') {
      await recordRefusal(needs.store, REFUSED, { ...who, code: permission.code });
      return noticeView(REFUSALS[permission.code]);
    }
    return needs.users === null ? noticeView(NO_TOKEN) : await view(needs.users);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    if (!(error instanceof RemoteFailure)) throw error;
    return troubleView(troubleSentence(troubleOf(error), escapeMrkdwn), browse);
  }
}

/** Nobody becomes one by being in a channel. */
export function namedIn({ administrators }: Pick<AdministratorNeeds, 'administrators'>) {
  return { ...administrators, channel: false };
}
