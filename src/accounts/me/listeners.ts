import type { BlockAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { presentAt } from '../../slack/answer-person.ts';
import type { Listeners } from '../../slack/register.ts';
import { TELL_ACTION } from './my-message.ts';
import { type MeNeeds, tellOfMe } from './show-me.ts';

/** The button in what `/people me` shows. */
export function meListeners(needs: MeNeeds): Listeners {
  return {
    actions: {
      [TELL_ACTION]: async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>) => {
        await ack();
        await tellOfMe(needs, presentAt(body));
      },
    },
  };
}
