/** Ids of everything that people use here. */
export const ACTIONS = {
  /** Another page of the list, or the list again. */
  page: 'people.page',
  /** The same, beside one that turns back. */
  next: 'people.page.next',
  /** The card of an account. */
  open: 'people.open',
} as const;

/** Callbacks of the modals. */
export const FORMS = {
  find: 'people.find-form',
  card: 'people.card',
  /** Nothing in it is submitted. */
  notice: 'people.notice',
} as const;

export const COMMAND = '/people';
export const TITLE = 'Accounts';
