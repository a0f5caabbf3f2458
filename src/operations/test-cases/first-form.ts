import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import {
  authorizeWithAccount,
  isAdministrator,
  recordRefusal,
} from '../../core/people/permission.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { NOT_STORED } from '../flow/words.ts';
import type { Entered } from './fields.ts';
import { formView } from './form-view.ts';
import { recallChoices } from './last-choices.ts';
import { noticeView } from './result-view.ts';
import { NOT_SET_UP, notChecked, REFUSED, refusalSentence, SET_UP } from './sentences.ts';

/** The first view for a new test case: whether the person may, and the form. */
export async function firstForm(
  core: Core,
  { thread, ...who }: { readonly user: string; readonly channel: string; readonly thread?: string },
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  const { config: places, store } = core;
  const missing = await setUpSentence(core, who.user);
  if (missing !== null) return noticeView(missing);
  const form = async () => {
    const permission = await authorizeWithAccount(core, core.config.cases, who);
    if (permission.kind === 'failed') return noticeView(notChecked(permission.of));
    if (permission.kind === 'not-allowed') {
      await recordRefusal(store, REFUSED, { ...who, code: permission.code });
      return noticeView(refusalSentence(permission.code));
    }
    const offered = { ...(await recallChoices(store, who.channel)), ...(await entered()) };
    const where = { channel: who.channel, ...(thread !== undefined && { thread }) };
    return formView(places, { ...where, round: 0 }, offered);
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}

/** If no test project is configured; null: some are. */
export async function setUpSentence(core: Core, user: string): Promise<string | null> {
  if (core.config.catalogue.testProjects.length > 0) return null;
  return (await isAdministrator(core, user)) ? SET_UP : NOT_SET_UP;
}
