import type { Store } from '../store/store.ts';
import type { Remembered } from './choices.ts';
import type { Target } from './draft.ts';
import type { ReviewedDraft } from './move.ts';

/** A mapping that nobody used for so long is forgotten. */
const LIFETIME_MS = 365 * 86_400_000;

/** What worked between two projects, for items of a type. Throws StoreError. */
export async function recallMapping(
  store: Pick<Store, 'get'>,
  from: string | null,
  target: Target,
): Promise<Remembered> {
  if (from === null) return [];
  const text = await store.get(keyOf(from, target));
  // as: written by `rememberMapping` alone
  return text === undefined ? [] : (JSON.parse(text) as Remembered);
}

/** Keeps what worked, beside what worked before for other statuses. Throws StoreError. */
export async function rememberMapping(
  store: Pick<Store, 'get' | 'put'>,
  { item, target, choices }: ReviewedDraft,
): Promise<void> {
  if (item.projectId === null) return;
  const now = choices.map(({ from, to }) => [from, to] as const);
  const before = await recallMapping(store, item.projectId, target);
  const others = before.filter(([from]) => !now.some(([known]) => known === from));
  const text = JSON.stringify([...now, ...others].slice(0, PAIRS_MAX));
  await store.put(keyOf(item.projectId, target), text, LIFETIME_MS);
}

const PAIRS_MAX = 500;

function keyOf(from: string, { projectId, typeId }: Target): string {
  return `tasks.mapping:${JSON.stringify([from, projectId, typeId])}`;
}
