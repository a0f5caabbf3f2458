import { ROWS, type Role } from '../../app/features.ts';
import { decidersOf } from '../../approvals/electorate/deciders.ts';
import { electorateOf } from '../../approvals/electorate/electorate.ts';
import type { Config } from '../../core/config/config.ts';
import { groupsIn } from '../../core/config/places.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { ACCOUNT_STATES, MEMBERSHIPS, THEIRS } from '../../core/people/denials.ts';
import { createDirectory, type Directory } from '../../core/people/directory.ts';
import { type AccountDenial, accountDenial } from '../../core/people/identity.ts';
import { type Membership, membershipOf, type Workspace } from '../../core/people/membership.ts';
import { askIdentityOnce } from '../../core/slack/identity.ts';
import { idsOf, NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import { Memory } from '../../core/store/memory/memory-store.ts';
import { StoreError } from '../../core/store/store.ts';
import {
  advice,
  type CheckNeeds,
  checkAtMost,
  type Found,
  fine,
  PEOPLE_MOST,
  together,
  withUnchecked,
  wrong,
} from './found.ts';
import { slackFound } from './slack-checks.ts';

/** Whether everybody can do what the configuration names them for, directly or through a user group. */

/** Slack answers about twenty a minute. */
const GROUPS_MOST = 10;
/** Checked in parallel: the running bot needs the service too. */
const TOGETHER = 8;
/** Leaves time to report the results so far. */
const TRYING_MS = 9_000;

/** What the configuration names people for, reviewers first. */
function rolesIn(config: Config): readonly Role[] {
  return ROWS.flatMap((row) => row.rolesIn?.(config, decidersOf) ?? []);
}

export async function checkGroups({ config, lookup }: CheckNeeds): Promise<Found> {
  const needed = groupsIn(
    config.routes.flatMap((route) => electorateOf({}, { route, asOf: 0 }).places),
  );
  const named = [...rolesIn(config).flatMap(({ who }) => who.groups), ...needed];
  return checkAtMost(named, GROUPS_MOST, async (group) => {
    try {
      const { users, missing } = await lookup.recent.groupMembers(group);
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
      return slackFound(error, 'SLACK_BOT_TOKEN', config);
    }
  });
}

/**
 * Whether people can act as members of Slack, and by their service accounts. Links nobody. A person named directly who
 * cannot is a mistake; in a group that may be intended.
 */
export async function checkPeople(needs: CheckNeeds): Promise<Found> {
  const { config, client, system } = needs;
  const signal = system.timers.deadline(TRYING_MS);
  const roles = await filledRoles(needs);
  const named = new Set(roles.flatMap(({ who }) => who.users));
  const people = [...new Set([...named, ...roles.flatMap((role) => role.people)])];
  if (people.length === 0) return fine('none is configured');
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN', config);
  const workspace = { team: told.teamId, enterprise: told.enterpriseId, teams: config.teams };
  const directory = await openDirectory(needs, workspace);
  const trying = { ...needs, signal, roles, named, workspace, directory };
  const asked = people.slice(0, PEOPLE_MOST);
  const tried: Tried[] = [];
  while (tried.length < asked.length && !signal.aborted) {
    const turn = asked.slice(tried.length, tried.length + TOGETHER);
    // Once accounts could not be read, further reads would fail too.
    const unread = tried.find((each) => each.unread)?.unread;
    tried.push(...(await Promise.all(turn.map((user) => tryPerson(trying, user, unread)))));
  }
  return withUnchecked(together(foundOf(tried)), people.length - tried.length);
}

interface FilledRole extends Role {
  /** Named directly or through a group. */
  readonly people: readonly string[];
}

/** Skips groups that cannot be read, which `checkGroups` reports. */
async function filledRoles({ config, lookup }: CheckNeeds): Promise<readonly FilledRole[]> {
  const roles = rolesIn(config);
  const groups = [...new Set(roles.flatMap(({ who }) => who.groups))].slice(0, GROUPS_MOST);
  const read = groups.map(async (group) => {
    try {
      return [group, (await lookup.recent.groupMembers(group)).users] as const;
    } catch (error) {
      if (error instanceof RemoteFailure) return [group, []] as const;
      throw error;
    }
  });
  const members = new Map<string, readonly string[]>(await Promise.all(read));
  return roles.map((role) => {
    const { users, groups: own } = role.who;
    return { ...role, people: [...users, ...own.flatMap((group) => members.get(group) ?? [])] };
  });
}

/** Without a readable store nobody is known to be linked. */
async function openDirectory(
  { config, system, accounts, ...needs }: CheckNeeds,
  workspace: Workspace,
) {
  const store = await needs.store().catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  return createDirectory({
    users: accounts && { find: (attribute, value) => accounts.recent([attribute, value]) },
    config,
    workspace,
    store: store ?? new Memory(system).openStore(),
    async raise() {},
    clock: system.clock,
    timers: system.timers,
  });
}

interface TryingNeeds extends CheckNeeds {
  readonly roles: readonly FilledRole[];
  /** Directly. */
  readonly named: ReadonlySet<string>;
  readonly workspace: Workspace;
  readonly directory: Directory;
}

/** The result for one person. */
interface Tried {
  readonly shown: string;
  readonly isNamed: boolean;
  readonly barred: readonly { readonly bar: Bar; readonly roles: readonly Role[] }[];
  /** Why nothing is known about them. */
  readonly unknown?: Found;
  /** Why their account is not known. */
  readonly unread?: Found | undefined;
}

/** `unread`: why accounts cannot be read. */
async function tryPerson(
  { lookup, directory, roles, named, workspace, signal, config }: TryingNeeds,
  user: string,
  unread: Found | undefined,
): Promise<Tried> {
  const isNamed = named.has(user);
  const person = await lookup.recent.person(user, { signal }).catch((error: unknown): Found => {
    const isNobody = error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code);
    return isNobody
      ? wrong(`${user} does not exist in this workspace`, 'Check the id.')
      : slackFound(error, 'SLACK_BOT_TOKEN', config);
  });
  if ('fix' in person) return { shown: user, isNamed, barred: [], unknown: person };
  const ids = [user, ...idsOf(person)];
  const own = roles.filter(({ people }) => ids.some((id) => people.includes(id)));
  const standing = ({ guests }: Role) => membershipOf(person, { ...workspace, guests });
  const acts = own.some((role) => role.identity !== null && standing(role) === 'member');
  const search = acts
    ? (unread ?? (await directory.recentSearch(person, { signal }).catch(unreadAccounts)))
    : null;
  const account = search === null || 'fix' in search ? null : search;
  const barOf = (role: Role): Bar | null => {
    const stands = standing(role);
    if (stands !== 'member') return stands;
    return account && role.identity && accountDenial(account.identity, role.identity);
  };
  const bars = [...new Set(own.flatMap((role) => barOf(role) ?? []))];
  const address = bars.length > 0 ? account?.address : null;
  const names = [person.displayName, address ?? []].flat();
  return {
    shown: `${user} (${names.join(', ')})`,
    isNamed,
    barred: bars.map((bar) => ({ bar, roles: own.filter((role) => barOf(role) === bar) })),
    unread: search !== null && 'fix' in search ? search : undefined,
  };
}

