import type { ModalView } from '@slack/types';
import { noticeView } from './begin-views.ts';
import { choicesFor, isComplete } from './choices.ts';
import { destinationView } from './destination-view.ts';
import {
  DEFAULT_TYPE,
  destinationsFor,
  type Places,
  projectLabel,
  projectsMeant,
  typesIn,
} from './destinations.ts';
import { type Draft, type KeepNeeds, keepDraft } from './draft.ts';
import { mappingView, STATUSES_MAX } from './mapping-view.ts';
import type { ReviewedDraft } from './move.ts';
import { betweenProjects } from './refusal.ts';
import { recallMapping } from './remembered.ts';
import { reviewView } from './review-view.ts';
import { NOWHERE, refusalSentence, tooManyStatuses, unclearProject } from './sentences.ts';
import { statusesIn } from './tree.ts';

export interface NextViewNeeds extends KeepNeeds {
  readonly places: Places;
}

/** What a draft needs next: a destination, statuses, or a review. Throws StoreError. */
export async function nextView(needs: NextViewNeeds, draft: Draft): Promise<ModalView> {
  const { target } = draft;
  const to = target?.projectId ?? null;
  const bar = betweenProjects(needs.places.move, draft.item.projectId, to);
  if (bar !== null) return noticeView(refusalSentence(bar));
  return target === undefined ? whereTo(needs, draft) : afterTarget(needs, { ...draft, target });
}

/** The destination's form, unless the project that was typed leaves nothing to choose. */
async function whereTo(needs: NextViewNeeds, draft: Draft): Promise<ModalView> {
  const { places } = needs;
  const projects = destinationsFor(places, draft.item.projectId);
  if (projects.length === 0) return noticeView(NOWHERE);
  const { wanted } = draft;
  const show = async (parts: Parameters<typeof destinationView>[3]) =>
    destinationView(await keepDraft(needs, draft), draft, places, parts);
  if (wanted === undefined) return show({});
  const [project, ...others] = projectsMeant(projects, wanted);
  if (project === undefined || others.length > 0) {
    const count = project === undefined ? 0 : others.length + 1;
    const names = projects.flatMap((each) => [each.name, projectLabel(each)]);
    return show({ note: unclearProject(wanted, count, names) });
  }
  const [type, ...moreTypes] = typesIn(project);
  if (type === undefined || moreTypes.length > 0) return show({ projectId: project.id });
  const target = { projectId: project.id, typeId: typeOf(type.value) };
  return afterTarget(needs, { ...draft, target });
}

/** The type that was chosen from a list of types; null: the default. */
export function typeOf(value: string): string | null {
  return value === DEFAULT_TYPE ? null : value;
}

/** The review at once where nothing needs a decision: what is suggested is marked in it. */
async function afterTarget(needs: NextViewNeeds, draft: ReviewedDraft): Promise<ModalView> {
  const { places, store } = needs;
  const count = statusesIn(draft.item).length;
  if (count > STATUSES_MAX) return noticeView(tooManyStatuses(count));
  const remembered = await recallMapping(store, draft.item.projectId, draft.target);
  const next = { ...draft, choices: choicesFor(places, draft, remembered) };
  const id = await keepDraft(needs, next);
  return isComplete(places, next) ? reviewView(id, next, places) : mappingView(id, next, places);
}
