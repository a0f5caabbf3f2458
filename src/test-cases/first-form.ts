import type { ModalView } from '@slack/types';
import {
  type AccountAuthorizationDependencies,
  authorizeWithAccount,
  recordRefusal,
} from '../people/permission.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { TestPlaces } from './catalogue.ts';
import { type Entered, formView } from './form-view.ts';
import { recallChoices } from './last-choices.ts';
import { noticeView } from './result-view.ts';
import { NO_PROJECTS, NOT_STORED, notChecked, REFUSED, refusalSentence } from './sentences.ts';

export interface FirstFormNeeds {
  readonly policy: AccountAuthorizationDependencies;
  readonly places: TestPlaces;
  readonly store: Pick<Store, 'get' | 'writeAudit'>;
}

/** What somebody sees who wants to create a test case: whether they may, and the form. */
export async function firstForm(
  needs: FirstFormNeeds,
  { thread, ...who }: { readonly user: string; readonly channel: string; readonly thread?: string },
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  const { places, store } = needs;
  if (places.catalogue.testProjects.length === 0) return noticeView(NO_PROJECTS);
  try {
    const permission = await authorizeWithAccount(needs.policy, who);
    if (permission.kind === 'failed') return noticeView(notChecked(permission.of));
    if (permission.kind === 'not-allowed') {
      await recordRefusal(store, REFUSED, { ...who, code: permission.code });
      return noticeView(refusalSentence(permission.code));
    }
    const offered = { ...(await recallChoices(store, who.channel)), ...(await entered()) };
    const where = { channel: who.channel, ...(thread !== undefined && { thread }) };
    return formView(places, { ...where, round: 0 }, offered);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}