function unreadAccounts(error: unknown): Found {
  if (!(error instanceof RemoteFailure)) throw error;
  return advice(
    `accounts could not be read (${error.code}), so it is not known who can act`,
    'See the check scim, then run gatepost doctor again.',
  );
}

/** People with the same problem and reason are combined. */
function foundOf(tried: readonly Tried[]): readonly Found[] {
  const groups = new Map<string, Found & { readonly who: string[] }>();
  for (const { shown, isNamed, barred } of tried) {
    for (const { bar, roles } of barred) {
      const [why, fix] = BARS[bar];
      const detail = `cannot ${cannot(roles)}: ${why}`;
      const key = `${isNamed} ${detail}`;
      const group = groups.get(key) ?? { ok: !isNamed, detail, fix, who: [] };
      group.who.push(shown);
      groups.set(key, group);
    }
  }
  return [
    ...[...groups.values()].map(({ who, detail, ...rest }) => {
      return { ...rest, detail: `${who.join(', ')} ${detail}` };
    }),
    ...tried.map(({ shown, unknown, unread }) => unknown ?? unread ?? fine(shown)),
  ];
}

/** Why somebody cannot do what they are named for. */
type Bar = Exclude<Membership, 'member'> | AccountDenial;

/** “decide (production, staging) or move work items”. */
function cannot(roles: readonly Role[]): string {
  const deeds = [...new Set(roles.map(({ does }) => does))].map((does) => {
    const places = roles.flatMap((role) => (role.does === does ? (role.on ?? []) : []));
    return places.length === 0 ? does : `${does} (${places.join(', ')})`;
  });
  return deeds.join(' or ');
}

const ANY = { ...THEIRS, account: 'the account', address: 'this address' };

/** For one person or several. */
const BARS = {
  bot: [MEMBERSHIPS.bot.is, 'Name a person instead.'],
  deactivated: [
    MEMBERSHIPS.deactivated.is,
    'Remove them from the configuration, or from the user group.',
  ],
  'other-team': [
    MEMBERSHIPS['other-team'].is,
    'Name somebody else, or add their workspace to teams if its people can decide.',
  ],
  stranger: [MEMBERSHIPS.stranger.is, 'Guests can decide only on routes with guests: true.'],
  guest: [MEMBERSHIPS.guest.is, 'Guests can decide only on routes with guests: true.'],
  inactive: [
    ACCOUNT_STATES.inactive(ANY),
    'Re-activate it with /people activate, or name somebody else.',
  ],
  'activity-unknown': [
    ACCOUNT_STATES['activity-unknown'](ANY),
    'Check the account in the service, or link them in identity.overrides.',
  ],
  'several-accounts': [
    ACCOUNT_STATES['several-accounts'](ANY),
    'Keep one of the accounts, or link them in identity.overrides.',
  ],
  'account-changed': [
    'linked with an account, and this address leads to another one',
    'Ask them whose account it is. If it is theirs, link them in identity.overrides.',
  ],
  'account-lost': [
    'linked with an account, but no synchronized account has this address',
    'Give the account this address, or link them in identity.overrides.',
  ],
  'account-taken': [
    ACCOUNT_STATES['account-taken'](ANY),
    'Ask both whose account it is, then link its owner in identity.overrides.',
  ],
  'not-linked': [
    ACCOUNT_STATES['not-linked'](ANY),
    'Synchronize the account, give it this address, or link them in identity.overrides.',
  ],
  'account-not-shown': [
    ACCOUNT_STATES['account-not-shown'](ANY),
    'Link them in identity.overrides.',
  ],
  'no-address': [
    'Slack shows no confirmed address',
    'Have the address confirmed in Slack, check the scope users:read.email, or link them in identity.overrides. If single sign-on owns the addresses, set identity.emails: any.',
  ],
  'no-external-id': [
    'the account has no external id, and identity.userId requires one',
    'Add one, or link them in identity.overrides.',
  ],
  'no-directory': [
    'SCIM_TOKEN is not set, so no account can be looked for',
    'Set SCIM_TOKEN, or link them in identity.overrides.',
  ],
} as const satisfies Record<Bar, readonly [why: string, fix: string]>;
