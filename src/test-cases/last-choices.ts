import type { NewTestCase } from '../service/create-test-case.ts';
import type { Store } from '../store/store.ts';

/** What the last test case from a channel was, besides its words. */
type LastChoices = Pick<NewTestCase, 'projectId' | 'priority' | 'type' | 'suiteId'>;

/** Choices that nobody used for so long are forgotten. */
const LIFETIME_MS = 90 * 86_400_000;

/** undefined: there is none. Throws StoreError. */
export async function recallChoices(
  store: Pick<Store, 'get'>,
  channel: string,
): Promise<LastChoices | undefined> {
  const text = await store.get(keyOf(channel));
  // as: written by `rememberChoices` alone
  return text === undefined ? undefined : (JSON.parse(text) as LastChoices);
}

/** Throws StoreError. */
export async function rememberChoices(
  store: Pick<Store, 'put'>,
  channel: string,
  { projectId, priority, type, suiteId }: NewTestCase,
): Promise<void> {
  const text = JSON.stringify({ projectId, priority, type, suiteId });
  await store.put(keyOf(channel), text, LIFETIME_MS);
}

function keyOf(channel: string): string {
  return `test-cases.last:${channel}`;
}
