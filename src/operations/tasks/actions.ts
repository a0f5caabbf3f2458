/** Ids of all buttons and menus here. */
export const ACTIONS = {
  /** Starts a move of the item named by the button's value. */
  begin: 'tasks.begin',
  /** Shows the form to enter an item that could not be read. */
  enter: 'tasks.enter',
  project: 'tasks.project',
  type: 'tasks.type',
  status: 'tasks.status',
  /** From the review back to the statuses. */
  change: 'tasks.change',
  again: 'tasks.again',
  /** In the message about several: what failed is sent again, or one of them, or its move is reviewed again. */
  againFailed: 'tasks.batch.again',
  againOne: 'tasks.batch.again-one',
  reviewOne: 'tasks.batch.review',
  pageBefore: 'tasks.batch.page.before',
  pageAfter: 'tasks.batch.page.after',
  review: 'tasks.review',
} as const;

export const TITLE = 'Move a work item';
