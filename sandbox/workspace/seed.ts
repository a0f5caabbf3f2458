import type { User } from '../wire.ts';

export const team = { id: 'T0ACME', domain: 'acme', name: 'Acme' } as const;
export const otherTeamId = 'T0OTHER';
export const bot = {
  userId: 'U0APP',
  botId: 'B0APP',
  appId: 'A0APP',
  teamId: team.id,
} as const;

/** The author fields of every message of the app. */
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

export interface UserGroupSeed {
  readonly id: string;
  readonly handle: string;
  readonly users: readonly string[];
}

/** The initial contents of a workspace. The app itself is added to its people. */
export interface Seed {
  readonly people: readonly User[];
  readonly channels: readonly ChannelSeed[];
  readonly userGroups: readonly UserGroupSeed[];
}

const everyone = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0GUS', 'U0DANA', 'U0UNA', 'U0IVO'];

const channels: readonly ChannelSeed[] = [
  { id: 'C0DEPLOYS', name: 'deployments', members: [...everyone, 'U0STR', bot.userId] },
  { id: 'C0OUTCOMES', name: 'releases', members: [...everyone, bot.userId] },
  { id: 'C0NOBOT', name: 'random', members: everyone },
  { id: 'C0SECURITY', name: 'security', members: ['U0ANA', 'U0BEN', 'U0DANA'], private: true },
  { id: 'C0OLD', name: 'old-deployments', members: [...everyone, bot.userId], archived: true },
];

const userGroups: readonly UserGroupSeed[] = [
  { id: 'S0REL', handle: 'release-managers', users: ['U0ANA', 'U0BEN'] },
];

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

const people: readonly User[] = [
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
];

/** A person of every kind an app meets, and a channel of every kind. */
export const standardSeed: Seed = { people, channels, userGroups };

/** The app's bot user, named by its manifest. */
export function appUser(botName: string): User {
  return { ...robot(bot.userId, botName), name: handleOf(botName) };
}

/** The app is in none of the channels. */
export function withoutApp(seed: Seed): Seed {
  const channels = seed.channels.map((channel) => ({
    ...channel,
    members: channel.members.filter((id) => id !== bot.userId),
  }));
  return { ...seed, channels };
}

/** A handle as Slack derives it from a name. */
function handleOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

/**
 * A seed with other people or channels: every person is in every channel, and so is the app if the channels are named.
 * The first person is an administrator.
 */
export function namedSeed(names: {
  readonly people?: readonly string[];
  readonly channels?: readonly string[];
}): Seed {
  const given = names.people?.map((name, place) =>
    person(idOf('U', name), name, `${handleOf(name)}@example.com`, london, {
      is_admin: place === 0,
    }),
  );
  const all = given ?? people;
  const members = given?.map(({ id }) => id) ?? everyone;
  const own = names.channels?.map((name) => ({
    id: idOf('C', name),
    name,
    members: [...members, bot.userId],
  }));
  const isApp = (id: string): boolean => id === bot.userId;
  const changed = (channel: ChannelSeed): ChannelSeed =>
    given ? { ...channel, members: [...members, ...channel.members.filter(isApp)] } : channel;
  return {
    people: all,
    channels: own ?? channels.map(changed),
    userGroups: given ? [] : userGroups,
  };
}

/** Ids are upper-case letters and digits: `U0KIMLEE`. */
function idOf(kind: 'U' | 'C', name: string): string {
  return `${kind}0${name.toUpperCase().replace(/[^A-Z0-9]/g, '')}`;
}
