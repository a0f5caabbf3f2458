/**
 * `/approvals`: what waits for a person's decision, and what they asked for. Reads the lists of approvals
 * (`look-through.ts`), checks each for this person, and answers with a message that only they see (`list-message.ts`).
 */

import type { SlackEventMiddlewareArgs } from '@slack/bolt';
import type { Core } from '../../../core/core.ts';
import { foldTyped, isHelp } from '../../../core/lib/fold-typed.ts';
import { readShortId } from '../../../core/lib/short-id.ts';
import { addressesIn } from '../../../core/lib/web-address.ts';
import { authorizePerson } from '../../../core/people/permission.ts';
import { throwReadError } from '../../../core/people/throw-read-error.ts';
import { ackWhenDone } from '../../../core/slack/ack-when-done.ts';
import { answerPerson, type Present, presentAt } from '../../../core/slack/answer-person.ts';
import { sentAtIn } from '../../../core/slack/http-receiver.ts';
import { linkedMessage } from '../../../core/slack/links.ts';
import type { ActionArgs, CommandArgs, Listeners } from '../../../core/slack/listeners.ts';
import { deliveryOf, pressedIn } from '../../../core/slack/pressed.ts';
import type { ReplyContent } from '../../../core/slack/replies.ts';
import { unescapeMrkdwn } from '../../../core/slack/text.ts';
import { actedIn, type Delivery } from '../../acted-at.ts';
import { durationText } from '../../tell/message/outcome-line.ts';
import { openHome } from './home-flow.ts';
import { filtered, HOME_ACTIONS, readChoice } from './home-view.ts';
import { LIST_ACTIONS, listingMessage, NOT_CHECKED } from './list-message.ts';
import { listRequests } from './list-requests.ts';
import { requestFacts } from './request-facts.ts';
import { ALL, DECIDED, OVERVIEW, readView, SECTIONS, type View } from './view.ts';

/** What else `/approvals` understands. */
export interface MoreWords {
  /** How to answer; undefined: that is not among its words. */
  read(text: string): Answer | undefined;
  readonly help: string;
}

/** Does what it asks for; returns what the person reads. */
type Answer = (core: Core, present: Present, press: Delivery) => Promise<ReplyContent>;

/** `/approvals` and the Home tab, and the buttons of what they show. */
export function listenToApprovalList(
  app: Listeners,
  core: Core,
  more: readonly MoreWords[] = [],
): void {
  app.command('/approvals', onCommand(core, more));
  for (const action of Object.values(LIST_ACTIONS)) app.action(action, onTurn(core));
  app.event('app_home_opened', onHomeOpened(core));
  const { route, source, ...turns } = HOME_ACTIONS;
  for (const action of Object.values(turns)) app.action(action, onHomeTurned(core));
  app.action(route, onHomeTurned(core, 'route'));
  app.action(source, onHomeTurned(core, 'source'));
}

/** Filters stay; pages start over. */
function onHomeOpened(core: Core) {
  return async ({ event }: SlackEventMiddlewareArgs<'app_home_opened'>): Promise<void> => {
    if (event.tab !== 'home') return;
    const before = readChoice(event.view?.private_metadata ?? '');
    await openHome(core, event.user, { ...before, pages: {} });
  };
}

/** `by`: the filter that was changed; absent: the button's value is the whole choice. */
function onHomeTurned(core: Core, by?: 'route' | 'source') {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const { user, value } = pressedIn(body);
    const before = readChoice(body.view?.private_metadata ?? '');
    await openHome(core, user, by === undefined ? readChoice(value) : filtered(before, by, value));
  };
}

function onCommand(core: Core, more: readonly MoreWords[]) {
  return async ({ command, context, ack }: CommandArgs): Promise<void> => {
    const { user_id: user, channel_id: channel, response_url: responseUrl, text } = command;
    const present = { user, channel, responseUrl };
    for (const { read } of more) {
      const answer = read(text);
      if (answer === undefined) continue;
      const id = deliveryOf(user, command.trigger_id, text);
      const acting = answer(core, present, { id, ...actedIn(sentAtIn(context)) });
      return answerPerson(core, present, await ackWhenDone(core.timers, ack, acting));
    }
    const view = viewTyped(text);
    if (view === undefined) {
      const isAsked = isHelp(text) || isHelp(text.replace(/^\S+\s/u, ''));
      return ack({
        response_type: 'ephemeral',
        text: isAsked ? helpText(core, more) : UNKNOWN_WORDS,
      });
    }
    await ack();
    await showRequests(core, present, view, { replace: false });
  };
}

/** undefined: not a view. */
function viewTyped(text: string): View | undefined {
  const words = foldTyped(text);
  const view = new Map([
    ['', OVERVIEW],
    ['decided', DECIDED],
    ['all', ALL],
  ]).get(words);
  if (view !== undefined) return view;
  const [link] = addressesIn(unescapeMrkdwn(text));
  if (link !== undefined && linkedMessage(link.address) !== undefined) {
    return { section: 'both', id: link.address };
  }
  const isId = readShortId(words) !== undefined || ID.test(words);
  return isId ? { section: 'both', id: words } : undefined;
}

/** The whole id, or the part that messages of earlier versions show. */
const ID = /^(?:\d{1,2}-)?[\w-]{8}(?:[\w-]{8})?$/u;

/** Replaces the page shown. */
function onTurn(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const view = readView(pressedIn(body).value);
    await showRequests(core, presentAt(body), view, { replace: true });
  };
}

/**
 * Shows a person their lists, in a new message or, with `replace`, instead of the one they pressed a button of. Throws
 * ReadError when they could not be read, and RemoteFailure when nothing could be shown.
 */
async function showRequests(
  core: Core,
  present: Present,
  view: View,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const { user } = present;
  if (view.section === 'all') {
    const who = { ...core.config.administrators, channel: false };
    const permission = await authorizePerson(core, who, present);
    if (permission.kind !== 'allowed') {
      const text = permission.kind === 'failed' ? NOT_CHECKED : NOT_ADMINISTRATOR;
      return answerPerson(core, present, { text });
    }
  }
  const listing = await listRequests(core, user, view).catch(throwReadError);
  const shown = SECTIONS.flatMap((section) => listing[section]?.requests ?? []);
  const message = listingMessage(listing, view, await requestFacts(core, user, shown));
  await answerPerson(core, present, { ...message, replace });
}

/** What `/approvals` itself says. */

function helpText({ config }: Core, more: readonly MoreWords[]): string {
  return [
    '*`/approvals`* lists open requests that need your decision, and your own requests, those with the next deadline first. Only you can see the list.',
    "Open a request's message to decide.",
    '*`/approvals 7H2N-K4QM`* finds a request by its short id, which *Details…* shows, or by the link to its message.',
    '*`/approvals decided`* lists recent decisions on requests that you made or can decide.',
    '*`/approvals all`* lists all open requests (Gatepost administrators only).',
    ...more.map(({ help }) => help),
    `Not listed: requests you cannot decide, withdrawn ones, and those of the service older than ${durationText(config.watchMaxAgeMs)}.`,
  ].join('\n');
}

const NOT_ADMINISTRATOR =
  'Only Gatepost administrators can list all open requests. Type `/approvals` for your own list.';

const UNKNOWN_WORDS =
  '`/approvals` did not understand that, so nothing is listed. Type `/approvals` on its own, or `/approvals help`.';
