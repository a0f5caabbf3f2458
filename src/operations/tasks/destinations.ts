import type { CatalogueProject, Config, Named } from '../../core/config/config.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { foldTyped, isSameTyped } from '../../core/lib/fold-typed.ts';
import { type Choosable, labelWithId } from '../../core/slack/modal-blocks.ts';
import { bold, code, oneLine } from '../../core/slack/text.ts';
import type { Draft, Target } from './draft.ts';

/** The configuration of projects. */
export interface Places {
  readonly move: Config['move'];
  readonly catalogue: { readonly projects: readonly CatalogueProject[] };
  readonly links: { readonly task: string | null };
}

/** Stands for no type in a list of types. */
export const DEFAULT_TYPE = '(default)';

export function projectWith(
  { catalogue }: Places,
  id: string | null,
): CatalogueProject | undefined {
  return catalogue.projects.find((project) => project.id === id);
}

/** Where a draft's items can go: allowed, with a known workflow, and not the project that all of them are in. */
export function destinationsFor(
  { catalogue, move }: Places,
  { item, more = [] }: Pick<Draft, 'item' | 'more'>,
): readonly CatalogueProject[] {
  const items = [item, ...more.map((each) => each.item)];
  return catalogue.projects.filter(
    (project) =>
      items.some(({ projectId }) => projectId !== project.id) &&
      (move.projects.length === 0 || move.projects.includes(project.id)) &&
      typesIn(project).length > 0,
  );
}

/** The types with a known workflow; the default comes first, if it has one. */
export function typesIn({ statuses, types }: CatalogueProject): readonly Choosable[] {
  const own = types
    .filter((type) => type.statuses.length > 0 || statuses.length > 0)
    .map(({ id, name }) => ({ value: id, label: name }));
  return statuses.length > 0 ? [{ value: DEFAULT_TYPE, label: 'Default' }, ...own] : own;
}

/** The statuses of this type there; none if it is no longer in the catalogue. */
export function workflowOf(places: Places, { projectId, typeId }: Target): readonly Named[] {
  const project = projectWith(places, projectId);
  if (project === undefined) return [];
  if (typeId === null) return project.statuses;
  const type = project.types.find(({ id }) => id === typeId);
  if (type === undefined) return [];
  return type.statuses.length > 0 ? type.statuses : project.statuses;
}

export function projectLabel({ name, space }: CatalogueProject): string {
  return space === null ? name : `${name} · ${space}`;
}

/** In a list. An automation can call its project like another one, so its id stands beside the name. */
export function choiceLabel(project: CatalogueProject): string {
  const label = projectLabel(project);
  return project.reported === undefined ? label : labelWithId(label, project.id);
}

/** "To *Platform · eng* as *Bug*"; of a project that an automation describes, with its id. */
export function destinationText({ target }: { readonly target: Target }, places: Places): string {
  const project = projectWith(places, target.projectId);
  const where = project === undefined ? target.projectId : projectLabel(project);
  const type = project?.types.find(({ id }) => id === target.typeId);
  const as = type === undefined ? '' : ` as ${bold(oneLine(type.name, 100))}`;
  const id = project?.reported === undefined ? '' : ` (${code(project.id)})`;
  return `To ${bold(oneLine(where, 200))}${id}${as}`;
}

/** Escaped. */
export function projectName(places: Places, { projectId }: { readonly projectId: string }): string {
  return oneLine(projectWith(places, projectId)?.name ?? projectId, 80);
}

/** Projects that would be destinations if the catalogue named a status. */
export function withoutStatuses({ catalogue, move }: Places): readonly CatalogueProject[] {
  const isAllowed = ({ id }: CatalogueProject) =>
    move.projects.length === 0 || move.projects.includes(id);
  return catalogue.projects.filter(
    (project) => isAllowed(project) && typesIn(project).length === 0,
  );
}

/** A status of items in a tree, and how many have it. */
export interface StatusInUse {
  readonly id: string;
  readonly count: number;
  /** The project of the first item that has it; null: not known. */
  readonly projectId: string | null;
}

/** The name of a status in use; undefined if the catalogue has none, or several. */
export function statusName(
  places: Places,
  { id, projectId }: Pick<StatusInUse, 'id' | 'projectId'>,
): string | undefined {
  const own = projectWith(places, projectId);
  const projects = own === undefined ? places.catalogue.projects : [own];
  const names = projects
    .flatMap(({ statuses, types }) => [...statuses, ...types.flatMap((type) => type.statuses)])
    .filter((status) => status.id === id)
    .map(({ name }) => name);
  return new Set(names).size === 1 ? names[0] : undefined;
}

/** A status in use for people: its name, or its id, as one line. */
export function statusLabel(places: Places, status: StatusInUse): string {
  return cleanLine(statusName(places, status) ?? status.id) || 'A status without a name';
}

/** The projects that the typed text may mean: by id, or else by name. */
export function projectsMeant(
  projects: readonly CatalogueProject[],
  words: string,
): readonly CatalogueProject[] {
  const byId = projects.filter(({ id }) => id === words || id === foldTyped(words));
  if (byId.length > 0) return byId;
  return projects.filter((project) =>
    [project.name, projectLabel(project)].some((name) => isSameTyped(name, words)),
  );
}
