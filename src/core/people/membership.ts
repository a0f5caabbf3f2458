import type { SlackPerson } from '../slack/slack-person.ts';

/** Whether Slack's word on a person lets them decide; each but `member` is a reason to refuse. */
export type Membership = 'member' | 'bot' | 'deactivated' | 'other-team' | 'stranger' | 'guest';

/** Who counts as ours in Slack. */
export interface Workspace {
  /** The bot's own workspace. */
  readonly team: string;
  /** The bot's own organisation; null outside Enterprise Grid. */
  readonly enterprise: string | null;
  /** Workspaces allowed besides. */
  readonly teams: readonly string[];
}

export interface MembershipRules extends Workspace {
  /** Guests and strangers of an allowed workspace may decide. */
  readonly guests: boolean;
}

/**
 * The first reason to refuse counts: what no setting changes (bot, deactivated), what the
 * administrator sets for all (team), and last what a route sets (stranger, guest).
 */
export function membershipOf(person: SlackPerson, rules: MembershipRules): Membership {
  if (person.isBot) return 'bot';
  if (person.deleted) return 'deactivated';
  if (!isOfAllowedTeam(person, rules)) return 'other-team';
  if (person.isStranger && !rules.guests) return 'stranger';
  if (person.isGuest && !rules.guests) return 'guest';
  return 'member';
}

/** What tells a full member of our own workspace from everybody else. */
export type Belonging = Pick<SlackPerson, 'teamId' | 'enterpriseId' | 'isGuest' | 'isStranger'>;

/** Whether our own workspace or organisation knows them as a full member; one that is allowed besides does not count. */
export function isOwnMember(person: Belonging, workspace: Workspace): boolean {
  if (person.isGuest || person.isStranger) return false;
  return isOfAllowedTeam(person, { ...workspace, teams: [] });
}

/** In an organisation the clicker's workspace differs from the bot's, so the organisation counts too. */
function isOfAllowedTeam({ teamId, enterpriseId }: Belonging, workspace: Workspace): boolean {
  if (workspace.enterprise !== null && enterpriseId === workspace.enterprise) return true;
  return teamId !== null && (teamId === workspace.team || workspace.teams.includes(teamId));
}
