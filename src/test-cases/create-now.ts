import { type Store, StoreError } from '../store/store.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { choose } from './choose.ts';
import { recallChoices } from './last-choices.ts';
import { projectName, titleOf } from './outcome-words.ts';
import type { CaseWords } from './read-words.ts';
import { type RecordNeeds, recordCase } from './record-case.ts';
import { MAYBE_RECORDED, NO_PROJECTS, NOT_RECORDED } from './sentences.ts';

export interface CreateNowNeeds extends RecordNeeds {
  readonly store: RecordNeeds['store'] & Pick<Store, 'get'>;
  readonly places: TestPlaces;
}

/** What the person reads at once; `carryOn` begins after that. */
export interface Answer {
  readonly text: string;
  carryOn(): void;
}

/** A command with flags: recorded before it is acknowledged. `trigger` is unique to it. */
export async function createNow(
  needs: CreateNowNeeds,
  words: Extract<CaseWords, { kind: 'create' }>,
  { user: by, channel, trigger }: { user: string; channel: string; trigger: string },
): Promise<Answer> {
  const { places, store } = needs;
  const { testProjects } = places.catalogue;
  if (testProjects.length === 0) return say(NO_PROJECTS);
  try {
    const isOpen = words.flags.project === undefined && testProjects.length > 1;
    const last = isOpen ? await recallChoices(store, channel) : undefined;
    const chosen = choose(words, testProjects, testProjectWith(places, last?.projectId));
    if (!chosen.ok) return say(chosen.sentence);
    const wish = { by, channel, wanted: chosen.wanted, round: 0 };
    const { record, carryOn } = await recordCase(needs, wish, `command\0${trigger}`);
    const where = projectName(record, places);
    const text = `:hourglass_flowing_sand: Received: ${titleOf(record)} for ${where}. You'll get the result as a direct message.`;
    return { text, carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return say(error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED);
  }
}

function say(text: string): Answer {
  return { text, carryOn() {} };
}
