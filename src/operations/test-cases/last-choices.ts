import type { NewTestCase } from '../../core/service/create-test-case.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';

/** Where the last test case from a channel belongs: the next one mostly belongs there, whoever creates it. */
type LastChoices = Pick<NewTestCase, 'projectId' | 'suiteId'>;

/** Choices that nobody used for so long are forgotten. */
const LIFETIME_MS = 90 * 86_400_000;

/** undefined: there is none, or the store is away. */
export async function recallChoices(
  store: Store,
  channel: string,
): Promise<LastChoices | undefined> {
  const text = await unlessAway(store.get(keyOf(channel)), undefined);
  // as: written by `rememberChoices` alone
  return text === undefined ? undefined : (JSON.parse(text) as LastChoices);
}

/** Throws StoreError. */
export async function rememberChoices(
  store: Store,
  channel: string,
  { projectId, suiteId }: NewTestCase,
): Promise<void> {
  const text = JSON.stringify({ projectId, suiteId });
  await store.put(keyOf(channel), text, LIFETIME_MS);
}

function keyOf(channel: string): string {
  return `test-cases.last:${channel}`;
}
