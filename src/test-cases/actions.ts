/** Ids of everything that people use here. */
export const ACTIONS = {
  project: 'test-cases.project',
  suite: 'test-cases.suite',
  /** Creates the same once more. */
  again: 'test-cases.again',
  /** Opens the form with what was entered. */
  edit: 'test-cases.edit',
} as const;

/** Callbacks of the modals. */
export const FORMS = {
  create: 'test-cases.create-form',
  /** Nothing in it is submitted. */
  notice: 'test-cases.notice',
} as const;

export const COMMAND = '/new-case';
export const SHORTCUT = 'test-cases.create';
export const TITLE = 'Create a test case';
