import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { Core } from '../../core/core.ts';
import type { TaskMove } from '../../core/service/move-task.ts';
import type { Store } from '../../core/store/store.ts';
import type { Limits, Operation } from '../flow/operation.ts';
import type { Progress } from '../flow/rules.ts';
import { rememberMapping } from './choices.ts';
import { DRAFT_MS } from './draft.ts';
import { itemsOf } from './item.ts';
import { mayMove } from './may-move.ts';
import { MOVE_RULES, type MoveTypes, type ReviewedDraft } from './move.ts';
import { wayOf } from './move-refusal.ts';
import { announcement, resultMessage, resultView } from './result-view.ts';
import { noteMove, readKnown } from './snapshot.ts';

/** Moving a work item (Interface 4.1). */
export function moveOperation(core: Core): Operation<MoveTypes> {
  const places = core.config;
  const service = core.service.tasks;
  return {
    rules: MOVE_RULES,
    authorize: ({ by, channel, wish }) => mayMove(core, { user: by, channel }, wayOf(wish.draft)),
    read: (progress, limits) =>
      progress.wish.draft.from === 'push'
        ? readReport(core.store, progress)
        : readItem(core, progress.wish.draft, limits),
    send: service && (({ draft }, limits) => service.move(bodyOf(draft), limits)),
    // Stored before anybody reads of the move, so that the item is found in its new place.
    async remember(move) {
      await noteMove(core.store, move, core.store.now());
      await rememberMapping(core.store, move.wish.draft);
    },
    alert: { code: 'unauthorized', raise: () => core.raise(keyRefused()) },
    report: {
      core,
      view: (id, record, state) => resultView(id, record, state, places),
      message: (id, record, state) => resultMessage(id, record, state, places),
      announcement: (record) => announcement(record, places, core.links),
    },
    // As long as the buttons of its draft work.
    keepMs: Math.max(places.retention.doneMs, DRAFT_MS),
  };
}

/** Exactly what was reviewed (Interface 4.1). */
function bodyOf({ item, target, choices }: ReviewedDraft): TaskMove {
  return {
    taskId: item.id,
    targetProjectId: target.projectId,
    statusMapping: Object.fromEntries(choices.map(({ from, to }) => [from, to])),
    baseUpdatedAt: item.updatedAt,
    subtreeTaskIds: itemsOf(item).map(({ id }) => id),
    targetTaskTypeId: target.typeId,
  };
}

async function readItem(
  { service, config }: Core,
  { from, reference }: ReviewedDraft,
  limits: Limits,
): Promise<MoveTypes['reading']> {
  const read = service.tasks?.read ?? null;
  if (from !== 'http' || config.move.source !== 'http' || read === null) return { kind: 'blind' };
  return read(reference, limits);
}

/** A later report shows what has changed. It does not show the effect of a lost call, because it may be older. */
async function readReport(
  store: Store,
  { wish, unconfirmed, phase }: Progress<MoveTypes>,
): Promise<MoveTypes['reading']> {
  const { item, readAt } = wish.draft;
  const isAsked = unconfirmed === undefined && phase.name === 'read-back';
  const known = isAsked ? await readKnown(store, item.id) : undefined;
  if (known?.kind !== 'reported' || known.at <= readAt) return { kind: 'blind' };
  return { kind: 'found', task: known.item };
}
