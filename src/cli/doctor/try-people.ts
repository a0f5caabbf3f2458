import type { Role } from '../../app/features.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { createDirectory, type Directory, type Search } from '../../core/people/directory.ts';
import { accountDenial } from '../../core/people/identity.ts';
import { membershipOf, type Workspace } from '../../core/people/membership.ts';
import { askIdentityOnce } from '../../core/slack/identity.ts';
import { idsOf, NO_SUCH_PERSON, type SlackPerson } from '../../core/slack/slack-person.ts';
import { Memory } from '../../core/store/memory/memory-store.ts';
import { StoreError } from '../../core/store/store.ts';
import {
  advice,
  type CheckNeeds,
  type Found,
  fine,
  together,
  withUnchecked,
  wrong,
} from './found.ts';
import { GROUPS_MOST, PEOPLE_MOST } from './people-checks.ts';
import { BARS, type Bar, cannot, rolesIn } from './roles.ts';
import { slackFound } from './slack-checks.ts';

/** Checked in parallel: the running bot needs the service too. */
const TOGETHER = 8;
/** Leaves time to report the results so far. */
const TRYING_MS = 9_000;

/**
 * Whether everybody can do what they are named for, directly or through a user group: as members of Slack, and by their
 * service accounts. Links nobody. A person named directly who cannot is a mistake; in a group that may be intended.
 */
export async function checkPeople(needs: CheckNeeds): Promise<Found> {
  const { config, client, system } = needs;
  const signal = system.timers.deadline(TRYING_MS);
  const roles = rolesIn(config);
  const members = await membersOf(needs, roles);
  const named = roles.flatMap(({ who }) => who.users);
  const people = [...new Set([...named, ...[...members.values()].flat()])];
  if (people.length === 0) return fine('none is configured');
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN', config);
  const workspace = { team: told.teamId, enterprise: told.enterpriseId, teams: config.teams };
  const trying = { ...needs, roles, members, workspace, signal };
  let accounts: Directory | Found = await openDirectory(trying);
  const tried: Tried[] = [];
  for (const turn of inTurns(people.slice(0, PEOPLE_MOST))) {
    if (signal.aborted) break;
    tried.push(...(await Promise.all(turn.map((user) => tryPerson(trying, accounts, user)))));
    // Further reads would fail too.
    accounts = tried.find(({ unread }) => unread)?.unread ?? accounts;
  }
  return withUnchecked(together(foundOf(tried)), people.length - tried.length);
}

function* inTurns(people: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < people.length; at += TOGETHER) yield people.slice(at, at + TOGETHER);
}

interface TryingNeeds extends CheckNeeds {
  readonly roles: readonly Role[];
  /** Of each group. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly workspace: Workspace;
}

/** Skips groups that cannot be read, which `checkGroups` reports. */
async function membersOf({ lookup }: CheckNeeds, roles: readonly Role[]) {
  const groups = [...new Set(roles.flatMap(({ who }) => who.groups))].slice(0, GROUPS_MOST);
  const read = groups.map(async (group) => {
    try {
      return [group, (await lookup.recent.groupMembers(group)).users] as const;
    } catch (error) {
      if (error instanceof RemoteFailure) return [group, []] as const;
      throw error;
    }
  });
  return new Map(await Promise.all(read));
}

/** Without a readable store nobody is known to be linked. */
async function openDirectory({ config, system, accounts, workspace, ...needs }: TryingNeeds) {
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

/** The result for one person. */
interface Tried {
  readonly shown: string;
  readonly isNamed: boolean;
  readonly barred: readonly { readonly bar: Bar; readonly roles: readonly Role[] }[];
  /** Why nothing is known about them. */
  readonly unknown?: Found;
  /** Why their account is not known. */
  readonly unread?: Found;
}

async function tryPerson(
  needs: TryingNeeds,
  accounts: Directory | Found,
  user: string,
): Promise<Tried> {
  const { workspace } = needs;
  const isNamed = needs.roles.some(({ who }) => who.users.includes(user));
  const person = await findPerson(needs, user);
  if ('fix' in person) return { shown: user, isNamed, barred: [], unknown: person };
  const own = rolesOf(needs, [user, ...idsOf(person)]);
  const standing = ({ guests }: Role) => membershipOf(person, { ...workspace, guests });
  const acts = own.some((role) => role.identity !== null && standing(role) === 'member');
  const search = acts ? await findAccount(needs, accounts, person) : null;
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
    ...(search !== null && 'fix' in search && { unread: search }),
  };
}

async function findPerson(
  { config, lookup, signal }: CheckNeeds,
  user: string,
): Promise<SlackPerson | Found> {
  try {
    return await lookup.recent.person(user, { signal });
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) {
      return wrong(`${user} does not exist in this workspace`, 'Check the id.');
    }
    return slackFound(error, 'SLACK_BOT_TOKEN', config);
  }
}

async function findAccount(
  { signal }: CheckNeeds,
  accounts: Directory | Found,
  person: SlackPerson,
): Promise<Search | Found> {
  if ('fix' in accounts) return accounts;
  try {
    return await accounts.recentSearch(person, { signal });
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return advice(
      `accounts could not be read (${error.code}), so it is not known who can act`,
      'See the check scim, then run gatepost doctor again.',
    );
  }
}

/** What somebody is named for, by their ids or through a group. */
function rolesOf({ roles, members }: TryingNeeds, ids: readonly string[]): readonly Role[] {
  return roles.filter(({ who }) => {
    const all = [...who.users, ...who.groups.flatMap((group) => members.get(group) ?? [])];
    return ids.some((id) => all.includes(id));
  });
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
