import * as z from 'zod';
import type { Answer } from '../../exchange.ts';
import { errorAnswer, type Variant } from '../variant.ts';
import { type MoveNeeds, type MoveRequest, moveItem } from './move-rules.ts';
import { itemNamed, itemsBelow, projectOf, type TaskWorld, type WorkItem } from './task-world.ts';

/** Only what the interface shows (4.1). */
const moveBody = z.strictObject({
  targetProjectId: z.guid(),
  statusMapping: z.record(z.string(), z.string()),
  /** Any form of ISO 8601: clients send back what they read. */
  baseUpdatedAt: z.string().regex(/^\d{4}-?\d\d-?\d\dT\d\d[\d:.,]*(?:Z|[+-]\d\d(?::?\d\d)?)?$/i),
  subtreeTaskIds: z.array(z.string()),
  targetTaskTypeId: z.string().optional(),
});

/** The answer to a move (Interface 4.1, 7.1), and the state after it. */
export function moveAnswer(
  world: TaskWorld,
  taskId: string,
  body: unknown,
  needs: Omit<MoveNeeds, 'checksFirst'> & { readonly variant: Variant },
): { readonly world: TaskWorld; readonly answer: Answer } {
  const { variant } = needs;
  const request = readMove(body);
  if (typeof request === 'string') return { world, answer: errorAnswer(422, request, variant) };
  const result = moveItem(world, taskId, request, {
    ...needs,
    checksFirst: variant.moveChecksFirst,
  });
  if (result.kind === 'refused') {
    return { world, answer: errorAnswer(result.status, result.words, variant) };
  }
  const { item, movedCount, droppedFieldCount } = result;
  const { slug, space } = projectOf(result.world, item.projectId);
  const moved = { id: item.id, key: item.key, spaceSlug: space, projectSlug: slug };
  const data = { moved, movedCount, droppedFieldCount };
  return { world: result.world, answer: { status: 200, body: { data } } };
}

/** A string says what is wrong. */
function readMove(body: unknown): MoveRequest | string {
  const { data, error } = moveBody.safeParse(body);
  if (data) return data;
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'is not valid'}.`;
}

/** An item with its sub-items. `reference`: its id, any of its keys, or a link that ends with one. */
export function taskAnswer(world: TaskWorld, reference: string, variant: Variant): Answer {
  const item = itemNamed(world, reference) ?? itemNamed(world, lastSegment(reference));
  if (!item) return errorAnswer(404, 'There is no such work item.', variant);
  return { status: 200, body: shownTree(world, item) };
}

interface ShownTree extends Pick<WorkItem, 'id' | 'key' | 'title' | 'updatedAt' | 'status'> {
  readonly projectId: string;
  readonly typeId: string | null;
  readonly subItems: readonly ShownTree[];
}

function shownTree(world: TaskWorld, item: WorkItem): ShownTree {
  const { id, key, title, updatedAt, status, projectId, typeId } = item;
  const below = itemsBelow(world, { parentId: id });
  const subItems = below.map((each) => shownTree(world, each));
  return { id, key, title, updatedAt, status, projectId, typeId, subItems };
}

function lastSegment(link: string): string {
  return URL.canParse(link) ? (new URL(link).pathname.split('/').at(-1) ?? '') : '';
}

/** The ids that a catalogue needs: projects with their types and workflows. */
export function projectsAnswer(world: TaskWorld): Answer {
  const projects = world.projects.map(({ id, slug, name, space, statuses, types }) => ({
    id,
    slug,
    name,
    space,
    statuses,
    types,
  }));
  return { status: 200, body: { projects } };
}
