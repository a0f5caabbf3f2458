import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { RaiseAlert } from '../../core/alerts/raise-alert.ts';
import type { TaskMove } from '../../core/service/move-task.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { Store } from '../../core/store/store.ts';
import type { Limits, Operation } from '../flow/operation.ts';
import type { ReportDependencies } from '../flow/report.ts';
import type { Progress } from '../flow/rules.ts';
import { rememberMapping } from './choices.ts';
import type { Places } from './destinations.ts';
import { DRAFT_MS } from './draft.ts';
import { itemsOf } from './item.ts';
import { type MayMoveNeeds, mayMove } from './may-move.ts';
import { MOVE_RULES, type MoveTypes, type ReviewedDraft } from './move.ts';
import { wayOf } from './move-refusal.ts';
import { announcement, resultMessage, resultView } from './result-view.ts';
import { noteMove, readKnown } from './snapshot.ts';

interface MoveDependencies extends MayMoveNeeds, ReportDependencies {
  readonly service: ServiceClient['tasks'];
  readonly store: Store;
  readonly places: Places;
  readonly raise: RaiseAlert;
  /** How long a move is kept that is done, and as long as its draft can be pressed. */
  readonly keepMs: number;
}

/** Moving a work item (Interface 4.1). */
export function moveOperation(dependencies: MoveDependencies): Operation<MoveTypes> {
  const { service, places, store, raise, keepMs } = dependencies;
  return {
    rules: MOVE_RULES,
    authorize: ({ by, channel, wish }) =>
      mayMove(dependencies, { user: by, channel }, wayOf(wish.draft)),
    read: (progress, limits) =>
      progress.wish.draft.from === 'push'
        ? readReport(store, progress)
        : readItem(dependencies, progress.wish.draft, limits),
    send: service && (({ draft }, limits) => service.move(bodyOf(draft), limits)),
    // Whoever reads of the move finds the item where it is.
    async remember(move) {
      await noteMove(store, move, store.now());
      await rememberMapping(store, move.wish.draft);
    },
    alert: { code: 'unauthorized', raise: () => raise(keyRefused()) },
    report: {
      ...dependencies,
      view: (id, record, state) => resultView(id, record, state, places),
      message: (id, record, state) => resultMessage(id, record, state, places),
      announcement: (record) => announcement(record, places, dependencies.links),
    },
    keepMs: Math.max(keepMs, DRAFT_MS),
  };
}

/** What was reviewed, to the letter (Interface 4.1). */
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
  { service, places }: MoveDependencies,
  { from, reference }: ReviewedDraft,
  limits: Limits,
): Promise<MoveTypes['reading']> {
  const read = service?.read ?? null;
  if (from !== 'http' || places.move.source !== 'http' || read === null) return { kind: 'blind' };
  return read(reference, limits);
}

/**
 * What was reported since tells what has changed. It does not tell what became of a sending that was
 * lost, because it may be older than that.
 */
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
