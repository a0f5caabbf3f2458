/** Ids of everything that people use here. */
export const ACTIONS = {
  /** Another page of the list, or the list again. */
  page: 'people.page',
  /** The same, beside one that turns back. */
  next: 'people.page.next',
  /** The card of an account. */
  open: 'people.open',
  /** The form with what can be changed. */
  edit: 'people.edit',
  deactivate: 'people.deactivate',
  activate: 'people.activate',
  /** The form for a new account. */
  create: 'people.create',
  /** The form again, from what would happen. */
  change: 'people.change',
  /** A form again, from how it ended. */
  revise: 'people.revise',
  /** Tries the same once more. */
  again: 'people.again',
} as const;

/** Callbacks of the modals. */
export const FORMS = {
  find: 'people.find-form',
  card: 'people.card',
  edit: 'people.edit-form',
  create: 'people.create-form',
  /** Says what creating would do. */
  review: 'people.review',
  /** Nothing in it is submitted. */
  notice: 'people.notice',
} as const;

export const COMMAND = '/people';
export const TITLE = 'Accounts';
