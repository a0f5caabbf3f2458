import type { ModalView } from '@slack/types';
import { faceKey } from '../posts/telling.ts';
import { type RecordedOnce, type RecordOnceNeeds, recordOnce } from '../reconcile/record-once.ts';
import { firstPhase } from '../reconcile/sending.ts';
import { signalRecord } from '../reconcile/signal-record.ts';
import type { Form } from '../slack/form.ts';
import { type Store, type StoredRecord, StoreError } from '../store/store.ts';
import { noticeView } from './begin-views.ts';
import { draftIdIn } from './carried-draft.ts';
import { isComplete } from './choices.ts';
import { choosingView } from './choosing-view.ts';
import type { Places } from './destinations.ts';
import { readDraft } from './draft.ts';
import { decodeMove, encodeMove, MOVE_KIND, type Move, type ReviewedDraft } from './move.ts';
import { faceOf } from './move-face.ts';
import { encodeMoveSignal } from './move-flow.ts';
import { resultView } from './result-view.ts';
import { reviewView } from './review-view.ts';
import { FORM_GONE, MAYBE_RECORDED, NOT_RECORDED, OTHER_WORKFLOW } from './sentences.ts';
import { itemsOf } from './tree.ts';

export interface SubmitNeeds extends RecordOnceNeeds {
  readonly store: Pick<Store, 'create' | 'get' | 'now' | 'signal'>;
  readonly places: Places;
}

/** What the modal shows next; `carryOn` is for after the acknowledgement. */
export interface Submitted {
  readonly view: ModalView;
  carryOn(): Promise<void>;
}

/**
 * Records a move that was reviewed, durably and once: the draft's id is its key, so that a second
 * press, or a second delivery, finds the first.
 */
export async function submitMove(needs: SubmitNeeds, form: Form, user: string): Promise<Submitted> {
  const draftId = draftIdIn(form.metadata) ?? '';
  const draft = await readDraft(needs.store, draftId).catch(unlessStore);
  if (draft === 'unavailable' || draft === 'unknown') return shown(noticeView(NOT_RECORDED));
  const { target } = draft ?? {};
  if (draft === undefined || target === undefined || draft.by !== user) {
    return shown(noticeView(FORM_GONE));
  }
  const reviewed = { ...draft, target };
  if (!isComplete(needs.places, reviewed)) {
    return shown(choosingView(draftId, reviewed, needs.places, OTHER_WORKFLOW));
  }
  const move = newMove(reviewed, draftId, form.id, needs.store.now());
  const recorded = await record(needs, move).catch(unlessStore);
  if (recorded === 'unavailable' || recorded === 'unknown') {
    const note = recorded === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
    return shown(reviewView(draftId, reviewed, needs.places, note));
  }
  const { created, carryOn } = recorded;
  if (created.kind === 'exists') return known(needs, created.record, form);
  return {
    view: resultView(created.id, move, faceOf(move), needs.places),
    carryOn: async () => carryOn(),
  };
}

/** It goes on meanwhile, and may show its end before this answer, which would cover it, arrives. */
function known(needs: SubmitNeeds, { id, data }: StoredRecord, { hash }: Form): Submitted {
  const move = decodeMove(data);
  const signal = { id: hash, body: encodeMoveSignal({ kind: 'covered' }) };
  return {
    view: resultView(id, move, faceOf(move), needs.places),
    carryOn: async () => void (await signalRecord(needs, id, signal)),
  };
}

function shown(view: ModalView): Submitted {
  return { view, async carryOn() {} };
}

function unlessStore(error: unknown): StoreError['code'] {
  if (error instanceof StoreError) return error.code;
  throw error;
}

function newMove(draft: ReviewedDraft, draftId: string, modal: string, now: number): Move {
  const move: Move = {
    v: 1,
    draft,
    draftId,
    createdAt: now,
    phase: firstPhase(0),
    modal,
    parts: [],
  };
  return { ...move, shown: faceKey(faceOf(move)) };
}

async function record(needs: SubmitNeeds, move: Move): Promise<RecordedOnce> {
  const { draft, draftId } = move;
  const facts = {
    task: draft.item.id,
    project: draft.target.projectId,
    type: draft.target.typeId,
    items: itemsOf(draft.item).length,
    read: draft.from,
  };
  return recordOnce(needs, {
    kind: MOVE_KIND,
    data: encodeMove(move),
    key: draftId,
    audit: { action: 'tasks.move.asked', record: null, actor: draft.by, facts },
  });
}
