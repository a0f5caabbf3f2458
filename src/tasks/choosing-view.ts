import type { ModalView } from '@slack/types';
import { destinationView } from './destination-view.ts';
import type { Places } from './destinations.ts';
import { mappingView } from './mapping-view.ts';
import type { ReviewedDraft } from './move.ts';
import { targetOf } from './target.ts';

/** Asks for the statuses again, or for a destination where that one is not offered any more. */
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
