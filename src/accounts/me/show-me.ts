import type { Config } from '../../config/config.ts';
import type { Raise } from '../../notices/raise-notice.ts';
import { type AnswerNeeds, answerPerson, type Present } from '../../slack/answer-person.ts';
import { askOf } from './ask-of.ts';
import { type LookUpNeeds, lookUpMe } from './look-up-me.ts';
import { myMessage } from './my-message.ts';

export interface MeNeeds extends LookUpNeeds, AnswerNeeds {
  readonly administrators: Config['administrators'];
  readonly raise: Raise;
}

/** Shows somebody how Gatepost sees them. Throws ReadError, and RemoteFailure when nothing could be shown. */
export async function showMe(needs: MeNeeds, present: Present): Promise<void> {
  const mine = await lookUpMe(needs, present.user);
  await answerPerson(needs, present, myMessage(mine, hasAdministrators(needs) ? 'open' : 'nobody'));
}

/**
 * Tells administrators how it stands with somebody who asks them, once an hour. Throws ReadError,
 * StoreError when it is not known whether they are told, RemoteFailure when nothing could be shown.
 */
export async function tellOfMe(needs: MeNeeds, present: Present): Promise<void> {
  const mine = await lookUpMe(needs, present.user);
  const ask = askOf(mine);
  if (ask !== null) await needs.raise(ask);
  const telling = hasAdministrators(needs) ? 'told' : 'nobody';
  await answerPerson(needs, present, { ...myMessage(mine, telling), replace: true });
}

function hasAdministrators({ administrators: { users, groups } }: MeNeeds): boolean {
  return users.length + groups.length > 0;
}
