import type { ModalView } from '@slack/types';
import type { RecordDependencies } from '../../core/engine/put-record.ts';
import {
  type AccountAuthorizationDependencies,
  type AdministratorDependencies,
  authorizeWithAccount,
  isAdministrator,
  recordRefusal,
} from '../../core/people/permission.ts';
import type { Lookup } from '../../core/slack/lookup.ts';
import type { Permalink } from '../../core/slack/permalink.ts';
import type { FormDependencies } from '../../core/slack/show-form.ts';
import { StoreError } from '../../core/store/store.ts';
import type { TestPlaces } from './catalogue.ts';
import { type Entered, formView } from './form-view.ts';
import { recallChoices } from './last-choices.ts';
import { noticeView } from './result-view.ts';
import {
  NOT_SET_UP,
  NOT_STORED,
  notChecked,
  REFUSED,
  refusalSentence,
  SET_UP,
} from './sentences.ts';

/** What everything around the form of `/new-case` works with. */
export interface NewCaseDependencies
  extends RecordDependencies,
    FormDependencies,
    AdministratorDependencies {
  readonly places: TestPlaces;
  readonly policy: AccountAuthorizationDependencies;
  readonly lookup: Lookup;
  readonly permalink: Permalink;
}

/** What somebody sees who wants to create a test case: whether they may, and the form. */
export async function firstForm(
  needs: NewCaseDependencies,
  { thread, ...who }: { readonly user: string; readonly channel: string; readonly thread?: string },
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  const { places, store } = needs;
  const missing = await setUpSentence(needs, who.user);
  if (missing !== null) return noticeView(missing);
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

/** What is said where no test project is listed; null: there are some. */
export async function setUpSentence(
  needs: NewCaseDependencies,
  user: string,
): Promise<string | null> {
  if (needs.places.catalogue.testProjects.length > 0) return null;
  return (await isAdministrator(needs, user)) ? SET_UP : NOT_SET_UP;
}
