import type { Named } from '../../core/config/config.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Places, statusName, workflowOf } from './destinations.ts';
import { type Choice, type Draft, movedBy, type Target } from './draft.ts';
import { statusesOf } from './item.ts';
import type { ReviewedDraft } from './move.ts';

/** Mappings that worked, as pairs of status ids. */
type Remembered = readonly (readonly [from: string, to: string])[];

/**
 * A choice for each status in use, where there is one: the person's own, the one that worked last time, or the status
 * with exactly the same name. Only statuses of the destination; nothing is guessed.
 */
export function choicesFor(
  places: Places,
  draft: Draft & { readonly target: Target },
  remembered: Remembered,
): readonly Choice[] {
  const workflow = workflowOf(places, draft.target);
  const isThere = (id: string | undefined) => workflow.some((status) => status.id === id);
  return statusesOf(draft).flatMap((status): Choice[] => {
    const from = status.id;
    const chosen = draft.choices.find((choice) => choice.from === from);
    if (chosen !== undefined && isThere(chosen.to)) return [chosen];
    const last = remembered.find(([known]) => known === from)?.[1];
    if (last !== undefined && isThere(last)) return [{ from, to: last, why: 'last-time' }];
    const same = sameName(workflow, statusName(places, status));
    return same === undefined ? [] : [{ from, to: same.id, why: 'same-name' }];
  });
}

/** undefined, also if two statuses of the destination have that name. */
function sameName(workflow: readonly Named[], name: string | undefined): Named | undefined {
  const same = workflow.filter((status) => status.name === name);
  return same.length === 1 ? same[0] : undefined;
}

/** Whether every status in use has a valid choice (Interface 4.1). */
export function isComplete(places: Places, draft: Draft & { readonly target: Target }): boolean {
  const workflow = workflowOf(places, draft.target);
  return statusesOf(draft).every(({ id }) =>
    draft.choices.some(({ from, to }) => from === id && workflow.some((each) => each.id === to)),
  );
}

/** An unused mapping is dropped after this time. */
const LIFETIME_MS = 365 * 86_400_000;

/** The mappings that worked from a draft's projects, for items of a type; none if the store is unavailable. */
export async function recallMappings(store: Store, draft: ReviewedDraft): Promise<Remembered> {
  const projects = new Set(movedBy(draft).map(({ item }) => item.projectId));
  const read = [...projects].map((from) => readMapping(store, from, draft.target));
  return (await unlessAway(Promise.all(read), [])).flat();
}

async function readMapping(store: Store, from: string | null, target: Target): Promise<Remembered> {
  if (from === null) return [];
  const text = await store.get(keyOf(from, target));
  // as: only `rememberMapping` writes it
  return text === undefined ? [] : (JSON.parse(text) as Remembered);
}

/** Stores the mapping that worked, in addition to earlier ones for other statuses. Throws StoreError. */
export async function rememberMapping(
  store: Store,
  { item, target, choices }: ReviewedDraft,
): Promise<void> {
  if (item.projectId === null) return;
  const now = choices.map(({ from, to }) => [from, to] as const);
  const before = await readMapping(store, item.projectId, target);
  const others = before.filter(([from]) => !now.some(([known]) => known === from));
  const text = JSON.stringify([...now, ...others].slice(0, PAIRS_MAX));
  await store.put(keyOf(item.projectId, target), text, LIFETIME_MS);
}

const PAIRS_MAX = 500;

function keyOf(from: string, { projectId, typeId }: Target): string {
  return `tasks.mapping:${JSON.stringify([from, projectId, typeId])}`;
}
