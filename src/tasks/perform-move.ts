import { makePost, type PostNeeds, takeTurn } from '../posts/make-post.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import { settled } from '../reconcile/settled.ts';
import type { TaskMove } from '../service/move-task.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Modals } from '../slack/modals.ts';
import type { Outbox } from '../slack/outbox.ts';
import type { Store } from '../store/store.ts';
import { announcement } from './announcement.ts';
import type { Places } from './destinations.ts';
import { type MayMoveNeeds, mayMove } from './may-move.ts';
import { type Move, partNamed, type ReviewedDraft } from './move.ts';
import type { MoveFace } from './move-face.ts';
import type { MoveStep, MoveStepResult, PartMoveStep } from './move-step.ts';
import { betweenProjects } from './refusal.ts';
import { rememberMapping } from './remembered.ts';
import { resultMessage } from './result-message.ts';
import { resultView } from './result-view.ts';
import { itemsOf } from './tree.ts';

export interface PerformMoveNeeds extends MayMoveNeeds, PostNeeds {
  readonly service: ServiceClient['tasks'];
  readonly outbox: Outbox;
  readonly modals: Pick<Modals, 'update'>;
  readonly store: Pick<Store, 'pace' | 'pause' | 'get' | 'put'>;
  readonly places: Places;
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
      return look(needs, move.draft);
    case 'show':
      return show(needs, id, move, step.face);
    case 'update':
      return update(needs, id, move, step.face);
    case 'open': {
      const opened = needs.outbox.openDirectMessage(move.draft.by);
      return settled(opened.then((channel) => ({ kind: 'opened', channel }) as const));
    }
    case 'turn':
      return takeTurn(needs, channelOf(move, step.part));
    case 'find':
      return settled(find(needs, id, move, step.part));
    case 'post':
      return makePost(needs, {
        channel: channelOf(move, step.part),
        ...contentOf(needs, id, move, step),
        metadata: { record: id, part: step.part },
      });
    case 'remember':
      await rememberMapping(needs.store, move.draft);
      return { kind: 'done' };
  }
}

async function check(needs: PerformMoveNeeds, draft: ReviewedDraft): Promise<MoveStepResult> {
  const { by, channel, item, target } = draft;
  const code = betweenProjects(needs.places.move, item.projectId, target.projectId);
  if (code !== null) return { kind: 'not-allowed', code };
  return mayMove(needs, { user: by, channel });
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

async function show(
  { modals, places }: PerformMoveNeeds,
  id: string,
  move: Move,
  face: MoveFace,
): Promise<MoveStepResult> {
  if (move.modal === undefined) throw new Error('there is no modal to show it in');
  const shown = modals.update({ id: move.modal }, resultView(id, move, face, places));
  return settled(shown.then(() => ({ kind: 'done' }) as const));
}

async function update(
  { outbox, places }: PerformMoveNeeds,
  id: string,
  move: Move,
  face: MoveFace,
): Promise<MoveStepResult> {
  const { channel, ts } = partNamed(move, 'result');
  if (channel === undefined || ts === undefined) throw new Error('there is no message to change');
  const updated = outbox.update({ channel, ts, ...resultMessage(id, move, face, places) });
  return settled(updated.then(() => ({ kind: 'done' }) as const));
}

async function find(
  { outbox }: PerformMoveNeeds,
  id: string,
  move: Move,
  part: 'announcement' | 'result',
): Promise<MoveStepResult> {
  const channel = channelOf(move, part);
  const matches = { record: id, part };
  const ts = await outbox.findByMetadata({ channel, sinceAt: move.createdAt, matches });
  return ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts };
}

function contentOf(
  { places }: PerformMoveNeeds,
  id: string,
  move: Move,
  { part, face }: PartMoveStep,
) {
  if (part === 'result') return resultMessage(id, move, face, places);
  return announcement(move, places);
}

function channelOf(move: Move, part: 'announcement' | 'result'): string {
  const { channel } = partNamed(move, part);
  if (channel === undefined) throw new Error('a direct message is opened before it is written');
  return channel;
}
