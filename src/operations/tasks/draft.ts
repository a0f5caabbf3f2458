import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import type { Task } from '../../core/service/task.ts';
import type { Store } from '../../core/store/store.ts';

/**
 * A move in progress. Immutable: each step stores a new one under a new id, which the modal carries. So what was
 * reviewed is what is sent, by any replica.
 */
export interface Draft extends Beginning, ReadTask {
  /** The other items that move to the same destination, each on its own. */
  readonly more?: readonly ReadTask[];
  /** What became of items that were named and are not among them, in mrkdwn. */
  readonly notes?: readonly string[];
}

export interface ReadTask {
  /** How the item was named: an id, a key or a link. */
  readonly reference: string;
  readonly item: Task;
  readonly from: 'http' | 'push' | 'manual';
  /** When the item was read, or its snapshot arrived: milliseconds on the store's clock. */
  readonly readAt: number;
}

/** The items that a draft moves: those that are not in the destination yet. */
export function movedBy(
  draft: Pick<Draft, keyof ReadTask | 'more' | 'target'>,
): readonly ReadTask[] {
  const { more, target, reference, item, from, readAt } = draft;
  const first = { reference, item, from, readAt };
  if (more === undefined) return [first];
  return [first, ...more].filter((each) => each.item.projectId !== target?.projectId);
}

/** A move whose item is not known yet. */
export interface Beginning {
  /** 2: of several items; earlier versions would move the first alone. */
  readonly v: 1 | 2;
  /** Slack user id of the person who moves it. */
  readonly by: string;
  /** Where the move started. */
  readonly channel: string;
  /** How the item was named: an id, a key or a link. */
  readonly reference: string;
  /** The other items that were named. */
  readonly others?: readonly string[];
  /** The project typed with the command. */
  readonly wanted?: string;
  readonly target?: Target;
  readonly choices: readonly Choice[];
}

export interface Target {
  readonly projectId: string;
  /** null: the project's default. */
  readonly typeId: string | null;
}

/** Which status of the destination replaces one in use. */
export interface Choice {
  readonly from: string;
  readonly to: string;
  /** A suggestion that nobody has confirmed yet. */
  readonly why?: 'same-name' | 'last-time';
}

/** After this time the item has probably changed, so the move has to start over. */
export const DRAFT_MS = 86_400_000;

/** Returns the draft's id. Throws StoreError. */
export async function keepDraft(
  { store, random }: Core,
  draft: Draft | Beginning,
): Promise<string> {
  const id = random.uuid();
  await store.put(keyOf(id), JSON.stringify(draft), DRAFT_MS);
  return id;
}

/** undefined if it has expired, or has no item yet. Throws StoreError. */
export async function readDraft(store: Store, id: string): Promise<Draft | undefined> {
  const draft = await readBeginning(store, id);
  return draft !== undefined && isDraft(draft) ? draft : undefined;
}

/** undefined if it has expired. Throws StoreError. */
export async function readBeginning(
  store: Store,
  id: string,
): Promise<Draft | Beginning | undefined> {
  const text = await store.get(keyOf(id));
  // as: only `keepDraft` writes it
  const kept = text === undefined ? undefined : (JSON.parse(text) as Draft | Beginning);
  return kept?.v === 1 || kept?.v === 2 ? kept : undefined;
}

function isDraft(kept: Draft | Beginning): kept is Draft {
  return 'item' in kept;
}

function keyOf(id: string): string {
  return `tasks.draft:${id}`;
}

/** Forms carry the draft that they show or start with. */
export const carriedDraft = z.strictObject({ draft: z.string() });
