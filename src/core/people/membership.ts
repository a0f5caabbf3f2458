import type { SlackPerson } from '../slack/slack-person.ts';

/** Whether a Slack user may decide; all but `member` are refused. */
export type Membership = 'member' | 'bot' | 'deactivated' | 'other-team' | 'stranger' | 'guest';

/** Our workspaces in Slack. */
export interface Workspace {
  /** The bot's own workspace. */
  readonly team: string;
  /** The bot's organisation; null outside Enterprise Grid. */
  readonly enterprise: string | null;
  /** Additionally allowed workspaces. */
  readonly teams: readonly string[];
}

export interface MembershipRules extends Workspace {
  /** Guests and external people of an allowed workspace may decide. */
  readonly guests: boolean;
}

/**
 * Returns the first reason to refuse: those that no setting changes (bot, deactivated), then the global setting (team),
 * then the route's (stranger, guest).
 */
export function membershipOf(person: SlackPerson, rules: MembershipRules): Membership {
  if (person.isBot) return 'bot';
  if (person.deleted) return 'deactivated';
  if (!isOfAllowedTeam(person, rules)) return 'other-team';
  if (person.isStranger && !rules.guests) return 'stranger';
  if (person.isGuest && !rules.guests) return 'guest';
  return 'member';
}

/** What distinguishes our own full members. */
export type Belonging = Pick<SlackPerson, 'teamId' | 'enterpriseId' | 'isGuest' | 'isStranger'>;

/** Whether they are a full member of our own workspace or organisation; additionally allowed ones do not count. */
export function isOwnMember(person: Belonging, workspace: Workspace): boolean {
  if (person.isGuest || person.isStranger) return false;
  return isOfAllowedTeam(person, { ...workspace, teams: [] });
}

/** In an organisation the person's workspace may differ from the bot's, so the organisation counts too. */
function isOfAllowedTeam({ teamId, enterpriseId }: Belonging, workspace: Workspace): boolean {
  if (workspace.enterprise !== null && enterpriseId === workspace.enterprise) return true;
  return teamId !== null && (teamId === workspace.team || workspace.teams.includes(teamId));
}
