import type { BlockAction, SlackActionMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { type AnswerNeeds, answerPerson, presentAt } from '../../slack/answer-person.ts';
import { pressedIn } from '../../slack/pressed.ts';
import { readSlackPerson, userSchema } from '../../slack/read-slack-person.ts';
import type { Listeners } from '../../slack/register.ts';
import { readAccountNamed } from '../change/account-named.ts';
import type { RecordNeeds } from '../change/record-change.ts';
import { deactivateLeaver } from './deactivate-leaver.ts';
import { LEAVER_ACTION } from './leaver-news.ts';
import { type LeaverNeeds, tellOfLeaver } from './tell-of-leaver.ts';

export type LeaverListenerNeeds = LeaverNeeds & RecordNeeds & AnswerNeeds;

/** People who leave the workspace, and the button in what administrators are told of them. */
export function leaverListeners(needs: LeaverListenerNeeds): Listeners {
  return {
    events: {
      /** Bolt acknowledges events by itself; one that comes twice is told once. */
      user_change: async ({ event }: SlackEventMiddlewareArgs) => {
        if (event.type !== 'user_change') return;
        const user = userSchema.safeParse(event.user).data;
        if (user !== undefined) await tellOfLeaver(needs, readSlackPerson(user));
      },
    },
    actions: { [LEAVER_ACTION]: onDeactivate(needs) },
  };
}

function onDeactivate(needs: LeaverListenerNeeds) {
  return async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>): Promise<void> => {
    const { value, press, user } = pressedIn(body);
    const account = readAccountNamed(value);
    const { text, isRecorded, carryOn } = await deactivateLeaver(needs, { user, account, press });
    // What is not recorded is acknowledged once its person was told.
    if (isRecorded) await ack();
    carryOn();
    await answerPerson(needs, presentAt(body), { text, replace: isRecorded });
    if (!isRecorded) await ack();
  };
}
