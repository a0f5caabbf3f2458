import type { BlockAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { ACCEPT_ACTION, readSeen } from '../../people/link-conflict.ts';
import { answerPerson, presentAt } from '../../slack/answer-person.ts';
import { pressedIn } from '../../slack/pressed.ts';
import type { Listeners } from '../../slack/register.ts';
import { type AcceptNeeds, acceptConflict } from './accept-conflict.ts';

/** The button in what administrators are told of an account that does not agree with a pin. */
export function pinListeners(needs: AcceptNeeds): Listeners {
  return {
    actions: {
      [ACCEPT_ACTION]: async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>) => {
        await ack();
        const seen = readSeen(pressedIn(body).value);
        const present = presentAt(body);
        const { text, isDone } = await acceptConflict(needs, seen, present);
        await answerPerson(needs, present, { text, replace: isDone });
      },
    },
  };
}
