import type { SlackPerson } from '../../core/slack/slack-person.ts';
import type { Invitation } from './invitations.ts';
import type { Bot } from './try-tokens.ts';
import { nameOf, type Place, personFault, readPerson, readPlace } from './workspace.ts';

/** What an invitation says, and why it cannot be taken. */
export interface CheckedInvitation {
  readonly place: Place;
  /** undefined: it is not known who invited the bot. */
  readonly person: SlackPerson | undefined;
  /** A sentence about who invited it, and where. */
  readonly is: string;
  /** A sentence: why people cannot decide in this channel. */
  readonly fault?: string;
  /** A sentence: why this person cannot decide. */
  readonly barred?: string;
}

/** Reads its channel and its inviter. Throws RemoteFailure. */
export async function checkInvitation(
  { channel, inviter }: Invitation,
  bot: Bot,
): Promise<CheckedInvitation> {
  const { place, fault } = await readPlace(bot, channel);
  const person = inviter === null ? undefined : await readPerson(bot, inviter);
  const barred = person && personFault(person, bot);
  const who = person === undefined ? undefined : nameOf(person);
  const is =
    who === undefined
      ? `Gatepost is in ${place.name}.`
      : `${who} invited Gatepost to ${place.name}.`;
  return {
    place,
    person,
    is,
    ...(fault !== undefined && { fault }),
    ...(barred !== undefined && { barred: `${who} ${barred}.` }),
  };
}
