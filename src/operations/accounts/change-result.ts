import type { Button, ModalView } from '@slack/types';
import { actions, button, section } from '../../core/slack/blocks.ts';
import { modal } from '../../core/slack/modal-blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { inertText } from '../../core/slack/text.ts';
import { writeAgain } from '../flow/ask.ts';
import { isRepeatable } from '../flow/progress.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from './account.ts';
import { ACTIONS, BACK_TO_LIST, listButton, NOTICE, openButton, TITLES } from './account-modal.ts';
import { NO_TOKEN, REFUSALS } from './administrator.ts';
import { readBrowse } from './browse.ts';
import {
  type AccountChange,
  type AttributeName,
  type Change,
  type ChangeState,
  type Done,
  isDone,
  isRevisable,
  type Outcome,
} from './change.ts';
import { CHANGE_RULES } from './change-rules.ts';
import { collisionSentence } from './provisioning.ts';
import { type Quote, serviceWords, type TroubleCode, troubleSentence } from './trouble.ts';

/** The result of an account change, for people: the state first, what to do last. */

const VERBS = {
  create: { doing: 'Creating…', undone: 'Not created' },
  edit: { doing: 'Changing…', undone: 'Not changed' },
  deactivate: { doing: 'Deactivating…', undone: 'Not deactivated' },
  activate: { doing: 'Re-activating…', undone: 'Not re-activated' },
  delete: { doing: 'Deactivating…', undone: 'Not deactivated' },
} as const satisfies Record<Change['kind'], { readonly doing: string; readonly undone: string }>;

const DONE = {
  created: ['Created', 'The account is new.'],
  'created-or-linked': [
    'Created or linked',
    'The service created the account, or linked one that it does not list. It does not say which.',
  ],
  linked: ['Linked', 'The account already existed.'],
  reactivated: ['Re-activated', 'The account existed but was deactivated. It is active again.'],
  changed: ['Changed', ''],
  activated: ['Re-activated', 'The person can sign in again, with what was kept.'],
  deactivated: ['Deactivated', 'Access has ended. Documents and tasks are kept.'],
} as const satisfies Record<Done['code'], readonly [state: string, words: string]>;

const NOTHING_SENT = 'Nothing was sent.';
const NOTHING_DONE = 'Nothing was changed.';
const FOUND = 'The service gave no clear answer, but it shows the account like this now.';
const OTHERWISE = 'The service reported success, but shows other values';
// Somebody else may have created it.
const FOUND_OTHERWISE =
  'The service gave no clear answer, and shows the account with other values now';
const UNSEEN = 'Gatepost did not see the account in the service after that. Check the account.';
const UNSEEN_UNCLEAR = 'The service gave no clear answer, and does not show the account now.';
const DUPLICATE = 'The service refused this as a duplicate. Nothing was created or linked.';
const MAYBE_COLLISION = 'An account that is not synchronized may have this address.';
const UNCONFIRMED = 'An earlier attempt may have been carried out. Check the account first.';

type Plain = Exclude<
  Outcome['code'],
  TroubleCode | Done['code'] | 'not-allowed' | 'changed-meanwhile' | 'collision'
>;

const COULD_NOT_CHECK = [
  'Gatepost could not check with Slack or the service whether this is allowed.',
  NOTHING_DONE,
  'Try again in a minute.',
] as const;

