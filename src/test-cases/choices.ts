import type { NewTestCase } from '../service/create-test-case.ts';

export type Priority = NonNullable<NewTestCase['priority']>;
export type CaseType = NonNullable<NewTestCase['type']>;

/** The words of the interface (2.3), by what people read. */
export const PRIORITIES: Readonly<Record<Priority, string>> = {
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  CRITICAL: 'Critical',
};
export const TYPES: Readonly<Record<CaseType, string>> = {
  MANUAL: 'Manual',
  AUTOMATED: 'Automated',
  EXPLORATORY: 'Exploratory',
};

/** The word of the interface that was meant; case does not count. */
export function wordOf<Word extends string>(
  words: Readonly<Record<Word, string>>,
  typed: string | undefined,
): Word | undefined {
  // as: the keys of a record of all words are the words
  const all = Object.keys(words) as Word[];
  return all.find((word) => word === typed?.toUpperCase());
}
