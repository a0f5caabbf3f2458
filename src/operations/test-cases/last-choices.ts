import type { NewTestCase } from '../../core/service/create-test-case.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';

/** The project and suite of the channel's last test case, which usually fit the next one too. */
type LastChoices = Pick<NewTestCase, 'projectId' | 'suiteId'>;

/** Unused choices are dropped after this time. */
const LIFETIME_MS = 90 * 86_400_000;

/** undefined: there are none, or the store is unavailable. */
export async function recallChoices(
  store: Store,
  channel: string,
): Promise<LastChoices | undefined> {
  const text = await unlessAway(store.get(keyOf(channel)), undefined);
  // as: only `rememberChoices` writes it
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
