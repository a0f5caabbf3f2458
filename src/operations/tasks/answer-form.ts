import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import type { Form } from '../../core/slack/form.ts';
import { type Choosable, showError, showInstead } from '../../core/slack/modal-blocks.ts';
import { answerSoon, type FormAnswer } from '../../core/slack/show-form.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { NOT_STORED } from '../flow/words.ts';
import { ACTIONS } from './actions.ts';
import { beginningOf, firstView, viewerOf } from './begin-move.ts';
import {
  ASK_FORM,
  ENTRY_FORM,
  entryView,
  LINES,
  LOADING,
  noticeView,
  REFERENCE,
} from './begin-views.ts';
import { isComplete } from './choices.ts';
import {
  DESTINATION_FORM,
  destinationView,
  PROJECT,
  projectChoices,
  projectOfTypeBlock,
  typeBlock,
  typeOf,
} from './destination-form.ts';
import { destinationsFor, projectWith, typesIn } from './destinations.ts';
import { keepDraft, readBeginning, readDraft } from './draft.ts';
import { readEntry } from './manual-entry.ts';
import { choicesIn, firstStatusBlock, MAPPING_FORM, statusChoices } from './mapping-view.ts';
import { choosingView, nextView } from './next-view.ts';
import { namesIn } from './reference.ts';
import { reviewView } from './review-view.ts';
import { entryFaults, FORM_GONE, NO_PROJECT, NO_STATUS, TROUBLES } from './sentences.ts';

/** Handles a named item, or several. */
export async function submitReference(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const { channel, wanted } = ASK_FORM.carriedIn(form);
  const names = namesIn(form.values.get(REFERENCE) ?? '', core.config.links.task);
  const [reference = '', ...others] = names;
  const view = firstView(core, beginningOf({ user, channel, wanted }, reference, others));
  return soonIn(core, form, user, view);
}

/** Slow work is shown after the acknowledgement. */
async function soonIn(
  core: Core,
  form: Form,
  user: string,
  view: Promise<ModalView>,
): Promise<FormAnswer> {
  const viewer = viewerOf({ user, responseUrl: null });
  return answerSoon(core, form, viewer, LOADING, view);
}

/** Handles pasted lines: problems are shown at the input. */
export async function submitEntry(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const { projects } = core.config.catalogue;
  const entered = readEntry(form.values.get(LINES) ?? '', projects);
  if (!entered.ok) return { ack: showError(LINES, entryFaults(entered)) };
  return orNotStored(LINES, async () => {
    const beginning = await readBeginning(core.store, ENTRY_FORM.carriedIn(form).draft);
    if (beginning === undefined) return show(noticeView(FORM_GONE));
    const { item } = entered;
    const readAt = core.store.now();
    const next = nextView(core, { ...beginning, item, from: 'manual', readAt });
    return soonIn(core, form, user, next);
  });
}

export async function submitDestination(core: Core, form: Form, user: string): Promise<FormAnswer> {
  return orNotStored(PROJECT, async () => {
    const { draft: draftId } = DESTINATION_FORM.carriedIn(form);
    const draft = await readDraft(core.store, draftId);
    if (draft === undefined) return show(noticeView(FORM_GONE));
    const projectId = form.values.get(PROJECT);
    const projects = destinationsFor(core.config, draft);
    const project = projects.find(({ id }) => id === projectId);
    if (project === undefined) return { ack: showError(PROJECT, NO_PROJECT) };
    const types = typesIn(project);
    const given = types.length > 1 ? form.values.get(typeBlock(project.id)) : types[0]?.value;
    const type = types.find(({ value }) => value === given);
    // Submitted before its types were shown.
    if (type === undefined) {
      return show(destinationView(draftId, draft, core.config, { projectId: project.id }));
    }
    const target = { projectId: project.id, typeId: typeOf(type.value) };
    return soonIn(core, form, user, nextView(core, { ...draft, target }));
  });
}

export async function submitMapping(core: Core, form: Form): Promise<FormAnswer> {
  const { draft: draftId } = MAPPING_FORM.carriedIn(form);
  const block = firstStatusBlock(draftId);
  return orNotStored(block, async () => {
    const draft = await readDraft(core.store, draftId);
    const { target } = draft ?? {};
    if (draft === undefined || target === undefined) return show(noticeView(FORM_GONE));
    const choices = choicesIn(draftId, { ...draft, target }, form.values);
    const next = { ...draft, target, choices };
    if (!isComplete(core.config, next)) return { ack: showError(block, NO_STATUS) };
    return show(reviewView(await keepDraft(core, next), next, core.config));
  });
}

function show(view: ModalView): FormAnswer {
  return { ack: showInstead(view) };
}

/** Keeps what was entered, with an error at an input. */
function orNotStored(block: string, answer: () => Promise<FormAnswer>): Promise<FormAnswer> {
  return unlessAway<FormAnswer>(answer(), { ack: showError(block, NOT_STORED) });
}

/** The types of the project that was just chosen. Throws StoreError. */
export async function chooseProject(core: Core, form: Form): Promise<ModalView> {
  const { draft: draftId } = DESTINATION_FORM.carriedIn(form);
  const draft = await readDraft(core.store, draftId);
  if (draft === undefined) return noticeView(FORM_GONE);
  return destinationView(draftId, draft, core.config, { projectId: form.values.get(PROJECT) });
}

/** The form for an item that could not be read. Throws StoreError. */
export async function enterByHand(core: Core, draftId: string): Promise<ModalView> {
  const beginning = await readBeginning(core.store, draftId);
  return beginning === undefined ? noticeView(FORM_GONE) : entryView(draftId, TROUBLES['by-hand']);
}

/** From the review back to the statuses, with the choices made. Throws StoreError. */
export async function changeStatuses(core: Core, draftId: string): Promise<ModalView> {
  const draft = await readDraft(core.store, draftId);
  const { target } = draft ?? {};
  if (draft === undefined || target === undefined) return noticeView(FORM_GONE);
  return choosingView(draftId, { ...draft, target }, core.config);
}

/** Options for a list that is too long to come with its modal. Throws StoreError. */
export async function optionsFor(
  { store, config: places }: Core,
  form: Form,
  { actionId, blockId }: { readonly actionId: string; readonly blockId: string },
): Promise<readonly Choosable[]> {
  // The form for the statuses carries the same.
  const draft = await readDraft(store, DESTINATION_FORM.carriedIn(form).draft);
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
