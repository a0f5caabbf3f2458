import type { ModalView } from '@slack/types';
import { context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { type Choosable, input, select } from '../../core/slack/modal-blocks.ts';
import { ACTIONS, TITLE } from './actions.ts';
import { noticeView } from './begin-views.ts';
import {
  choiceLabel,
  DEFAULT_TYPE,
  destinationsFor,
  type Places,
  projectLabel,
  projectsMeant,
  projectWith,
  typesIn,
  withoutStatuses,
} from './destinations.ts';
import { carriedDraft, type Draft, type Target } from './draft.ts';
import { itemBlocks } from './item.ts';
import { alreadyThere, NOT_OFFERED, NOWHERE, noStatusesIn, unclearProject } from './sentences.ts';

export const DESTINATION_FORM = defineForm({
  id: 'tasks.destination',
  title: TITLE,
  carried: carriedDraft,
});
export const PROJECT = 'tasks.project';
const TYPE = 'tasks.type';

/** Each project has a type input of its own, so that no choice is carried over. */
export function typeBlock(projectId: string): string {
  return `${TYPE}.${projectId}`;
}

/** The project of a type input. */
export function projectOfTypeBlock(blockId: string): string {
  return blockId.slice(TYPE.length + 1);
}

export function projectChoices(places: Places, draft: Draft): readonly Choosable[] {
  return destinationsFor(places, draft).map((project) => ({
    value: project.id,
    label: choiceLabel(project),
  }));
}

export interface DestinationParts {
  /** Chosen so far. */
  readonly projectId?: string | undefined;
  readonly typeId?: string | null | undefined;
  /** Shown above. */
  readonly note?: string | undefined;
}

/** Asks for the destination; also for the type, if there are several. */
export function destinationView(
  draftId: string,
  draft: Draft,
  places: Places,
  { projectId, typeId, note }: DestinationParts = {},
): ModalView {
  const choices = projectChoices(places, draft);
  const bare = withoutStatuses(places).filter(({ id }) => id !== draft.item.projectId);
  const notListed = bare.length === 0 ? [] : [context(noStatusesIn(bare.map(({ name }) => name)))];
  if (choices.length === 0) return noticeView(NOWHERE, notListed);
  const project = projectWith(places, projectId ?? null);
  const types = project === undefined ? [] : typesIn(project);
  const chosen = typeId === null ? DEFAULT_TYPE : typeId;
  const type = types.find(({ value }) => value === chosen) ?? types[0];
  return DESTINATION_FORM.view(
    { draft: draftId },
    {
      submit: 'Next',
      blocks: [
        ...itemBlocks(draft, places),
        ...(note === undefined ? [] : [section(note)]),
        input(
          PROJECT,
          'Project',
          select(ACTIONS.project, choices, { chosen: projectId, hint: 'Choose the destination' }),
          { speaks: true },
        ),
        ...(project !== undefined && types.length > 1
          ? [
              input(
                typeBlock(project.id),
                'Type',
                select(ACTIONS.type, types, { chosen: type?.value, hint: 'Choose a type' }),
              ),
            ]
          : []),
        ...notListed,
      ],
    },
  );
}

/** The destination, or a question. */
export type Meant =
  | { readonly isClear: true; readonly target: Target }
  | ({ readonly isClear: false } & DestinationParts);

/** The chosen destination, if still offered; otherwise the typed one, if it leaves no choice. */
export function targetOf(places: Places, draft: Draft): Meant {
  const { target, wanted } = draft;
  if (target !== undefined) return chosen(places, draft, target);
  return wanted === undefined ? { isClear: false } : typed(places, draft, wanted);
}

/** The item may have moved, and the settings changed, since it was chosen. */
function chosen(places: Places, draft: Draft, target: Target): Meant {
  const project = destinationsFor(places, draft).find(({ id }) => id === target.projectId);
  const types = project === undefined ? [] : typesIn(project);
  if (types.some(({ value }) => typeOf(value) === target.typeId)) return { isClear: true, target };
  const isThere = target.projectId === draft.item.projectId;
  return { isClear: false, note: isThere ? alreadyIn(places, draft) : NOT_OFFERED };
}

function typed(places: Places, draft: Draft, wanted: string): Meant {
  const projects = destinationsFor(places, draft);
  const [project, ...others] = projectsMeant(projects, wanted);
  if (project === undefined || others.length > 0) {
    const own = projectWith(places, draft.item.projectId);
    const isThere = own !== undefined && projectsMeant([own], wanted).length > 0;
    if (isThere && others.length === 0) return { isClear: false, note: alreadyIn(places, draft) };
    const [bare] = projectsMeant(withoutStatuses(places), wanted);
    if (project === undefined && bare !== undefined) {
      return { isClear: false, note: noStatusesIn([bare.name]) };
    }
    const count = project === undefined ? 0 : others.length + 1;
    const names = projects.flatMap((each) => [each.name, projectLabel(each)]);
    return { isClear: false, note: unclearProject(wanted, count, names) };
  }
  const [type, ...moreTypes] = typesIn(project);
  if (type === undefined || moreTypes.length > 0) return { isClear: false, projectId: project.id };
  return { isClear: true, target: { projectId: project.id, typeId: typeOf(type.value) } };
}

/** The type chosen from a list; null: the default. */
export function typeOf(value: string): string | null {
  return value === DEFAULT_TYPE ? null : value;
}

function alreadyIn(places: Places, { item }: Draft): string {
  const project = projectWith(places, item.projectId);
  return alreadyThere(project === undefined ? 'that project' : project.name);
}
