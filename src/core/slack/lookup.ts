import * as z from 'zod';
import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';
import { createGroupAsker, type GroupMembers } from './group-members.ts';
import type { CallOptions } from './outbox.ts';
import type { SlackPerson } from './slack-person.ts';
import { NO_SUCH_PERSON, readSlackPerson, userSchema } from './slack-person.ts';

/** Looks up people and groups. All but `lastSeen` throw RemoteFailure within 5 s. */
export interface Lookup extends PeopleLookup {
  /** Up to a minute old. Undefined: nobody in the workspace has this address, up to 10 s old. */
  userByEmail(email: string, options?: LookupOptions): Promise<string | undefined>;
  /** The person as last read, however long ago: a hint, not an answer. */
  lastSeen(userId: string): SlackPerson | undefined;
  /** The same look-ups for lists: people and groups up to a minute old, channels up to 30 s. */
  readonly recent: PeopleLookup;
  /**
   * Up to an hour old, unless Slack told this process of a change: for names and for who is asked, never for who may
   * decide. Asks Slack for some 30 people a minute; beyond that it fails at once (`ambiguous`, `busy`).
   */
  readonly known: {
    /** `maxAgeMs`: less than an hour. */
    person(
      userId: string,
      options?: LookupOptions & { readonly maxAgeMs?: number },
    ): Promise<SlackPerson>;
  };
  /** Slack says that the person has changed. */
  forget(userId: string): void;
}

/** Asks Slack each time: permissions are never decided from memory. */
export interface PeopleLookup {
  /** An unknown id is `refused` with code `user_not_found`. */
  person(userId: string, options?: LookupOptions): Promise<SlackPerson>;
  /** While Slack limits this call: yes if a list at most 30 s old says so, never no. */
  isMember(channel: string, userId: string, options?: LookupOptions): Promise<boolean>;
  /** While Slack limits this call: a list at most a minute old, if it contains one of those looked for. */
  groupMembers(groupId: string, options?: GroupOptions): Promise<GroupMembers>;
}

export interface LookupOptions extends CallOptions {
  /** How long to wait, in milliseconds. */
  readonly deadlineMs?: number;
  /** Answers requested after this moment (monotonic) are shared. Default: now, so none is. */
  readonly since?: number;
}

interface GroupOptions extends LookupOptions {
  /** All ids of one person. */
  readonly lookingFor?: readonly string[];
}

interface LookupNeeds {
  readonly client: SlackClient;
  /** Slack said that the token belongs to a whole organisation. */
  readonly isOfOrganisation?: boolean;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly timing: Timing;
}

const PERSON_MS = 60_000;
const KNOWN_MS = 60 * 60_000;
/** Slack answers for about a hundred people a minute, and button presses need those calls first. */
const KNOWN_EVERY_MS = 2_000;
const KNOWN_BURST = 30;
/** How many unknown ids are remembered. */
const NOBODIES_MAX = 1_000;
const NOBODY_MS = 10_000;
const GROUP_MS = 60_000;
const CHANNEL_MS = 30_000;
const NEVER = Number.NEGATIVE_INFINITY;

export function createLookup(needs: LookupNeeds): Lookup {
  const { client, clock, timers, timing } = needs;
  const cache = <Value>(lifetimeMs: number, maxEntries: number) =>
    createSharedCache<Value>({ lifetimeMs: () => lifetimeMs, maxEntries, clock });
  const people = cache<SlackPerson>(PERSON_MS, 5_000);
  const addresses = createSharedCache<string | undefined>({
    // Somebody may be about to be invited.
    lifetimeMs: (user) => (user === undefined ? NOBODY_MS : PERSON_MS),
    maxEntries: 5_000,
    clock,
  });
  const channels = cache<ChannelMembers>(CHANNEL_MS, 100);
  const groups = cache<GroupMembers>(GROUP_MS, 500);
  const person = (id: string) => () => askPerson(client, id);
  const askGroup = createGroupAsker(client, clock, needs.isOfOrganisation);
  const group =
    (id: string, lookingFor: readonly string[] = []) =>
    () =>
      askGroup(
        id,
        lookingFor.flatMap((user) => people.last(user)?.teamId ?? []),
      );
  const now = () => clock.monotonic();
  const takeSlot = createSlots(clock);
  const nobodies = new Map<string, { readonly error: RemoteFailure; readonly until: number }>();
  const recentPerson: PeopleLookup['person'] = (userId, options) =>
    waitFor(people.get(userId, person(userId)), 'users.info', { ...options, timers });
  const channel = (id: string, ends: AbortSignal) => async () => {
    const seenAt = channels.last(id)?.seenAt ?? new Map<string, number>();
    const members = { askedAt: now(), seenAt, cursor: undefined };
    await readPage(client, id, members, ends);
    return members;
  };
  const isIn = async (id: string, userId: string, since?: number) => {
    const ends = timers.deadline(timing.stepMs);
    const members =
      since === undefined
        ? channels.get(id, channel(id, ends))
        : channels.getSince(since, id, channel(id, ends));
    return isAmong(client, id, await members, userId, ends);
  };
  const wasIn = (id: string, userId: string) =>
    now() - (channels.last(id)?.seenAt.get(userId) ?? NEVER) < CHANNEL_MS;
  return {
    person: (userId, { since = now(), ...options } = {}) =>
      waitFor(people.getSince(since, userId, person(userId)), 'users.info', { ...options, timers }),
    isMember(id, userId, { since = now(), ...options } = {}) {
      const answer = unlessLimited(isIn(id, userId, since), () => wasIn(id, userId) || undefined);
      return waitFor(answer, 'conversations.members', { ...options, timers });
    },
    groupMembers(id, { since = now(), lookingFor = [], ...options } = {}) {
      const answer = unlessLimited(groups.getSince(since, id, group(id, lookingFor)), () => {
        const last = groups.last(id, GROUP_MS);
        return lookingFor.some((user) => last?.users.includes(user)) ? last : undefined;
      });
      return waitFor(answer, 'usergroups.users.list', { ...options, timers });
    },
    userByEmail: (email, options) =>
      waitFor(
        addresses.get(email, () => askEmail(client, email)),
        'users.lookupByEmail',
        { ...options, timers },
      ),
    lastSeen: (userId) => people.last(userId),
    recent: {
      person: recentPerson,
      isMember: (id, userId, options) =>
        waitFor(isIn(id, userId), 'conversations.members', { ...options, timers }),
      groupMembers: (id, options) =>
        waitFor(groups.get(id, group(id)), 'usergroups.users.list', { ...options, timers }),
    },
    known: {
      async person(userId, { maxAgeMs = KNOWN_MS, ...options } = {}) {
        const last = people.last(userId, maxAgeMs);
        if (last !== undefined) return last;
        const nobody = nobodies.get(userId);
        if (nobody !== undefined && now() < nobody.until) throw nobody.error;
        // A burst of requests for the same people asks for each of them once.
        if (!people.isAsking(userId) && !takeSlot()) {
          throw new RemoteFailure('users.info', { class: 'ambiguous', code: 'busy' });
        }
        return recentPerson(userId, options).catch((error: unknown) => {
          if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) {
            if (nobodies.size >= NOBODIES_MAX) nobodies.clear();
            nobodies.set(userId, { error, until: now() + PERSON_MS });
          }
          throw error;
        });
      },
    },
    forget: people.forget,
  };
}

