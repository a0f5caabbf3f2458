import type { Conversation } from './conversation.ts';
import { team } from './seed.ts';
import { isOrganizationInstall, type World } from './world.ts';

/** Slack still sends this token, which is deprecated in favour of the signature. */
export const verificationToken = 'not-a-secret';

/** The person and the team in every interaction. */
export function whoActs(world: World, userId: string) {
  const user = world.users.get(userId);
  return {
    user: {
      id: userId,
      username: user?.name ?? '',
      name: user?.name ?? '',
      team_id: user?.team_id ?? team.id,
    },
    token: verificationToken,
    team: { id: team.id, domain: team.domain, ...enterpriseOfTeam(world) },
    enterprise: world.enterprise && { id: world.enterprise.id, name: world.enterprise.name },
    is_enterprise_install: isOrganizationInstall(world),
  };
}

function enterpriseOfTeam({ enterprise }: World) {
  return enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name };
}

/** Slack only sends names of public channels. */
export function channelName({ name, directTo, private: isPrivate }: Conversation): string {
  if (directTo !== null) return 'directmessage';
  return isPrivate ? 'privategroup' : name;
}

/** The channel in the payload of an interaction. */
export function channelIn(conversation: Conversation) {
  return { id: conversation.id, name: channelName(conversation) };
}