/** `nothing`: shown as long as no earlier call is unconfirmed. */
const OUTCOMES = {
  already: ['The account is already like this.', NOTHING_SENT, ''],
  otherwise: [
    'The accounts have changed in the meantime: creating would do something else now.',
    NOTHING_SENT,
    'Check the preview again.',
  ],
  several: [
    'Several accounts have this address or external id. Nothing was linked.',
    '',
    'Clean them up in the service first.',
  ],
  'own-account': ['This is your own account.', '', 'Ask another administrator to deactivate it.'],
  'own-unknown': [
    'Gatepost does not see which account in the service is yours, so this may be your own.',
    NOTHING_SENT,
    'Ask another administrator to do this, or have yourself linked in `identity.overrides`.',
  ],
  'last-administrator': [
    'No other Gatepost administrator was found whose account is active.',
    NOTHING_SENT,
    'Add another administrator first.',
  ],
  'could-not-check': COULD_NOT_CHECK,
  'account-not-read': COULD_NOT_CHECK,
  'store-not-read': [
    'Gatepost could not read what it has stored, so it is not known whether this is allowed.',
    NOTHING_DONE,
    'Try again in a minute.',
  ],
  'no-key': [NO_TOKEN, '', ''],
  cancelled: ['This was interrupted.', NOTHING_SENT, ''],
  forgotten: ['Gatepost lost its record of this.', NOTHING_SENT, 'Start over.'],
  'not-done': [
    'The service gave no clear answer, and the accounts do not show that it was done.',
    '',
    'Try again.',
  ],
  unknown: [
    'The service gave no clear answer, so it is not known whether it was done.',
    '',
    'Check the account before you try again.',
  ],
} as const satisfies Record<Plain, readonly [what: string, nothing: string, next: string]>;

const OWN_REACTIVATION = [
  'This is your own account.',
  '',
  'Ask another administrator to re-activate it, or have it re-activated in the service itself.',
] as const;

const OWN_CREATION = [
  'This is your own account, or would be.',
  '',
  'Ask another administrator to create or link it.',
] as const;

/** One line with the state, in mrkdwn. */
function headline({ wish: { change } }: AccountChange, state: ChangeState): string {
  const { doing, undone } = VERBS[change.kind];
  switch (state.state) {
    case 'authorizing':
      return ':hourglass_flowing_sand: *Checking whether you can…*';
    case 'working':
      return `:hourglass_flowing_sand: *${doing}*`;
    case 'reading-back':
      return ':hourglass_flowing_sand: *Checking…*';
    case 'done': {
      const { outcome, unconfirmed } = state;
      if (isDone(outcome)) {
        return `${doneIcon(outcome)} *${doneWord(outcome)}*`;
      }
      if (outcome.code === 'already') return ':white_check_mark: *No change*';
      if (outcome.code === 'unknown' || unconfirmed) return ':grey_question: *Unknown*';
      return `:no_entry_sign: *${undone}*`;
    }
  }
}

/** The whole text for the person, in mrkdwn. */
export function resultText(record: AccountChange, state: ChangeState): string {
  const { change } = record.wish;
  const head = `${headline(record, state)} · ${nameOf(change, state)}`;
  if (state.state === 'reading-back') return `${head}\n${READING_BACK}`;
  if (state.state !== 'done') return head;
  const { outcome, unconfirmed = false } = state;
  if (isDone(outcome)) {
    const said = doneText(outcome, setText(change));
    return said === '' ? head : `${head}\n${said}`;
  }
  return `${head}\n${failureText(change, outcome, { unconfirmed, quote: inertText })}`;
}

const READING_BACK = 'The service gave no clear answer. Gatepost is checking whether it was done.';

/** The state in a word or two. */
export function doneWord({ code, found, unlike }: Done): string {
  if (unlike.length === 0) return DONE[code][0];
  return found ? 'Unknown' : 'Done, but not as requested';
}

function doneIcon({ found, unlike }: Done): string {
  if (unlike.length === 0) return ':white_check_mark:';
  return found ? ':grey_question:' : ':warning:';
}

function setText(change: Change): string {
  if (change.kind !== 'edit') return '';
  return `${namesOf(TEXT_ATTRIBUTES.filter((name) => change.values[name] !== undefined))}.`;
}

/** What was done, according to the service. `set`: a sentence about the changed attributes; empty: none. */
export function doneText({ code, found, account, unlike }: Done, set: string): string {
  if (unlike.length > 0) {
    return `${found ? FOUND_OTHERWISE : OTHERWISE}: ${namesOf(unlike)}. Check the account.`;
  }
  const rest =
    account === null ? [found ? UNSEEN_UNCLEAR : UNSEEN] : [DONE[code][1], found ? FOUND : ''];
  return [set, ...rest].filter((line) => line !== '').join(' ');
}

