/**
 * `/approvals`: what waits for a person's decision, and what they asked for. It reads the lists that
 * approvals stand on (`look-through.ts`) and checks each for this person; the message is for them alone
 * (`list-message.ts`).
 */

import type {
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
} from '@slack/bolt';
import type { Core } from '../../core/core.ts';
import { foldTyped, isHelp } from '../../core/lib/fold-typed.ts';
import { readShortId } from '../../core/lib/short-id.ts';
import { throwReadError } from '../../core/people/throw-read-error.ts';
import { answerPerson, type Present, presentAt } from '../../core/slack/answer-person.ts';
import type { Listeners } from '../../core/slack/listeners.ts';
import { pressedIn } from '../../core/slack/pressed.ts';
import { messagePost } from '../approval.ts';
import { routeNamed } from '../steps/step-rules.ts';
import { LIST_ACTIONS, listingMessage } from './list-message.ts';
import { type Listing, listRequests } from './list-requests.ts';
import type { OpenRequest } from './look-through.ts';
import { OVERVIEW, readView, type View } from './view.ts';

/** `/approvals`, and the buttons of what it shows. */
export function listenToApprovalList(app: Listeners, core: Core): void {
  app.command('/approvals', onCommand(core));
  app.action(LIST_ACTIONS.moreWaiting, onTurn(core));
  app.action(LIST_ACTIONS.moreAsked, onTurn(core));
  app.action(LIST_ACTIONS.before, onTurn(core));
  app.action(LIST_ACTIONS.overview, onTurn(core));
}

function onCommand(core: Core) {
  return async ({ command, ack }: SlackCommandMiddlewareArgs): Promise<void> => {
    const words = foldTyped(command.text);
    const isId = readShortId(words) !== undefined || ID.test(words);
    if (words !== '' && !isId) {
      const text = isHelp(command.text) ? HELP : UNKNOWN_WORDS;
      return ack({ response_type: 'ephemeral', text });
    }
    await ack();
    const { user_id: user, channel_id: channel, response_url: responseUrl } = command;
    const view = isId ? { ...OVERVIEW, id: words } : OVERVIEW;
    await showRequests(core, { user, channel, responseUrl }, view, { replace: false });
  };
}

/** The whole id, or as much of it as messages of earlier versions show. */
const ID = /^(?:\d{1,2}-)?[\w-]{8}(?:[\w-]{8})?$/u;

/** Another page takes the place of the one that is shown. */
function onTurn(core: Core) {
  return async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>): Promise<void> => {
    await ack();
    const view = readView(pressedIn(body).value);
    await showRequests(core, presentAt(body), view, { replace: true });
  };
}

/**
 * Shows a person their lists, in a message of its own or, with `replace`, in the place of the one they
 * pressed a button of. Throws ReadError when they could not be read, and RemoteFailure when nothing
 * could be shown.
 */
async function showRequests(
  core: Core,
  present: Present,
  view: View,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const { user } = present;
  const listing = await listRequests(core, user, view).catch(throwReadError);
  const links = await linksTo(core, listing);
  const message = listingMessage(listing, view, {
    user,
    routeNamed: (name) => routeNamed(core, name),
    timing: core.timing,
    linkOf: ({ id }) => links.get(id),
    now: core.store.now(),
  });
  await answerPerson(core, present, { ...message, replace });
}

/** By the request's id. All are asked for at once, and most are known. */
async function linksTo(
  { permalink }: Core,
  { waiting, asked }: Listing,
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const note = async ({ id, approval }: OpenRequest) => {
    const { ts } = messagePost(approval);
    const link = ts === undefined ? undefined : await permalink(approval.channel, ts);
    if (link !== undefined) links.set(id, link);
  };
  await Promise.all([...(waiting?.requests ?? []), ...(asked?.requests ?? [])].map(note));
  return links;
}

/** What `/approvals` itself says. */

const HELP = [
  '*`/approvals`* lists open requests that need your decision, and your own requests, oldest first. Only you can see the list.',
  "Open a request's message to decide.",
  '*`/approvals 7H2N-K4QM`* finds an open request by its short id, which *Details…* shows.',
  'Requests you cannot decide are not listed, nor are decided or withdrawn ones (their messages say how they ended), nor those too old for Gatepost to watch.',
].join('\n');

const UNKNOWN_WORDS =
  '`/approvals` did not understand that, so nothing is listed. Type `/approvals` on its own, or `/approvals help`.';
