import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check, tally } from '../simulation/checker.ts';
import type { Broken, Evidence, Violation } from '../simulation/evidence.ts';
import { storyOf } from '../simulation/story.ts';

const STORIES_MAX = 12;

export interface Judged {
  readonly counts: Readonly<Record<Broken, number>>;
  /** The stories of the first few violations. */
  readonly stories: readonly string[];
}

export function judged(evidence: Evidence): Judged {
  const violations = check(evidence);
  const story = (violation: Violation) => storyOf(evidence, violation);
  return { counts: tally(violations), stories: violations.slice(0, STORIES_MAX).map(story) };
}

/** The name of the file with the evidence of a round. */
export function evidenceFile(seed: number): string {
  return `evidence-${seed}.json`;
}

/** The evidence of rounds that were kept in a folder, checked again with the current checker. */
export async function* judgedAgain(
  folder: string,
): AsyncGenerator<Judged & { approvals: number; name: string }> {
  const names = (await readdir(folder)).filter((name) => /^evidence-\d+\.json$/.test(name));
  for (const name of names.sort()) {
    // as: `world.ts` writes nothing else
    const evidence = JSON.parse(await readFile(join(folder, name), 'utf8')) as Evidence;
    yield { ...judged(evidence), approvals: evidence.approvals.length, name };
  }
}
