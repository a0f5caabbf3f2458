import type { User } from '../wire.ts';

export const team = { id: 'T0ACME', domain: 'acme', name: 'Acme' } as const;
export const otherTeamId = 'T0OTHER';
export const bot = {
  userId: 'U0GATE',
  botId: 'B0GATE',
  appId: 'A0GATE',
  teamId: team.id,
  name: 'gatepost',
} as const;

/** What every message of the bot says about its author. */
export const author = {
  user: bot.userId,
  bot_id: bot.botId,
  app_id: bot.appId,
  team: bot.teamId,
} as const;

export interface ChannelSeed {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  readonly archived?: boolean;
  readonly private?: boolean;
}

const everyone = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0GUS', 'U0DANA', 'U0UNA', 'U0IVO'];

export const channels: readonly ChannelSeed[] = [
  { id: 'C0DEPLOYS', name: 'deployments', members: [...everyone, 'U0STR', bot.userId] },
  { id: 'C0OUTCOMES', name: 'releases', members: [...everyone, bot.userId] },
  { id: 'C0NOBOT', name: 'random', members: everyone },
  { id: 'C0SECURITY', name: 'security', members: ['U0ANA', 'U0BEN', 'U0DANA'], private: true },
  { id: 'C0OLD', name: 'old-deployments', members: [...everyone, bot.userId], archived: true },
];

export const userGroups = [
  { id: 'S0REL', handle: 'release-managers', users: ['U0ANA', 'U0BEN'] },
] as const;

interface Zone {
  readonly tz: string;
  readonly tz_label: string;
  readonly tz_offset: number;
}

const london: Zone = { tz: 'Europe/London', tz_label: 'Greenwich Mean Time', tz_offset: 0 };
const madrid: Zone = { tz: 'Europe/Madrid', tz_label: 'Central European Time', tz_offset: 3600 };
const newYork: Zone = {
  tz: 'America/New_York',
  tz_label: 'Eastern Standard Time',
  tz_offset: -18000,
};

function person(id: string, name: string, email: string, zone: Zone, patch?: Partial<User>): User {
  const handle = email.split('@')[0] ?? name;
  return {
    id,
    team_id: patch?.team_id ?? team.id,
    name: handle,
    real_name: name,
    deleted: false,
    ...zone,
    profile: {
      real_name: name,
      display_name: name.split(' ')[0] ?? name,
      email,
      team: patch?.team_id ?? team.id,
    },
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: false,
    is_app_user: false,
    is_email_confirmed: true,
    updated: 1_767_225_600,
    ...patch,
  };
}

function robot(id: string, name: string): User {
  const { profile, ...rest } = person(id, name, '', london, { is_bot: true });
  return { ...rest, profile: { real_name: name, display_name: name, team: profile.team } };
}

export const people: readonly User[] = [
  person('U0ANA', 'Ana Reyes', 'ana@example.com', madrid),
  person('U0BEN', 'Ben Okafor', 'ben@example.com', london),
  person('U0CLEO', 'Cleo Martin', 'cleo@example.com', newYork),
  person('U0GUS', 'Gus Lind', 'gus@example.com', london, {
    is_restricted: true,
    is_ultra_restricted: true,
  }),
  person('U0DANA', 'Dana Cole', 'dana@example.com', newYork, { is_admin: true }),
  person('U0DEL', 'Della Hart', 'della@example.com', london, { deleted: true }),
  person('U0STR', 'Stan Weber', 'stan@partner.example', madrid, {
    team_id: otherTeamId,
    is_stranger: true,
  }),
  person('U0UNA', 'Una Berg', 'una@example.com', london),
  person('U0IVO', 'Ivo Novak', 'ivo@example.com', madrid),
  robot('U0BOTX', 'Build bot'),
  robot(bot.userId, 'Gatepost'),
];
