import { keyRefused } from '../notices/key-notices.ts';
import type { Raise } from '../notices/raise-notice.ts';
import { type Faces, performTelling, type TellingNeeds } from '../posts/perform-telling.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import { settled } from '../reconcile/settled.ts';
import type { TaskMove } from '../service/move-task.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Store } from '../store/store.ts';
import { announcement } from './announcement.ts';
import type { Places } from './destinations.ts';
import { type MayMoveNeeds, mayMove } from './may-move.ts';
import { audienceOf, type Move, type ReviewedDraft } from './move.ts';
import type { MoveFace } from './move-face.ts';
import type { MoveStep, MoveStepResult } from './move-step.ts';
import { rememberMapping } from './remembered.ts';
import { resultMessage } from './result-message.ts';
import { resultView } from './result-view.ts';
import { noteMove, readKnown, type SnapshotStore } from './snapshot.ts';
import { itemsOf } from './tree.ts';
import { wayOf } from './turned-away.ts';

export interface PerformMoveNeeds extends MayMoveNeeds, TellingNeeds {
  readonly service: ServiceClient['tasks'];
  readonly store: SnapshotStore & Pick<Store, 'pace' | 'pause' | 'now'>;
  readonly places: Places;
  readonly raise: Raise;
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
export async function performMove(
  needs: PerformMoveNeeds,
  id: string,
  move: Move,
  step: MoveStep,
): Promise<MoveStepResult> {
  switch (step.kind) {
    case 'check':
      return check(needs, move.draft);
    case 'send':
      return send(needs, move.draft);
    case 'look':
      return move.draft.from === 'push' ? lookAtReport(needs, move) : look(needs, move.draft);
    case 'alert':
      await needs.raise(keyRefused());
      return { kind: 'done' };
    case 'remember':
      await noteMove(needs.store, move, needs.store.now());
      await rememberMapping(needs.store, move.draft);
      return { kind: 'done' };
    default: {
      const told = { id, telling: move, audience: audienceOf(move) };
      return performTelling(needs, told, step, facesOf(needs, id, move));
    }
  }
}

function facesOf({ places }: PerformMoveNeeds, id: string, move: Move): Faces<MoveFace> {
  return {
    view: (face) => resultView(id, move, face, places),
    result: (face) => resultMessage(id, move, face, places),
    announcement: () => announcement(move, places),
  };
}

async function check(needs: PerformMoveNeeds, draft: ReviewedDraft): Promise<MoveStepResult> {
  const { by: user, channel } = draft;
  return mayMove(needs, { user, channel }, wayOf(draft));
}

async function send({ service }: PerformMoveNeeds, draft: ReviewedDraft): Promise<MoveStepResult> {
  if (service === null) return { kind: 'no-key' };
  const sent = service.move(bodyOf(draft), { deadlineMs: STEP_MS });
  return settled(sent.then((answer) => ({ kind: 'answered', answer }) as const));
}

/** What was reviewed, to the letter (Interface 4.1). */
export function bodyOf({ item, target, choices }: ReviewedDraft): TaskMove {
  return {
    taskId: item.id,
    targetProjectId: target.projectId,
    statusMapping: Object.fromEntries(choices.map(({ from, to }) => [from, to])),
    baseUpdatedAt: item.updatedAt,
    subtreeTaskIds: itemsOf(item).map(({ id }) => id),
    targetTaskTypeId: target.typeId,
  };
}

async function look(
  { service, places }: PerformMoveNeeds,
  { from, reference }: ReviewedDraft,
): Promise<MoveStepResult> {
  const read = service?.read ?? null;
  if (from !== 'http' || places.move.source !== 'http' || read === null) return { kind: 'blind' };
  const answer = read(reference, { deadlineMs: STEP_MS });
  return settled(answer.then((found) => ({ kind: 'read', read: found }) as const));
}

/**
 * What was reported since tells what has changed. It does not tell what became of a sending that was
 * lost, because it may be older than that.
 */
async function lookAtReport(
  { store }: PerformMoveNeeds,
  { draft: { item, readAt }, doubt, phase }: Move,
): Promise<MoveStepResult> {
  const isAsked = doubt === undefined && phase.name === 'look';
  const known = isAsked ? await readKnown(store, item.id) : undefined;
  if (known?.kind !== 'reported' || known.at <= readAt) return { kind: 'blind' };
  return { kind: 'read', read: { kind: 'found', task: known.item } };
}
