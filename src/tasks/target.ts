import type { DestinationParts } from './destination-view.ts';
import {
  DEFAULT_TYPE,
  destinationsFor,
  type Places,
  projectLabel,
  projectsMeant,
  projectWith,
  typesIn,
} from './destinations.ts';
import type { Draft, Target } from './draft.ts';
import { alreadyThere, NOT_OFFERED, unclearProject } from './sentences.ts';

/** Where an item is to go, or what has to be asked. */
export type Meant =
  | { readonly isClear: true; readonly target: Target }
  | ({ readonly isClear: false } & DestinationParts);

/** What was chosen, while it is still offered; otherwise what was typed, where that leaves nothing to choose. */
export function targetOf(places: Places, draft: Draft): Meant {
  const { target, wanted } = draft;
  if (target !== undefined) return chosen(places, draft, target);
  return wanted === undefined ? { isClear: false } : typed(places, draft, wanted);
}

/** The item can have been moved, and the settings changed, since it was chosen. */
function chosen(places: Places, draft: Draft, target: Target): Meant {
  const project = projectsFor(places, draft).find(({ id }) => id === target.projectId);
  const types = project === undefined ? [] : typesIn(project);
  if (types.some(({ value }) => typeOf(value) === target.typeId)) return { isClear: true, target };
  const isThere = target.projectId === draft.item.projectId;
  return { isClear: false, note: isThere ? alreadyIn(places, draft) : NOT_OFFERED };
}

function typed(places: Places, draft: Draft, wanted: string): Meant {
  const projects = projectsFor(places, draft);
  const [project, ...others] = projectsMeant(projects, wanted);
  if (project === undefined || others.length > 0) {
    const own = projectWith(places, draft.item.projectId);
    const isThere = own !== undefined && projectsMeant([own], wanted).length > 0;
    if (isThere && others.length === 0) return { isClear: false, note: alreadyIn(places, draft) };
    const count = project === undefined ? 0 : others.length + 1;
    const names = projects.flatMap((each) => [each.name, projectLabel(each)]);
    return { isClear: false, note: unclearProject(wanted, count, names) };
  }
  const [type, ...moreTypes] = typesIn(project);
  if (type === undefined || moreTypes.length > 0) return { isClear: false, projectId: project.id };
  return { isClear: true, target: { projectId: project.id, typeId: typeOf(type.value) } };
}

/** The type that was chosen from a list of types; null: the default. */
export function typeOf(value: string): string | null {
  return value === DEFAULT_TYPE ? null : value;
}

function projectsFor(places: Places, { item }: Draft) {
  return destinationsFor(places, item.projectId);
}

function alreadyIn(places: Places, { item }: Draft): string {
  const project = projectWith(places, item.projectId);
  return alreadyThere(project === undefined ? 'that project' : project.name);
}
