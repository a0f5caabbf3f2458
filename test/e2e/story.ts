import { type TestContext, test, vi } from 'vitest';
import type { RequirementId } from './requirements.ts';

// Stories mostly wait, each in its own world.
vi.setConfig({ maxConcurrency: 12 });

/** The longest time of a story on a busy machine. */
const STORY_MS = 240_000;

/**
 * A test that proves requirements; `ids` are written as literals, separated by spaces, so that
 * `requirements.test.ts` can read them. Stories of one file run at the same time.
 */
export function story<Ids extends string>(
  ids: Cites<Ids>,
  sentence: string,
  tell: (context: TestContext) => Promise<void>,
): void {
  test.concurrent(`${sentence} [${ids}]`, { timeout: STORY_MS }, tell);
}

/** The type itself if every word is a requirement's id; otherwise the unknown word does not fit. */
type Cites<Ids extends string> = Ids extends `${infer First} ${infer Rest}`
  ? First extends RequirementId
    ? Cites<Rest> extends never
      ? never
      : Ids
    : never
  : Ids extends RequirementId
    ? Ids
    : never;
