import { escapeMrkdwn } from '../../slack/text.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from '../account.ts';
import { NO_TOKEN, REFUSALS } from '../administrator.ts';
import { COLLISION } from '../provisioning.ts';
import { type TroubleCode, troubleSentence } from '../trouble.ts';
import type { AccountChange, AttributeName, Done, Outcome, Wish } from './account-change.ts';
import type { ChangeFace } from './change-face.ts';

/** What people read of how a change of an account ended, in mrkdwn: state first, next action last. */

const VERBS = {
  create: { doing: 'Creating…', undone: 'Not created' },
  edit: { doing: 'Changing…', undone: 'Not changed' },
  deactivate: { doing: 'Deactivating…', undone: 'Not deactivated' },
  activate: { doing: 'Re-activating…', undone: 'Not re-activated' },
} as const satisfies Record<Wish['kind'], { readonly doing: string; readonly undone: string }>;

const DONE = {
  created: ['Created', 'The account is new.'],
  linked: ['Linked', 'The account existed already.'],
  reactivated: ['Re-activated', 'The account existed and was deactivated. It is active again.'],
  changed: ['Changed', ''],
  activated: ['Re-activated', 'The person can sign in again, with what was kept.'],
  deactivated: ['Deactivated', 'Access has ended. Documents and tasks are kept.'],
} as const satisfies Record<Done['how'], readonly [state: string, words: string]>;

const NOTHING_SENT = 'Nothing was sent.';
const NOTHING_DONE = 'Nothing was changed.';
const FOUND = 'The service did not answer, but this is how it shows the account now.';
const OTHERWISE = 'The service said that it is done, and shows something else';
const UNSEEN = 'The service said that it is done, and did not show the account.';
const DOUBT = 'An earlier attempt may have been carried out. Look at the account first.';

type Plain = Exclude<
  Outcome['code'],
  TroubleCode | 'done' | 'not-allowed' | 'no-token' | 'changed-meanwhile'
>;

/** `nothing`: what can be said as long as no earlier sending is in doubt. */
const OUTCOMES = {
  already: ['The account is like that already.', NOTHING_SENT, ''],
  otherwise: [
    'The accounts have changed meanwhile: creating would do something else now.',
    NOTHING_SENT,
    'Look again.',
  ],
  several: [
    'Several accounts have this address or external id: nothing was linked.',
    '',
    'Tidy them up in the service first.',
  ],
  'own-account': ['This is your own account.', '', 'Ask another administrator to deactivate it.'],
  'last-administrator': [
    'No other administrator of Gatepost was found whose account is active.',
    NOTHING_SENT,
    'Name another administrator first.',
  ],
  'could-not-check': [
    'It could not be found out whether this is allowed: Slack or the service did not answer.',
    NOTHING_SENT,
    'Try again in a minute.',
  ],
  'not-done': [
    'The service did not answer, and the accounts do not show that it was done.',
    '',
    'Try again.',
  ],
  unknown: [
    'The service did not answer, so it is not known whether it was done.',
    '',
    'Look at the account before you try again.',
  ],
} as const satisfies Record<Plain, readonly [what: string, nothing: string, next: string]>;

/** One line that names the state. */
export function headline({ wish }: AccountChange, face: ChangeFace): string {
  const { doing, undone } = VERBS[wish.kind];
  if (face.state === 'working') return `:hourglass_flowing_sand: *${doing}*`;
  const { outcome, doubt } = face;
  if (outcome.code === 'done') {
    if (outcome.unlike.length > 0) return ':warning: *Not as asked*';
    return `:white_check_mark: *${DONE[outcome.how][0]}*`;
  }
  if (outcome.code === 'already') return ':white_check_mark: *No change*';
  if (outcome.code === 'unknown' || doubt) return ':grey_question: *Unknown*';
  return `:no_entry_sign: *${undone}*`;
}

/** Everything that is said to the person. */
export function resultText(change: AccountChange, face: ChangeFace): string {
  const head = `${headline(change, face)} · ${nameOf(change, face)}`;
  if (face.state === 'working') return head;
  const { outcome, doubt = false } = face;
  const said =
    outcome.code === 'done' ? doneText(change, outcome) : failureText(change, outcome, doubt);
  const more = doubt && outcome.code !== 'unknown' ? DOUBT : '';
  return [head, said, more].filter((line) => line !== '').join('\n');
}

function doneText({ wish }: AccountChange, { how, found, account, unlike }: Done): string {
  if (unlike.length > 0) return `${OTHERWISE}: ${namesOf(unlike)}. Look at the account.`;
  if (account === null) return UNSEEN;
  const set =
    wish.kind === 'edit'
      ? `${namesOf(TEXT_ATTRIBUTES.filter((name) => wish.values[name] !== undefined))}.`
      : '';
  return [set, DONE[how][1], found ? FOUND : ''].filter((line) => line !== '').join(' ');
}

function failureText(
  { wish }: AccountChange,
  outcome: Exclude<Outcome, Done>,
  doubt: boolean,
): string {
  const words = wordsOf(wish, outcome);
  const [what, nothing, next] = words;
  return [what, doubt ? '' : nothing, next].filter((each) => each !== '').join(' ');
}

function wordsOf(
  wish: Wish,
  outcome: Exclude<Outcome, Done>,
): readonly [what: string, nothing: string, next: string] {
  switch (outcome.code) {
    case 'not-allowed':
      return [REFUSALS[outcome.refusal], '', ''];
    case 'no-token':
      return [NO_TOKEN, '', ''];
    case 'changed-meanwhile': {
      const what = `Somebody changed this meanwhile: ${namesOf(outcome.names)}.`;
      return [what, NOTHING_SENT, 'Look at it and change it again.'];
    }
    case 'already':
    case 'otherwise':
    case 'several':
    case 'own-account':
    case 'last-administrator':
    case 'could-not-check':
    case 'not-done':
    case 'unknown':
      return OUTCOMES[outcome.code];
    default: {
      if (outcome.code === 'taken' && wish.kind === 'create') return [COLLISION, '', ''];
      const { code, detail = null } = outcome;
      return ['', NOTHING_DONE, troubleSentence({ code, detail }, escapeMrkdwn)];
    }
  }
}

/** Escaped, as one line: whom it is about. */
function nameOf({ wish }: AccountChange, face: ChangeFace): string {
  const done = face.state === 'done' && face.outcome.code === 'done' ? face.outcome.account : null;
  if (done !== null) return escapeMrkdwn(done.name);
  return escapeMrkdwn(wish.kind === 'create' ? wish.user.userName : wish.account.name);
}

function namesOf(names: readonly AttributeName[]): string {
  return names.map((name) => ATTRIBUTES[name].name).join(', ');
}
