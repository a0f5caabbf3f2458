import type { ModalView } from '@slack/types';
import { type AskDependencies, type Asked, askOnce } from '../operations/ask.ts';
import { stateOf } from '../operations/operation.ts';
import type { Form } from '../slack/form.ts';
import { type Store, StoreError } from '../store/store.ts';
import { noticeView } from './begin-views.ts';
import { draftIdIn } from './carried-draft.ts';
import { isComplete } from './choices.ts';
import { choosingView } from './choosing-view.ts';
import type { Places } from './destinations.ts';
import { readDraft } from './draft.ts';
import { MOVE_RULES } from './move.ts';
import { resultView } from './result-view.ts';
import { reviewView } from './review-view.ts';
import { FORM_GONE, MAYBE_RECORDED, NOT_RECORDED, OTHER_WORKFLOW } from './sentences.ts';

export interface SubmitNeeds extends AskDependencies {
  readonly store: AskDependencies['store'] & Pick<Store, 'get'>;
  readonly places: Places;
}

/** What the modal shows next; `carryOn` is for after the acknowledgement. */
export interface Submitted extends Pick<Asked<never>, 'carryOn'> {
  readonly view: ModalView;
}

/**
 * Records a move that was reviewed, durably and once: the draft's id is its key, so that a second
 * press, or a second delivery, finds the first.
 */
export async function submitMove(needs: SubmitNeeds, form: Form, by: string): Promise<Submitted> {
  const draftId = draftIdIn(form.metadata) ?? '';
  const draft = await readDraft(needs.store, draftId).catch(unlessStore);
  if (draft === 'unavailable' || draft === 'unknown') return shown(noticeView(NOT_RECORDED));
  const { target } = draft ?? {};
  if (draft === undefined || target === undefined || draft.by !== by) {
    return shown(noticeView(FORM_GONE));
  }
  const reviewed = { ...draft, target };
  if (!isComplete(needs.places, reviewed)) {
    return shown(choosingView(draftId, reviewed, needs.places, OTHER_WORKFLOW));
  }
  const asked = await askOnce(needs, MOVE_RULES, {
    by,
    channel: draft.channel,
    wish: { draft: reviewed, draftId },
    announce: true,
    modal: form.id,
    key: draftId,
    delivery: form.hash,
  }).catch(unlessStore);
  if (asked === 'unavailable' || asked === 'unknown') {
    const note = asked === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
    return shown(reviewView(draftId, reviewed, needs.places, note));
  }
  const { id, record, carryOn } = asked;
  return { view: resultView(id, record, stateOf(record), needs.places), carryOn };
}

function shown(view: ModalView): Submitted {
  return { view, async carryOn() {} };
}

function unlessStore(error: unknown): StoreError['code'] {
  if (error instanceof StoreError) return error.code;
  throw error;
}
