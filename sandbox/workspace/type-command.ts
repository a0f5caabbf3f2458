import { isObject, parseJson } from '../exchange.ts';
import type { Message } from '../wire.ts';
import { addMessage, type Conversation } from './conversation.ts';
import { deliverTwice, notSent } from './deliver-twice.ts';
import type { Manifest } from './manifest.ts';
import { readContent } from './message-content.ts';
import type { Carried, Carry, Notice } from './notice.ts';
import { Refusal } from './refusal.ts';
import { author, bot, team } from './seed.ts';
import { typedText, withMentions } from './slack-text.ts';
import { newResponseUrl, newTrigger, type TriggerNeeds } from './trigger-ids.ts';
import type { Delivery, Typed } from './user-actions.ts';
import { channelName, verificationToken } from './who.ts';
import { addEphemeral, isOrganizationInstall, nextTs, openDirect } from './world.ts';

export interface CommandNeeds extends TriggerNeeds {
  readonly manifest: Manifest;
  readonly hasScope: (scope: string) => boolean;
  readonly carry: Carry;
  readonly changed: () => void;
}

/** A person types a command. The response is shown to them there. */
export async function typeCommand(typed: Typed, needs: CommandNeeds): Promise<Delivery> {
  const place = placeOf(typed, needs);
  const [name = '', ...rest] = typed.text.split(' ');
  const known = needs.hasScope('commands') ? commandOf(needs.manifest, name) : undefined;
  if (!known) {
    const shown = unknownCommand(name);
    tellAlone(shown, typed.user, place, needs);
    return { ...notSent, shown };
  }
  const words = typedText(rest.join(' ').trim());
  const text = known.escapes ? withMentions(words, needs.world) : words;
  const make = () => commandNotice(typed.user, place, { command: name, text }, needs);
  const delivery = await deliverTwice(make, needs.carry, typed.twice);
  const shown = takeAnswer(delivery, typed, place, needs);
  if (shown !== null) tellAlone(shown, typed.user, place, needs);
  needs.changed();
  return { ...delivery, shown };
}

function commandOf({ commands, takesAnyCommand }: Manifest, name: string) {
  const listed = commands.find(({ command }) => command === name);
  return listed ?? (takesAnyCommand && name.length > 1 ? { escapes: false } : undefined);
}

function placeOf({ user, channel }: Typed, { world }: CommandNeeds): Conversation {
  openDirect(world, user, channel);
  const place = world.conversations.get(channel);
  if (!place?.members.has(user)) throw new Error(`${user} is not in ${channel}.`);
  return place;
}

function commandNotice(
  userId: string,
  place: Conversation,
  said: { readonly command: string; readonly text: string },
  needs: CommandNeeds,
): Notice {
  const { enterprise, users } = needs.world;
  return {
    kind: 'slash_commands',
    takesAnswer: true,
    payload: {
      token: verificationToken,
      team_id: team.id,
      team_domain: team.domain,
      ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
      channel_id: place.id,
      channel_name: channelName(place),
      user_id: userId,
      user_name: users.get(userId)?.name ?? '',
      ...said,
      api_app_id: bot.appId,
      is_enterprise_install: String(isOrganizationInstall(needs.world)),
      response_url: newResponseUrl(needs, { user: userId, channel: place.id }),
      trigger_id: newTrigger(needs, userId, { channel: place.id }),
    },
  };
}

function unknownCommand(name: string): string {
  return (
    `\`${name}\` is not a valid command. In Slack, all messages that start with the "/" are ` +
    'interpreted as commands. If you are trying to send a message and not run a command, try ' +
    'preceding the "/" with an empty space.'
  );
}

/** What Slack itself tells the person; null if the app acknowledged and its response could be shown. */
function takeAnswer(
  delivery: Carried,
  typed: Typed,
  place: Conversation,
  needs: CommandNeeds,
): string | null {
  const [name = ''] = typed.text.split(' ');
  const failed = (code: string): string => `${name} failed with the error "${code}"`;
  if (!delivery.acknowledged) return failed(failureOf(delivery));
  if (delivery.body.trim() === '') return null;
  try {
    showAnswer(delivery.body, typed, place, needs);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return failed('invalid_command_response');
  }
}

/** Slack's name of the failure. */
function failureOf({ timedOut, status }: Carried): string {
  if (timedOut) return 'operation_timeout';
  if (status === 0) return 'dispatch_failed';
  return status < 500 ? 'http_client_error' : 'http_service_error';
}

/** The body is text for the person only, or a message in JSON. Throws Refusal if it is neither. */
function showAnswer(
  body: string,
  typed: Typed,
  place: Conversation,
  { world, now }: CommandNeeds,
): void {
  const parsed = parseJson(body);
  const answer = isObject(parsed) ? parsed : { text: body };
  const inChannel = answer.response_type === 'in_channel';
  const say = (message: Pick<Message, 'user' | 'text'>): Message => ({
    type: 'message',
    ts: nextTs(world, now()),
    ...message,
  });
  // With a response that everybody sees, the typed command becomes visible.
  if (inChannel) addMessage(place, say({ user: typed.user, text: typedText(typed.text) }));
  if (inChannel && answer.text === undefined && answer.blocks === undefined) return;
  const { metadata: _, ...content } = readContent(answer, world, {
    mostText: 40_000,
    tooMuch: 'msg_too_long',
  });
  const message = { ...say({ ...author, text: '' }), ...author, ...content };
  if (inChannel) addMessage(place, message);
  else addEphemeral(world, { ...message, channel: place.id, to: typed.user });
}

/** A message by Slackbot that only that person sees. */
function tellAlone(
  text: string,
  user: string,
  place: Conversation,
  { world, now, changed }: CommandNeeds,
): void {
  const ts = nextTs(world, now());
  const said = { type: 'message', ts, user: 'USLACKBOT', text } as const;
  addEphemeral(world, { ...said, channel: place.id, to: user });
  changed();
}
