import { z } from 'zod';
import type { NamedPeople } from '../../config/config.ts';
import { RemoteFailure } from '../../lib/failure.ts';
import { TRUE_TIME } from '../../lib/timing.ts';
import { callSlack, type SlackClient } from '../../slack/call-slack.ts';
import { createLookup } from '../../slack/lookup.ts';
import { advice, type CheckNeeds, type Found, fine, together, wrong } from './found.ts';
import { slackFound } from './slack-checks.ts';

const conversation = z.looseObject({
  channel: z.looseObject({
    name: z.string().optional(),
    is_member: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_private: z.boolean().optional(),
  }),
});

export async function checkChannels({ client, config }: CheckNeeds): Promise<Found> {
  const { routes, sources } = config;
  const named = [
    ...routes.flatMap(({ channel, outcomes }) => [channel, outcomes.channel ?? []].flat()),
    ...sources.flatMap(({ channels }) => channels),
  ];
  const channels = [...new Set(named)];
  const asked = channels.slice(0, CHANNELS_MOST);
  const found = await Promise.all(asked.map((channel) => checkChannel(client, channel)));
  const unasked = channels.length - asked.length;
  const checked = together(found);
  if (unasked === 0) return checked;
  return { ...checked, detail: `${checked.detail}; ${unasked} more were not checked` };
}

/** Slack answers about fifty such questions a minute, and the bot beside asks too. */
const CHANNELS_MOST = 40;

async function checkChannel(client: SlackClient, channel: string): Promise<Found> {
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
    return slackFound(error, 'SLACK_BOT_TOKEN');
  }
}

export async function checkGroups({ client, config, system }: CheckNeeds): Promise<Found> {
  const { routes, administrators, move, cases } = config;
  const all: readonly NamedPeople[] = [
    ...routes.map(({ reviewers }) => reviewers),
    administrators,
    move.who,
    ...move.rules.map(({ who }) => who),
    cases.who,
  ];
  const groups = [...new Set(all.flatMap((each) => each.groups))];
  if (groups.length === 0) return fine('none is configured');
  const lookup = createLookup({ client, ...system, timing: TRUE_TIME });
  const found = groups.map(async (group): Promise<Found> => {
    try {
      const { users, missing } = await lookup.groupMembers(group);
      if (missing === 'no_groups_in_plan') {
        return wrong(
          `${group} cannot be read: this Slack plan has no user groups`,
          'Use people instead of groups.',
        );
      }
      if (missing !== null) {
        return wrong(
          `${group} does not exist, or is disabled`,
          'Check the id, or enable the group in Slack.',
        );
      }
      if (users.length === 0) return advice(`${group} has no members`, `Add members to ${group}.`);
      return fine(`${group} has ${users.length === 1 ? '1 member' : `${users.length} members`}`);
    } catch (error) {
      return slackFound(error, 'SLACK_BOT_TOKEN');
    }
  });
  return together(await Promise.all(found));
}
