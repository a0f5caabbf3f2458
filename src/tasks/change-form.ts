import type { ModalView } from '@slack/types';
import type { Form } from '../slack/form.ts';
import type { Choosable } from '../slack/modal-blocks.ts';
import { ACTIONS } from './actions.ts';
import { entryView, noticeView } from './begin-views.ts';
import { draftIdIn } from './carried-draft.ts';
import { choosingView } from './choosing-view.ts';
import {
  destinationView,
  PROJECT,
  projectChoices,
  projectOfTypeBlock,
} from './destination-view.ts';
import { type Places, projectWith, typesIn } from './destinations.ts';
import { type DraftStore, readBeginning, readDraft } from './draft.ts';
import { kept } from './first-view.ts';
import { statusChoices } from './mapping-view.ts';
import { FORM_GONE, TROUBLES } from './sentences.ts';

/** What changes in a modal before it is submitted. */

export interface ChangeNeeds {
  readonly store: Pick<DraftStore, 'get'>;
  readonly places: Places;
}

/** The types of the project that was just chosen. */
export function chooseProject(needs: ChangeNeeds, form: Form): Promise<ModalView> {
  return kept(async () => {
    const draftId = draftIdIn(form.metadata) ?? '';
    const draft = await readDraft(needs.store, draftId);
    if (draft === undefined) return noticeView(FORM_GONE);
    return destinationView(draftId, draft, needs.places, { projectId: form.values.get(PROJECT) });
  });
}

/** The form for an item that could not be read. */
export function enterByHand(needs: ChangeNeeds, draftId: string): Promise<ModalView> {
  return kept(async () => {
    const beginning = await readBeginning(needs.store, draftId);
    return beginning === undefined
      ? noticeView(FORM_GONE)
      : entryView(draftId, TROUBLES['by-hand']);
  });
}

/** Back from the review to the statuses, with what was chosen. */
export function changeStatuses(needs: ChangeNeeds, draftId: string): Promise<ModalView> {
  return kept(async () => {
    const draft = await readDraft(needs.store, draftId);
    const { target } = draft ?? {};
    if (draft === undefined || target === undefined) return noticeView(FORM_GONE);
    return choosingView(draftId, { ...draft, target }, needs.places);
  });
}

/** What a list offers that is too long to come with the modal. Throws StoreError. */
export async function optionsFor(
  { store, places }: ChangeNeeds,
  form: Pick<Form, 'metadata'>,
  { actionId, blockId }: { readonly actionId: string; readonly blockId: string },
): Promise<readonly Choosable[]> {
  const draft = await readDraft(store, draftIdIn(form.metadata));
  if (draft === undefined) return [];
  if (actionId === ACTIONS.project) return projectChoices(places, draft);
  if (actionId === ACTIONS.type) {
    const project = projectWith(places, projectOfTypeBlock(blockId));
    return project === undefined ? [] : typesIn(project);
  }
  return draft.target === undefined
    ? []
    : statusChoices(places, { ...draft, target: draft.target });
}
