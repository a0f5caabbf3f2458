/** Ids of everything that people use here. */
export const ACTIONS = {
  /** Begins a move of the item that the button's value names. */
  begin: 'tasks.begin',
  /** Shows the form for what could not be read. */
  enter: 'tasks.enter',
  project: 'tasks.project',
  type: 'tasks.type',
  status: 'tasks.status',
  /** Back from the review to the statuses. */
  change: 'tasks.change',
  again: 'tasks.again',
  review: 'tasks.review',
} as const;

export const TITLE = 'Move a work item';
