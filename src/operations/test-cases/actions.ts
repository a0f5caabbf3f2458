/** Ids of all buttons and menus here. */
export const ACTIONS = {
  project: 'test-cases.project',
  suite: 'test-cases.suite',
  /** Creates the same test case again. */
  again: 'test-cases.again',
  /** Opens the form with what was entered. */
  edit: 'test-cases.edit',
  /** Fill the form from one message, or from its thread. */
  fromMessage: 'test-cases.from-message',
  fromThread: 'test-cases.from-thread',
  /** Replaces the form with the one for several test cases. */
  several: 'test-cases.several',
  moreLines: 'test-cases.lines.more',
  /** In a batch, retries those that were certainly not created. */
  againFailed: 'test-cases.batch.again',
  againOne: 'test-cases.batch.again-one',
  changeLines: 'test-cases.batch.change',
  pageBefore: 'test-cases.batch.before',
  pageAfter: 'test-cases.batch.after',
} as const;

export const TITLE = 'Create a test case';
