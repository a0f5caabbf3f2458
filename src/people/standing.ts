import type { SlackPerson } from './slack-person.ts';

/** Whether Slack's word on a person lets them decide; each but `member` is a reason to refuse. */
export type Standing =
  | 'member'
  | 'bot'
  | 'deactivated'
  | 'other-team'
  | 'stranger'
  | 'guest'
  | 'email-unconfirmed';

export interface StandingRules {
  /** The bot's own workspace. */
  readonly team: string;
  /** The bot's own organisation; null outside Enterprise Grid. */
  readonly enterprise: string | null;
  /** Workspaces allowed besides. */
  readonly teams: readonly string[];
  /** Guests and strangers of an allowed workspace may decide. */
  readonly guests: boolean;
}

/**
 * The first reason to refuse counts: what no setting changes (bot, deactivated), what the
 * administrator sets for all (team), what a route sets (stranger, guest), and last what the person can
 * mend alone (e-mail). So nobody is sent to confirm an address and is then refused for something else.
 */
export function standing(person: SlackPerson, rules: StandingRules): Standing {
  if (person.isBot) return 'bot';
  if (person.deleted) return 'deactivated';
  if (!isOfAllowedTeam(person, rules)) return 'other-team';
  if (person.isStranger && !rules.guests) return 'stranger';
  if (person.isGuest && !rules.guests) return 'guest';
  // Anyone can type an address; when Slack does not say, `createDirectory` uses none.
  if (person.isEmailConfirmed === false) return 'email-unconfirmed';
  return 'member';
}

/** In an organisation the clicker's workspace differs from the bot's, so the organisation counts too. */
function isOfAllowedTeam({ teamId, enterpriseId }: SlackPerson, rules: StandingRules): boolean {
  if (rules.enterprise !== null && enterpriseId === rules.enterprise) return true;
  return teamId !== null && (teamId === rules.team || rules.teams.includes(teamId));
}
