import type { KnownBlock } from '@slack/types';
import type { NewAlert } from '../../core/alerts/raise-alert.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { type Login, loginsOf, loginText } from '../../core/lib/logins.ts';
import type { Search } from '../../core/people/directory.ts';
import { conflictAlert, isConflict } from '../../core/people/link-conflict.ts';
import { throwReadError } from '../../core/people/throw-read-error.ts';
import { answerPerson, type Present } from '../../core/slack/answer-person.ts';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import type { PeopleLookup } from '../../core/slack/lookup.ts';
import type { ReplyContent } from '../../core/slack/replies.ts';
import { NO_SUCH_PERSON, type SlackPerson } from '../../core/slack/slack-person.ts';
import { bold, code } from '../../core/slack/text.ts';
import { ACTIONS } from './account-modal.ts';
import {
  ASKS,
  type Ask,
  MINE,
  type MyState,
  NOBODY_TO_TELL,
  OVERRIDDEN,
  TOLD,
} from './me-sentences.ts';

/** Shows a person how Gatepost sees them. Throws ReadError, and RemoteFailure when nothing could be shown. */
export async function showMe(core: Core, present: Present): Promise<void> {
  const mine = await lookUpMe(core, core.lookup, present.user);
  await answerPerson(core, present, myMessage(mine, hasAdministrators(core) ? 'open' : 'nobody'));
}

/**
 * Alerts administrators for somebody who asks for help, at most once an hour. Throws ReadError; StoreError when it is
 * not known whether they are alerted; RemoteFailure when nothing could be shown.
 */
export async function tellOfMe(core: Core, present: Present): Promise<void> {
  const mine = await lookUpMe(core, core.lookup.recent, present.user);
  const ask = askOf(mine);
  if (ask !== null) await core.raise(ask);
  const telling = hasAdministrators(core) ? 'told' : 'nobody';
  await answerPerson(core, present, { ...myMessage(mine, telling), replace: true });
}

function hasAdministrators({ config }: Core): boolean {
  const { users, groups } = config.administrators;
  return users.length + groups.length > 0;
}

/** How Gatepost sees a person, as far as they may know. */
export interface Mine {
  readonly user: string;
  readonly state: MyState;
  /** From their profile, verified or not; null: Gatepost cannot see one. */
  readonly email: string | null;
  /** null: there was nothing to search for. */
  readonly search: Search | null;
  /** Their logins in other systems, by the configuration. */
  readonly logins: readonly Login[];
}

/** Throws ReadError when the store fails. */
async function lookUpMe(
  { config, directory, timers, timing: { stepMs } }: Core,
  lookup: PeopleLookup,
  user: string,
): Promise<Mine> {
  const signal = timers.deadline(stepMs);
  const logins = loginsOf(config.identityLogins, user);
  const nothing = { user, email: null, search: null, logins };
  const person = await orFailure(lookup.person(user, { signal }));
  if (person instanceof RemoteFailure) {
    return { ...nothing, state: NO_SUCH_PERSON.has(person.code) ? 'hidden' : 'slack-silent' };
  }
  const { email } = person;
  const limits = { signal, deadlineMs: stepMs };
  const search = await orFailure(directory.recentSearch(person, limits));
  if (search instanceof RemoteFailure) return { ...nothing, email, state: 'service-silent' };
  return { user, email, search, logins, state: stateOf(person, search) };
}

function stateOf(person: SlackPerson, { identity }: Search): MyState {
  if (identity.kind === 'none') return 'no-account';
  if (identity.kind !== 'no-address' || !person.email) return identity.kind;
  return person.isEmailConfirmed === false ? 'address-not-confirmed' : identity.kind;
}

async function orFailure<Value>(answer: Promise<Value>): Promise<Value | RemoteFailure> {
  try {
    return await answer;
  } catch (error) {
    return error instanceof RemoteFailure ? error : throwReadError(error);
  }
}

export const NOTIFY_ACTION = 'people.me.tell';

/** open: the person can ask administrators. told: they have. nobody: there are none. */
type NotifyState = 'open' | 'told' | 'nobody';

/** The message about themselves, with a button to ask for help. */
export function myMessage(mine: Mine, telling: NotifyState): ReplyContent {
  const isOverridden = mine.state === 'linked' && mine.search?.override != null;
  const [state, next] = isOverridden ? [OVERRIDDEN, ''] : MINE[mine.state];
  const facts = [...factsOf(mine), ...loginFacts(mine)];
  const isAskable = askOf(mine) !== null;
  return {
    text: joined(telling === 'told' && isAskable ? TOLD : '', state, next),
    blocks: [
      section([bold(state), next].filter((line) => line !== '').join('\n')),
      ...(facts.length === 0 ? [] : [section(facts.join('\n'))]),
      ...(isAskable ? [WAYS[telling]] : []),
    ],
  };
}

const WAYS = {
  open: actions('people.me', [button(NOTIFY_ACTION, 'Tell an administrator', 'tell')]),
  told: context(TOLD),
  nobody: context(NOBODY_TO_TELL),
} as const satisfies Record<NotifyState, KnownBlock>;

/** What was checked. Nothing about other people, or accounts that may be theirs. */
function factsOf(mine: Mine): string[] {
  const { search } = mine;
  if (search === null) return [];
  if (search.override !== null) return [`• Linked by the configuration: ${code(search.override)}`];
  if (mine.state === 'no-directory') return ['• Linked by the configuration: no'];
  return [
    `• Looked for: ${lookedFor(mine, search.address)}`,
    `• Found: ${found(mine)}`,
    `• Linked with: ${linkedWith(search)}`,
    '• Linked by the configuration: no',
  ];
}

/** They cannot decide what is asked for in the name of these. */
function loginFacts({ logins }: Mine): string[] {
  if (logins.length === 0) return [];
  return [`• Your logins: ${logins.map((login) => code(loginText(login))).join(', ')}`];
}

function lookedFor({ email }: Mine, address: string | null): string {
  if (address !== null) return `${code(address)}, your address in Slack`;
  return email === null
    ? 'nothing, because Gatepost sees no address of yours'
    : `nothing, because ${code(email)} is not confirmed`;
}

function found({ state, search }: Mine): string {
  if (state === 'several') return 'several accounts';
  if (search === null || search.account === null) return 'no account';
  return isConflict(search.identity) ? 'an account' : code(search.account);
}

function linkedWith({ linkedTo, account }: Search): string {
  if (linkedTo !== null) return code(linkedTo);
  return account === null ? 'no account' : 'not yet. Your first decision links you.';
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((each) => each !== '').join(' ');
}

/** The alert when the person asks for help; null: administrators cannot help. */
function askOf({ user, state, search, email }: Mine): NewAlert | null {
  // The same as after a decision, so that nobody reads it twice.
  if (search !== null && isConflict(search.identity)) return conflictAlert(search.identity);
  if (state === 'changed' || state === 'lost' || state === 'taken') return null;
  const ask: Ask | null = ASKS[state];
  if (ask === null) return null;
  const account = search?.account ?? null;
  const { text: words, button: begin } = ask({
    user,
    account,
    address: search?.override ? null : (search?.address ?? email),
  });
  return {
    about: `people.asks.${user}.${state}`,
    text: `<@${user}> asks for help with their account. ${words}`,
    ...(begin && { button: button(ACTIONS.begin, begin.label, begin.words) }),
  };
}
