import process from 'node:process';
import { type TestContext, test, vi } from 'vitest';
import type { RequirementId } from './requirements.ts';

/** Which run it is, if it is not the slow one: see `vitest.config.ts`. */
const { STORIES } = process.env;

// Each has its own world. Slow ones mostly wait; of the others, more at once would only keep each other waiting.
vi.setConfig({ maxConcurrency: STORIES === 'quick' ? 5 : 12 });

/** The longest time of a story on a busy machine. */
const STORY_MS = 240_000;

/** The slow run takes only the long stories of the files that it shares with the quick one. */
const TAKES_LONG = STORIES === 'long';

/**
 * A test that proves requirements; `ids` are written as literals, separated by spaces, so that
 * `requirements.test.ts` can read them. Stories of one file run at the same time.
 */
export function story<Ids extends string>(ids: Cites<Ids>, sentence: string, tell: Tell): void {
  if (!TAKES_LONG) add(ids, sentence, tell);
}

/** The same for one that waits for long, or repeats another with one more kind of failure: it is told in the slow run. */
story.long = function long<Ids extends string>(
  ids: Cites<Ids>,
  sentence: string,
  tell: Tell,
): void {
  if (TAKES_LONG) add(ids, sentence, tell);
};

type Tell = (context: TestContext) => Promise<void>;

function add(ids: string, sentence: string, tell: Tell): void {
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
