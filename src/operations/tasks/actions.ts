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
  review: 'tasks.review',
} as const;

export const TITLE = 'Move a work item';
