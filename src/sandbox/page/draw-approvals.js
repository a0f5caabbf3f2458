// @ts-check
import { post } from './ask-sandbox.js';
import { make, oneAtATime } from './make.js';

/**
 * @typedef {import('./page-state.ts').PageState} PageState
 * @typedef {import('./draw-items.js').Item} Item
 */

const statusWords = {
  PENDING: 'waiting',
  APPROVED: 'approved',
  REJECTED: 'rejected',
  TIMED_OUT: 'timed out',
};

/** A card for every approval of the service. @param {PageState} state @returns {Item[]} */
export function approvalItems({ approvals }) {
  if (approvals.length === 0) {
    return [{ key: 'none', facts: null, draw: () => make('p', 'quiet', 'None yet.') }];
  }
  return approvals.map((approval) => ({
    key: approval.id,
    facts: approval,
    draw: () => drawCard(approval),
  }));
}

/** @param {PageState['approvals'][number]} approval */
function drawCard(approval) {
  const card = make('div', `approval ${approval.status.toLowerCase()}`);
  card.tabIndex = -1;
  const line = make('p', '');
  line.append(make('strong', '', `${approval.id} `), approval.title);
  const words = [statusWords[approval.status], ...approval.effects].join(' · ');
  card.append(line, make('p', 'status', words));
  const choices = choicesOf(approval);
  if (choices.length > 0) {
    const row = make('div', 'actions');
    row.append(...choices);
    card.append(row);
  }
  return card;
}

/** @param {PageState['approvals'][number]} approval */
function choicesOf({ id, status, canCheck }) {
  const choice = (/** @type {string} */ label, /** @type {string} */ action) => {
    const button = make('button', 'small', label);
    button.dataset.key = action;
    const decide = () => post('decide', { approval: id, action });
    button.addEventListener('click', oneAtATime(button, decide));
    return button;
  };
  if (status === 'PENDING') {
    return [
      choice('Approve elsewhere', 'approve'),
      choice('Reject elsewhere', 'reject'),
      choice('Let time run out', 'time-out'),
    ];
  }
  return canCheck ? [choice('Tell the bot to look', 'check')] : [];
}

/** A line for every request to the service. @param {PageState} state @returns {Item[]} */
export function requestItems({ requests }) {
  if (requests.length === 0) {
    return [{ key: 'none', facts: null, draw: () => make('li', 'quiet', 'Nothing yet.') }];
  }
  return requests.map((request) => ({
    key: String(request.id),
    facts: request,
    draw: () => {
      const row = make('li', '', request.text);
      row.title = new Date(request.at).toLocaleTimeString('en-GB');
      return row;
    },
  }));
}
