import type { Core } from '../../../core/core.ts';
import { type RecordedOnce, recordOnce } from '../../../core/engine/put-record.ts';
import { decodeBatch, encodeBatch } from '../../batch/batch.ts';
import { queueOf } from '../../batch/queue.ts';
import { announcementAt } from '../../flow/report.ts';
import { type Draft, movedBy, type ReadTask } from '../draft.ts';
import { countOf } from '../item.ts';
import type { ReviewedDraft } from '../move.ts';
import { MOVE_BATCH, type MoveBatch } from './move-batch.ts';

interface RecordedMoves extends Pick<RecordedOnce, 'carryOn'> {
  /** The first record of this draft. */
  readonly record: MoveBatch;
}

/**
 * Records reviewed moves, durably and once: the draft's id is their key, so that a second press, or a repeated delivery,
 * finds the first record. Throws StoreError.
 */
export async function recordMoves(
  core: Core,
  draftId: string,
  draft: ReviewedDraft,
): Promise<RecordedMoves> {
  const { by, target } = draft;
  const record = newBatch(core, draftId, draft);
  const facts = {
    ...{ project: target.projectId, type: target.typeId },
    ...{ items: countOf(draft), lines: record.lines.length, read: draft.from },
  };
  const { created, carryOn } = await recordOnce(core, {
    kind: MOVE_BATCH.kind,
    data: encodeBatch(record),
    key: draftId,
    audit: { action: 'tasks.move.asked', record: null, actor: by, facts },
  });
  const isFirst = created.kind === 'created';
  return { record: isFirst ? record : decodeBatch(MOVE_BATCH, created.record.data), carryOn };
}

function newBatch({ store, config }: Core, draftId: string, draft: ReviewedDraft): MoveBatch {
  const { by, channel, target, choices } = draft;
  const lines = movedBy(draft).map(withoutTitles);
  return {
    ...{ v: 1, by, channel, target, choices, draftId, lines },
    ...announcementAt(config.move.announce, { channel }),
    createdAt: store.now(),
    ...queueOf([...lines.keys()], 0),
    ...{ allowedAt: 0, run: 0, page: 0, posts: [] },
  };
}

type SubItems = Draft['item']['subItems'];

/** Only the item's own title is shown: a record of fifty trees stays small. */
function withoutTitles({ item, ...read }: ReadTask): ReadTask {
  const bare = (subItems: SubItems): SubItems =>
    subItems.map((node) => ({ ...node, title: null, subItems: bare(node.subItems) }));
  return { ...read, item: { ...item, subItems: bare(item.subItems) } };
}