/** Why it was not done, or is not known. `quote`: how the medium quotes the service's own words. */
export function failureText(
  change: Change,
  outcome: Exclude<Outcome, Done>,
  { unconfirmed, quote }: { readonly unconfirmed: boolean; readonly quote?: Quote },
): string {
  const [what, nothing, next] = wordsOf(change, outcome, quote);
  const said = [what, unconfirmed ? '' : nothing, next].filter((each) => each !== '').join(' ');
  return unconfirmed && outcome.code !== 'unknown' ? `${said}\n${UNCONFIRMED}` : said;
}

function wordsOf(
  change: Change,
  outcome: Exclude<Outcome, Done>,
  quote?: Quote,
): readonly [what: string, nothing: string, next: string] {
  switch (outcome.code) {
    case 'not-allowed':
      return [REFUSALS[outcome.refusal], '', ''];
    case 'changed-meanwhile': {
      const what = `Somebody changed this in the meantime: ${namesOf(outcome.names)}.`;
      return [what, 'Your change was not made.', 'Check it and change it again.'];
    }
    case 'collision':
      return [collisionSentence(outcome.account, quote), '', ''];
    case 'own-account':
      if (change.kind === 'deactivate') return OUTCOMES[outcome.code];
      return change.kind === 'create' && change.foreseen.kind !== 'reactivate'
        ? OWN_CREATION
        : OWN_REACTIVATION;
    case 'already':
    case 'otherwise':
    case 'several':
    case 'own-unknown':
    case 'last-administrator':
    case 'could-not-check':
    case 'account-not-read':
    case 'store-not-read':
    case 'no-key':
    case 'cancelled':
    case 'forgotten':
    case 'not-done':
    case 'unknown':
      return OUTCOMES[outcome.code];
    default: {
      const { code, detail = null } = outcome;
      if (code === 'taken' && change.kind === 'create') {
        return [DUPLICATE, '', detail === null ? MAYBE_COLLISION : serviceWords(detail, quote)];
      }
      return ['', NOTHING_DONE, troubleSentence({ code, detail }, quote)];
    }
  }
}

/** Whom it is about, as one escaped line. */
function nameOf(change: Change, state: ChangeState): string {
  const done = state.state === 'done' && isDone(state.outcome) ? state.outcome.account : null;
  if (done !== null) return inertText(done.name);
  return inertText(change.kind === 'create' ? change.user.userName : change.account.name);
}

function namesOf(names: readonly AttributeName[]): string {
  return names.map((name) => ATTRIBUTES[name].name).join(', ');
}

/** The modal during and after a change. */
export function resultView(id: string, record: AccountChange, state: ChangeState): ModalView {
  const buttons = state.state === 'done' ? buttonsOf(id, record) : [];
  const { browse } = record.wish;
  return modal({
    callbackId: NOTICE,
    title: TITLES[record.wish.change.kind],
    close: 'Close',
    ...(browse !== undefined && { metadata: browse }),
    blocks: [
      section(resultText(record, state)),
      ...(buttons.length > 0 ? [actions('people.result', buttons)] : []),
    ],
  });
}

/** The direct message to a person who closed the modal. */
export function resultMessage(id: string, record: AccountChange, state: ChangeState): SlackMessage {
  const text = resultText(record, state);
  const buttons = isRepeatable(CHANGE_RULES, record) ? [againButton(id, record)] : [];
  return {
    text,
    blocks: [section(text), ...(buttons.length > 0 ? [actions('people.result', buttons)] : [])],
  };
}

function buttonsOf(id: string, record: AccountChange): readonly Button[] {
  const account = accountOf(record);
  const open = account && openButton(account);
  return [
    ...(isRepeatable(CHANGE_RULES, record) ? [againButton(id, record)] : []),
    ...(isRevisable(record) ? [button(ACTIONS.revise, 'Change it', id)] : []),
    ...(open ? [open] : []),
    listButton(BACK_TO_LIST, readBrowse(record.wish.browse ?? '')),
  ];
}

function againButton(id: string, { run }: AccountChange): Button {
  return button(ACTIONS.again, 'Try again', writeAgain(id, run));
}

function accountOf({ wish: { change }, outcome }: AccountChange) {
  if (outcome !== undefined && isDone(outcome) && outcome.account !== null) return outcome.account;
  return change.kind === 'create' ? undefined : change.account;
}
