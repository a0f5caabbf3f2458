import type {
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
} from '@slack/bolt';
import { presentAt } from '../../slack/answer-person.ts';
import { pressedIn } from '../../slack/pressed.ts';
import type { Listeners } from '../../slack/register.ts';
import { HELP, UNKNOWN_WORDS } from './help.ts';
import { LIST_ACTIONS } from './listing-message.ts';
import { type ShowNeeds, showRequests } from './show-requests.ts';
import { OVERVIEW, readView } from './view.ts';

/** `/approvals`, and the buttons of what it shows. */
export function listingListeners(needs: ShowNeeds): Listeners {
  const turn = onTurn(needs);
  return {
    commands: { '/approvals': onCommand(needs) },
    actions: Object.fromEntries(Object.values(LIST_ACTIONS).map((id) => [id, turn])),
  };
}

function onCommand(needs: ShowNeeds) {
  return async ({ command, ack }: SlackCommandMiddlewareArgs): Promise<void> => {
    const words = command.text.trim().toLowerCase();
    if (words !== '') {
      const text = words === 'help' ? HELP : UNKNOWN_WORDS;
      return ack({ response_type: 'ephemeral', text });
    }
    await ack();
    const { user_id: user, channel_id: channel, response_url: responseUrl } = command;
    await showRequests(needs, { user, channel, responseUrl }, OVERVIEW, { replace: false });
  };
}

/** Another page takes the place of the one that is shown. */
function onTurn(needs: ShowNeeds) {
  return async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>): Promise<void> => {
    await ack();
    const view = readView(pressedIn(body).value);
    await showRequests(needs, presentAt(body), view, { replace: true });
  };
}