/**
 * The answer; while Slack limits the call, an earlier one if it authorizes the person (`known`). Slack answers for some
 * 20 groups a minute, and one person's decision should not wait for other people's.
 */
async function unlessLimited<Answer>(
  answer: Promise<Answer>,
  known: () => Answer | undefined,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const before = error instanceof RemoteFailure && error.status === 429 ? known() : undefined;
    if (before !== undefined) return before;
    throw error;
  }
}

/** Whether there is a slot for another person who is only asked for in the background. */
function createSlots(clock: MonotonicClock): () => boolean {
  let slots = KNOWN_BURST;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    slots = Math.min(KNOWN_BURST, slots + (now - countedAt) / KNOWN_EVERY_MS);
    countedAt = now;
    if (slots < 1) return false;
    slots -= 1;
    return true;
  };
}

const foundPerson = z.looseObject({ user: userSchema });

async function askPerson(client: SlackClient, user: string): Promise<SlackPerson> {
  return readSlackPerson((await callSlack(client, 'users.info', { user }, foundPerson)).user);
}

const membersPage = z.looseObject({
  members: z.array(z.string()),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** A channel's members, as far as they have been read. */
interface ChannelMembers {
  readonly askedAt: number;
  /**
   * When each member was last seen, by the time their list was requested. Shared with the previous list until this one
   * is complete: a large channel's list never is, and the members on its later pages still count while Slack limits the
   * call.
   */
  seenAt: Map<string, number>;
  /** The cursor of the next page; undefined: there is none. */
  cursor: string | undefined;
  /** The page being read. */
  page?: Promise<void> | undefined;
}

async function readPage(
  client: SlackClient,
  channel: string,
  members: ChannelMembers,
  ends: AbortSignal,
): Promise<void> {
  const parameters = { channel, limit: 1000, cursor: members.cursor };
  const page = await callSlack(client, 'conversations.members', parameters, membersPage, ends);
  const { askedAt, seenAt } = members;
  for (const member of page.members) {
    seenAt.set(member, Math.max(askedAt, seenAt.get(member) ?? askedAt));
  }
  members.cursor = page.response_metadata?.next_cursor || undefined;
  if (members.cursor === undefined) {
    members.seenAt = new Map([...seenAt].filter(([, at]) => at >= askedAt));
  }
}

/** Reads until the person is found; only the last page shows that they are not a member. */
async function isAmong(
  client: SlackClient,
  channel: string,
  members: ChannelMembers,
  user: string,
  ends: AbortSignal,
): Promise<boolean> {
  while ((members.seenAt.get(user) ?? NEVER) < members.askedAt) {
    if (members.cursor === undefined) return false;
    members.page ??= readPage(client, channel, members, ends).finally(() => {
      members.page = undefined;
    });
    // Another caller may have started it, with another deadline.
    await waitFor(members.page, 'conversations.members', { signal: ends });
  }
  return true;
}

const foundByEmail = z.looseObject({ user: z.looseObject({ id: z.string() }) });

async function askEmail(client: SlackClient, email: string) {
  try {
    return (await callSlack(client, 'users.lookupByEmail', { email }, foundByEmail)).user.id;
  } catch (error) {
    if (error instanceof RemoteFailure && error.code === 'users_not_found') return undefined;
    throw error;
  }
}
