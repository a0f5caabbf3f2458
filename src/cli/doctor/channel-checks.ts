import * as z from 'zod';
import { ROWS } from '../../app/features.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { callSlack } from '../../core/slack/call-slack.ts';
import { type CheckNeeds, checkAtMost, type Found, fine, wrong } from './found.ts';
import { slackFound } from './slack-checks.ts';

const conversation = z.looseObject({
  channel: z.looseObject({
    name: z.string().optional(),
    is_member: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_private: z.boolean().optional(),
  }),
});

export async function checkChannels(needs: CheckNeeds): Promise<Found> {
  const named = ROWS.flatMap((row) => row.channelsIn?.(needs.config) ?? []);
  return checkAtMost(named, CHANNELS_MOST, (channel) => checkChannel(needs, channel));
}

/** Slack answers about fifty such calls a minute, which the running bot needs too. */
const CHANNELS_MOST = 40;

async function checkChannel({ client, config }: CheckNeeds, channel: string): Promise<Found> {
  try {
    const asked = await callSlack(client, 'conversations.info', { channel }, conversation);
    const { name = channel, is_member: isMember, is_archived: isArchived } = asked.channel;
    if (isArchived)
      return wrong(
        `${channel} (#${name}) is archived`,
        `Unarchive #${name}, or set another channel.`,
      );
    if (isMember === false) {
      return wrong(
        `the bot is not in ${channel} (#${name})`,
        `Type /invite @Gatepost in #${name}.`,
      );
    }
    return fine(`#${name} is ${asked.channel.is_private ? 'private' : 'public'}`);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const { code } = error;
    if (code === 'channel_not_found') {
      return wrong(
        `${channel} does not exist, or is private and the bot is not in it`,
        'Check the id. If the channel is private, invite the bot.',
      );
    }
    if (code === 'missing_scope') {
      return wrong(
        `${channel} cannot be read (missing_scope)`,
        'Add the scopes from manifest.yml, then reinstall the app.',
      );
    }
    return slackFound(error, 'SLACK_BOT_TOKEN', config);
  }
}
