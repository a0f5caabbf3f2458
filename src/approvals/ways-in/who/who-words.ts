import type { NamedPeople, Reviewers, Route } from '../../../core/config/config.ts';
import { bold, code } from '../../../core/slack/text.ts';
import { cannotText } from '../../tell/message/message.ts';
import { durationText } from '../../tell/message/outcome-line.ts';
import { mention } from '../../tell/message/sentences.ts';
import type { WhoIsAsked } from './who-is-asked.ts';

/** Who would be asked, in Slack's mrkdwn. Accounts are not read, so where they are demanded it says who reviews. */
export function whoText(asked: WhoIsAsked, { name, channel, identity }: Route): string {
  const can = identity === 'require' ? 'Reviewers' : 'Can decide';
  const { requester, deciders, mentioned, quiet, later, needed, lacking, rules } = asked;
  const { needs, ...counted } = lacking;
  const cannot = cannotText({ needed, ...counted, ...(needs.length > 0 && { lacking: needs }) });
  return [
    bold(`A request on route ${code(name)} now:`),
    ...(requester === undefined ? [] : [`Asked for by: ${requesterText(requester)}`]),
    `Mentioned: ${listed(mentioned) || 'nobody by name'}`,
    `${can}: ${decidersText(deciders, channel) || 'nobody'}`,
    ...(listed(quiet) === '' ? [] : [`${can}, not mentioned: ${listed(quiet)}`]),
    ...later.map(
      (step) => `After ${durationText(step.afterMs)}, also: ${listed(step) || 'nobody'}`,
    ),
    ...(cannot === undefined ? [] : [`:warning: ${cannot}`]),
    ...rules.map((rule) => `• ${rule}`),
    ...(asked.isPartial ? [`:warning: ${PARTIAL}`] : []),
  ].join('\n');
}

function requesterText({ user, known }: NonNullable<WhoIsAsked['requester']>): string {
  if (user === undefined) return 'somebody whom Slack does not know';
  return known ? mention(user) : `${mention(user)}, who is not a full member`;
}

function decidersText({ channel: isOpen, ...named }: Reviewers, channel: string): string {
  return [...(isOpen ? [`anyone in <#${channel}>`] : []), ...all(named)].join(', ');
}

function listed(named: NamedPeople): string {
  return all(named).join(', ');
}

function all({ users, groups }: NamedPeople): readonly string[] {
  return [...users.map(mention), ...groups.map((group) => `<!subteam^${group}>`)];
}

const PARTIAL =
  'Slack or the store did not answer for everybody, so this may be incomplete. Try again in a minute.';
