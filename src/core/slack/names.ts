import * as z from 'zod';
import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import { callSlack, type SlackClient } from './call-slack.ts';
import type { Lookup } from './lookup.ts';

/**
 * For programs: display names by Slack user id, and handles such as `@sre` by group id. Unknown ones are looked up; those
 * that Slack does not tell within a second are left out.
 */
export type Names = (who: {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}) => Promise<Readonly<Record<string, string>>>;

interface NamesNeeds {
  readonly lookup: Pick<Lookup, 'known' | 'lastSeen'>;
  readonly client: SlackClient;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
}

const NAME_MS = 1_000;
/** How long a failed look-up is not tried again: pipelines read a request every few seconds. */
const UNTOLD_MS = 60_000;
const UNTOLD_MAX = 5_000;
const HANDLES_MS = 60 * 60_000;

export function createNames({ lookup, client, clock, timers }: NamesNeeds): Names {
  const handles = createSharedCache<ReadonlyMap<string, string>>({
    lifetimeMs: () => HANDLES_MS,
    maxEntries: 1,
    clock,
  });
  const untoldAt = new Map<string, number>();

  const nameOf = async (user: string) =>
    (await lookup.known.person(user, { deadlineMs: NAME_MS })).displayName;
  const handleOf = async (group: string) => {
    const all = handles.get('all', () => askHandles(client));
    const options = { deadlineMs: NAME_MS, timers };
    return (await waitFor(all, 'usergroups.list', options)).get(group);
  };

  async function told(id: string, ask: (id: string) => Promise<string | undefined>) {
    if (clock.monotonic() - (untoldAt.get(id) ?? Number.NEGATIVE_INFINITY) < UNTOLD_MS)
      return undefined;
    const name = await ask(id).catch((error: unknown) => {
      if (error instanceof RemoteFailure) return undefined;
      throw error;
    });
    if (name !== undefined) {
      untoldAt.delete(id);
      return name;
    }
    if (untoldAt.size >= UNTOLD_MAX) untoldAt.clear();
    untoldAt.set(id, clock.monotonic());
    return undefined;
  }

  return async ({ users, groups }) => {
    const named = [
      ...[...new Set(users)].map(
        async (user) =>
          [user, lookup.lastSeen(user)?.displayName ?? (await told(user, nameOf))] as const,
      ),
      ...[...new Set(groups)].map(
        async (group) =>
          [group, handles.last('all')?.get(group) ?? (await told(group, handleOf))] as const,
      ),
    ];
    const found = await Promise.all(named);
    return Object.fromEntries(
      found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])),
    );
  };
}

const groupList = z.looseObject({
  usergroups: z.array(z.looseObject({ id: z.string(), handle: z.string() })),
});

/** With the token of a whole organisation Slack wants a workspace here: its groups have no handles. */
async function askHandles(client: SlackClient): Promise<ReadonlyMap<string, string>> {
  const { usergroups } = await callSlack(client, 'usergroups.list', {}, groupList);
  return new Map(usergroups.map(({ id, handle }) => [id, `@${handle}`]));
}
