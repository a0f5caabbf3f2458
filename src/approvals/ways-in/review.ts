import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { noticesOf } from '../../core/slack/modal-blocks.ts';
import type { OpenModal } from '../../core/slack/modals.ts';
import { openThenShow } from '../../core/slack/show-form.ts';
import { StoreError } from '../../core/store/store.ts';
import { APPROVAL_KIND, messagePost } from '../approval.ts';
import { decodeApproval } from '../stored-approval.ts';
import { shownValue } from '../tell/message/elsewhere.ts';
import { ballotButtons } from '../tell/message/message.ts';
import { isPosted, messageStateOf } from '../tell/message/message-state.ts';
import { CLICK_TROUBLE, REQUEST } from '../tell/message/sentences.ts';
import { type ButtonPress, namedAt, type PressStored } from './cast-ballot.ts';
import { requestModal, shownTerms } from './details.ts';
import { accessTo } from './list/list-requests.ts';

/** The whole request, with buttons, for a person who views it from the Home tab. */

const notice = noticesOf('approvals.review', 'Request');
const LOADING = notice('Loading…');
const NOT_SHOWN = 'The request could not be shown. Press the button again.';
const GONE = `Gatepost no longer stores ${REQUEST}. Its message in the channel shows how it ended.`;
const NOT_YOURS = `You can no longer open ${REQUEST}: you are not one of its reviewers.`;
const NOT_READ = `Gatepost could not read ${REQUEST} just now. Try again in a minute.`;
const STORED = {
  decision: `Your decision on ${REQUEST} was recorded. The result will appear on the Home tab.`,
  check: `Gatepost is checking ${REQUEST}. You'll get the result as a direct message.`,
  withdrawal: `Gatepost is withdrawing ${REQUEST}. You'll get the result as a direct message.`,
  'take-back': `Gatepost is taking back your approval of ${REQUEST}. You'll get the result as a direct message.`,
};

/** Opens it from the button of a row. The person's permission is checked again. */
export async function openReview(core: Core, press: ButtonPress): Promise<void> {
  await openThenShow(core, { ...press, otherwise: NOT_SHOWN }, LOADING, () => review(core, press));
}

async function review(core: Core, press: ButtonPress): Promise<ModalView> {
  const { record: id, user } = press;
  const said = (sentence: string) => notice(namedAt(core, press, sentence));
  try {
    const record = await core.store.read(id);
    if (record?.kind !== APPROVAL_KIND) return said(GONE);
    const approval = decodeApproval(record);
    const access = await accessTo(core, user, approval);
    if (access === 'none') return said(NOT_YOURS);
    if (access === 'unknown') return said(NOT_READ);
    const terms = shownTerms(core, approval);
    const state = messageStateOf(approval, terms, terms.asOf);
    const isDecidable = access === 'decides' && isPosted(approval);
    const value = shownValue(id, approval);
    const decide = isDecidable ? ballotButtons(value, approval, state, terms, user) : [];
    const { ts } = messagePost(approval);
    const link = ts === undefined ? undefined : await core.permalink(approval.channel, ts);
    return requestModal(approval, terms, { decide, link });
  } catch (error) {
    const isExpected = error instanceof StoreError || error instanceof RemoteFailure;
    if (!isExpected) core.logger.error({ record: id, err: error }, 'could not show a request');
    return said(NOT_READ);
  }
}

export type PressedWhat = keyof typeof STORED;

/** Replaces the request after a press: whether the press was stored. Failures to store are reported elsewhere too. */
export async function showPressedIn(
  core: Core,
  modal: OpenModal,
  press: ButtonPress,
  what: PressedWhat,
  kind: PressStored['kind'],
): Promise<void> {
  const text = namedAt(core, press, kind === 'stored' ? STORED[what] : CLICK_TROUBLE[kind]);
  try {
    await core.modals.update(modal, notice(text));
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Whoever has closed it goes on elsewhere.
    if (error.code === 'not_found' || kind !== 'stored') return;
    await core.replies.direct({ user: press.user, text });
  }
}
