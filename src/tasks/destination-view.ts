import type { ModalView } from '@slack/types';
import { section } from '../slack/blocks.ts';
import { type Choosable, input, modal, select } from '../slack/modal-blocks.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import { noticeView } from './begin-views.ts';
import { metadataOf } from './carried-draft.ts';
import {
  DEFAULT_TYPE,
  destinationsFor,
  type Places,
  projectLabel,
  projectWith,
  typesIn,
} from './destinations.ts';
import type { Draft } from './draft.ts';
import { itemBlocks } from './item-blocks.ts';
import { NOWHERE } from './sentences.ts';

export const PROJECT = 'tasks.project';
const TYPE = 'tasks.type';

/** The input of the type is another one for each project, so that no choice is taken along. */
export function typeBlock(projectId: string): string {
  return `${TYPE}.${projectId}`;
}

/** Which project a type's input belongs to. */
export function projectOfTypeBlock(blockId: string): string {
  return blockId.slice(TYPE.length + 1);
}

export function projectChoices(places: Places, draft: Draft): readonly Choosable[] {
  return destinationsFor(places, draft.item.projectId).map((project) => ({
    value: project.id,
    label: projectLabel(project),
  }));
}

export interface DestinationParts {
  /** What is chosen so far. */
  readonly projectId?: string | undefined;
  readonly typeId?: string | null | undefined;
  /** What has to be said before. */
  readonly note?: string | undefined;
}

/** Asks where the item is to go; the type, where there is more than one to choose from. */
export function destinationView(
  draftId: string,
  draft: Draft,
  places: Places,
  { projectId, typeId, note }: DestinationParts = {},
): ModalView {
  const choices = projectChoices(places, draft);
  if (choices.length === 0) return noticeView(NOWHERE);
  const project = projectWith(places, projectId ?? null);
  const types = project === undefined ? [] : typesIn(project);
  const chosen = typeId === null ? DEFAULT_TYPE : typeId;
  const type = types.find(({ value }) => value === chosen) ?? types[0];
  return modal({
    callbackId: FORMS.destination,
    title: TITLE,
    submit: 'Next',
    close: 'Cancel',
    metadata: metadataOf(draftId),
    blocks: [
      ...itemBlocks(draft),
      ...(note === undefined ? [] : [section(note)]),
      input(
        PROJECT,
        'Project',
        select(ACTIONS.project, choices, { chosen: projectId, hint: 'Where it is to go' }),
        { speaks: true },
      ),
      ...(project !== undefined && types.length > 1
        ? [
            input(
              typeBlock(project.id),
              'Type',
              select(ACTIONS.type, types, { chosen: type?.value, hint: 'What it becomes there' }),
            ),
          ]
        : []),
    ],
  });
}
