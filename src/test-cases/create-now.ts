import { type AskDependencies, askOnce } from '../operations/ask.ts';
import { type Store, StoreError } from '../store/store.ts';
import { CASE_RULES } from './case.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { choose } from './choose.ts';
import { recallChoices } from './last-choices.ts';
import { projectName, titleOf } from './outcome-words.ts';
import type { CaseWords } from './read-words.ts';
import { MAYBE_RECORDED, NO_PROJECTS, NOT_RECORDED } from './sentences.ts';

export interface CreateNowNeeds extends AskDependencies {
  readonly store: AskDependencies['store'] & Pick<Store, 'get'>;
  readonly places: TestPlaces;
}

/** What the person reads at once; `carryOn` begins after that. */
export interface Answer {
  readonly text: string;
  carryOn(): Promise<void>;
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
    const { record, carryOn } = await askOnce(needs, CASE_RULES, {
      by,
      channel,
      wish: { testCase: chosen.wanted, round: 0 },
      announce: places.cases.announce,
      key: `command\0${trigger}`,
      delivery: trigger,
    });
    const where = projectName(record, places);
    const text = `:hourglass_flowing_sand: Received: ${titleOf(record)} for ${where}. You'll get the result as a direct message.`;
    return { text, carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return say(error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED);
  }
}

function say(text: string): Answer {
  return { text, async carryOn() {} };
}
