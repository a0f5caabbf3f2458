/** Ids of everything that people use here. */
export const ACTIONS = {
  project: 'test-cases.project',
  suite: 'test-cases.suite',
  /** Creates the same once more. */
  again: 'test-cases.again',
  /** Opens the form with what was entered. */
  edit: 'test-cases.edit',
  /** The form for several takes the place of that for one. */
  several: 'test-cases.several',
  moreLines: 'test-cases.lines.more',
  /** Of several, creates once more those that were certainly not created. */
  againFailed: 'test-cases.batch.again',
  againOne: 'test-cases.batch.again-one',
  changeLines: 'test-cases.batch.change',
  pageBefore: 'test-cases.batch.before',
  pageAfter: 'test-cases.batch.after',
} as const;

export const TITLE = 'Create a test case';
