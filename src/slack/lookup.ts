import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackPerson } from '../people/slack-person.ts';
import { callSlack } from './call-slack.ts';
import type { CallOptions } from './outbox.ts';
import { readSlackPerson, userSchema } from './read-slack-person.ts';
import type { SlackClient } from './resting-client.ts';

/** Questions about people and groups. All throw RemoteFailure within 5 s. */
export interface Lookup {
  /** At most a minute old. An unknown id is `refused` with code `user_not_found`. */
  person(userId: string, options?: CallOptions): Promise<SlackPerson>;
  /** Yes: at most 30 s old. No: at most 20 s old. */
  isMember(channel: string, userId: string, options?: CallOptions): Promise<boolean>;
  /** At most a minute old; at most 20 s where none of those looked for is among them. */
  groupMembers(groupId: string, options?: GroupOptions): Promise<GroupMembers>;
  /** Undefined: nobody in the workspace has this address. */
  userByEmail(email: string, options?: CallOptions): Promise<string | undefined>;
}

export interface GroupOptions extends CallOptions {
  /** Ids of one person. */
  readonly lookingFor?: readonly string[];
}

export interface GroupMembers {
  readonly users: readonly string[];
  /** Why there is nobody; null when the group exists. */
  readonly missing: 'unknown_group' | 'no_groups_in_plan' | null;
}

export interface LookupNeeds {
  readonly client: SlackClient;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export function createLookup({ client, clock }: LookupNeeds): Lookup {
  const cache = <Value>(lifetimeMs: number, maxEntries: number) =>
    createSharedCache<Value>({ lifetimeMs: () => lifetimeMs, maxEntries, clock });
  const people = cache<SlackPerson>(60_000, 5_000);
  const channels = cache<ReadonlySet<string>>(30_000, 100);
  const groups = cache<GroupMembers>(60_000, 500);
  return {
    async person(userId, options) {
      const answer = people.get(userId, () => askPerson(client, userId));
      return waitFor(answer, 'users.info', options);
    },
    async isMember(channel, userId, options) {
      const list = (maxAgeMs?: number) =>
        channels.get(channel, () => askChannel(client, channel), maxAgeMs);
      const answer = lately(list, (members) => members.has(userId));
      return (await waitFor(answer, 'conversations.members', options)).has(userId);
    },
    async groupMembers(groupId, options) {
      const list = (maxAgeMs?: number) =>
        groups.get(groupId, () => askGroup(client, groupId), maxAgeMs);
      const { lookingFor } = options ?? {};
      const answer = lately(
        list,
        ({ users }) => lookingFor?.some((id) => users.includes(id)) ?? true,
      );
      return waitFor(answer, 'usergroups.users.list', options);
    },
    userByEmail: (email, options) => askEmail(client, email, options?.signal),
  };
}

/** Often enough for who was just added, and rare enough for Slack's limits. */
const TURNING_AWAY_MS = 20_000;

/** The known list, or a younger one before it turns somebody away. */
async function lately<List>(
  list: (maxAgeMs?: number) => Promise<List>,
  lets: (list: List) => boolean,
): Promise<List> {
  const known = await list();
  return lets(known) ? known : list(TURNING_AWAY_MS);
}

const LOOKUP_MS = 5_000;

async function askPerson(client: SlackClient, user: string): Promise<SlackPerson> {
  const answer = z.looseObject({ user: userSchema });
  return readSlackPerson((await callSlack(client, 'users.info', { user }, answer)).user);
}

const membersPage = z.looseObject({
  members: z.array(z.string()),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** All pages, or a failure: an incomplete list would turn members away. */
async function askChannel(client: SlackClient, channel: string): Promise<Set<string>> {
  const ends = AbortSignal.timeout(LOOKUP_MS);
  const members = new Set<string>();
  let cursor: string | undefined;
  do {
    const parameters = { channel, limit: 1000, cursor };
    const page = await callSlack(client, 'conversations.members', parameters, membersPage, ends);
    for (const member of page.members) members.add(member);
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
  return members;
}

/** A disabled group is asked for as such: Slack leaves it out like one that never was. */
async function askGroup(client: SlackClient, usergroup: string): Promise<GroupMembers> {
  const answer = z.looseObject({ users: z.array(z.string()) });
  try {
    const { users } = await callSlack(client, 'usergroups.users.list', { usergroup }, answer);
    return { users, missing: null };
  } catch (error) {
    const missing = error instanceof RemoteFailure ? MISSING[error.code] : undefined;
    if (missing === undefined) throw error;
    return { users: [], missing };
  }
}

const MISSING: Readonly<Record<string, GroupMembers['missing']>> = {
  no_such_subteam: 'unknown_group',
  subteam_not_found: 'unknown_group',
  plan_upgrade_required: 'no_groups_in_plan',
  paid_teams_only: 'no_groups_in_plan',
};

async function askEmail(client: SlackClient, email: string, signal?: AbortSignal) {
  const answer = z.looseObject({ user: z.looseObject({ id: z.string() }) });
  try {
    return (await callSlack(client, 'users.lookupByEmail', { email }, answer, signal)).user.id;
  } catch (error) {
    if (error instanceof RemoteFailure && error.code === 'users_not_found') return undefined;
    throw error;
  }
}
