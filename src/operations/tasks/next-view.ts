import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { noticeView } from './begin-views.ts';
import { choicesFor, isComplete, recallMappings } from './choices.ts';
import { type DestinationParts, destinationView, targetOf } from './destination-form.ts';
import type { Places } from './destinations.ts';
import { type Draft, keepDraft, movedBy } from './draft.ts';
import { labelOf, statusesIn, statusesOf } from './item.ts';
import { mappingView, STATUSES_MAX } from './mapping-view.ts';
import type { ReviewedDraft } from './move.ts';
import { moveRefusal } from './move-refusal.ts';
import { reviewView } from './review-view.ts';
import { tooManyStatuses } from './sentences.ts';

/** What a draft needs next: a destination, statuses, or a review. Throws StoreError. */
export async function nextView(
  core: Core,
  draft: Draft,
  { isAccountRead = false } = {},
): Promise<ModalView> {
  const { target: _, ...begun } = draft;
  const away = await moveRefusal(core, begun, { isAccountRead });
  if (away !== null) return noticeView(away);
  const meant = targetOf(core.config, draft);
  if (!meant.isClear) return askWhere(core, begun, meant);
  const there = { ...begun, target: meant.target };
  const note = await moveRefusal(core, there, { isAccountRead: true });
  return note === null ? afterTarget(core, there) : askWhere(core, begun, { note });
}

async function askWhere(core: Core, draft: Draft, parts: DestinationParts): Promise<ModalView> {
  return destinationView(await keepDraft(core, draft), draft, core.config, parts);
}

/** Skips to the review if nothing has to be decided; suggestions are marked in it. */
async function afterTarget(core: Core, draft: ReviewedDraft): Promise<ModalView> {
  const { config: places, store } = core;
  const count = statusesOf(draft).length;
  if (count > STATUSES_MAX) return noticeView(tooManyStatuses(count, fittingIn(draft)));
  const remembered = await recallMappings(store, draft);
  const next = { ...draft, choices: choicesFor(places, draft, remembered) };
  const id = await keepDraft(core, next);
  return isComplete(places, next) ? reviewView(id, next, places) : mappingView(id, next, places);
}

/** Asks for the statuses again, or for a destination if the chosen one is no longer offered. */
export function choosingView(
  draftId: string,
  draft: ReviewedDraft,
  places: Places,
  note?: string,
): ModalView {
  const meant = targetOf(places, draft);
  if (meant.isClear) return mappingView(draftId, draft, places, note);
  const notes = [note, meant.note].filter((each) => each !== undefined);
  return destinationView(draftId, draft, places, { note: notes.join('\n') });
}

/** Of several items, the first ones whose statuses fit into a form; undefined: of one item. */
function fittingIn(draft: ReviewedDraft): readonly string[] | undefined {
  if (draft.more === undefined) return undefined;
  const items = movedBy(draft).map(({ item }) => item);
  const tooMany = items.findIndex(
    (_, index) => statusesIn(items.slice(0, index + 1)).length > STATUSES_MAX,
  );
  return items.slice(0, tooMany).map(labelOf);
}
