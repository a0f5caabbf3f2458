import type { ModalView } from '@slack/types';
import type { Core } from '../core/core.ts';
import { noticesOf } from '../core/slack/modal-blocks.ts';
import { openThenShow } from '../core/slack/show-form.ts';
import { StoreError } from '../core/store/store.ts';
import { APPROVAL_KIND } from './approval.ts';
import { type ButtonPress, namedAt, type PressStored, shownValue } from './cast-ballot.ts';
import { requestModal, shownTerms } from './details.ts';
import { rightTo } from './list/list-requests.ts';
import { ballotButtons } from './message/message.ts';
import { isPosted, messageStateOf } from './message/message-state.ts';
import { CLICK_TROUBLE, REQUEST } from './message/sentences.ts';
import { decodeApproval } from './stored-approval.ts';

/** A request whole, with its buttons, for somebody who looks at it on the Home tab. */

const notice = noticesOf('approvals.review', 'Request');
const LOADING = notice('Loading…');
const NOT_SHOWN = 'The request could not be shown. Press the button again.';
const GONE = `${REQUEST} is no longer stored here. Its message in the channel says how it ended.`;
const NOT_YOURS = `You can no longer see ${REQUEST} here: you are not one of its reviewers now, and did not ask for it.`;
const NOT_READ = `Gatepost could not read ${REQUEST} just now. Try again in a minute.`;
const STORED = {
  decision: `Your decision on ${REQUEST} is recorded. The Home tab shows what comes of it.`,
  check: `Gatepost is checking ${REQUEST}. You get the result as a direct message.`,
};

/** Opens it for whoever pressed the button of a row. Their rights are read again. */
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
    const right = await rightTo(core, user, approval);
    if (right === 'none') return said(NOT_YOURS);
    if (right === 'unknown') return said(NOT_READ);
    const { now, ...terms } = shownTerms(core, approval);
    const state = messageStateOf(approval, terms, now);
    const isDecidable = right === 'decides' && isPosted(approval);
    const value = shownValue(id, approval);
    const decide = isDecidable ? ballotButtons(value, approval, state, terms) : [];
    return requestModal(approval, { ...terms, now }, decide);
  } catch (error) {
    if (error instanceof StoreError) return said(NOT_READ);
    core.logger.error({ record: id, err: error }, 'could not show a request');
    return said(NOT_READ);
  }
}

export type PressedWhat = 'decision' | 'check';

/** In the place of the request, once one of its buttons was pressed: whether the press is stored. */
export function pressedModal(
  core: Core,
  press: ButtonPress,
  what: PressedWhat,
  kind: PressStored['kind'],
): ModalView {
  return notice(namedAt(core, press, kind === 'stored' ? STORED[what] : CLICK_TROUBLE[kind]));
}
