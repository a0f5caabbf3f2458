import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { personIfAny } from '../../core/slack/slack-person.ts';
import type { Gone, GoneWhy } from '../approval.ts';
import type { Clause } from './clause.ts';

/**
 * Reviewers whom Slack no longer shows as people who can decide: they are neither asked nor counted. A press is authorized
 * anew.
 */

/**
 * `isUnread`: Slack did not answer for all in time; they are taken for people who can decide. A late result is stored
 * with these names.
 */
export interface GoneRead {
  readonly gone: Gone;
  readonly isUnread: boolean;
}

/** Larger groups are not looked through, nor those of a request that together have more members than `ALL_MAX`. */
export const MEMBERS_MAX = 50;
export const ALL_MAX = 200;

/** How recently somebody who is left out was read. */
const FRESH_MS = 60_000;

/** Nobody waits longer for it than for Slack's usual answer. */
const READ_MS = 1_000;
const TOGETHER = 5;

/** Those of these users who cannot decide on the route. */
export async function goneAmong(
  { lookup, workspace, timers }: Pick<Core, 'lookup' | 'workspace' | 'timers'>,
  { guests }: Pick<Route, 'guests'>,
  users: Iterable<string>,
): Promise<GoneRead> {
  const found: [string, GoneWhy][] = [];
  let isUnread = false;
  const signal = timers.deadline(READ_MS);
  const read = async (user: string, maxAgeMs?: number) => {
    const options = { signal, ...(maxAgeMs !== undefined && { maxAgeMs }) };
    const person = await personIfAny(lookup.known, user, options);
    return person ? membershipOf(person, { ...workspace, guests }) : 'stranger';
  };
  // Nobody is left out because of what was true an hour ago.
  const lastMembership = async (user: string) =>
    (await read(user)) === 'member' ? 'member' : read(user, FRESH_MS);
  // Shared by all that read.
  const left = new Set(users).values();
  const readInTurn = async () => {
    for (const user of left) {
      if (signal.aborted) {
        isUnread = true;
        return;
      }
      try {
        const membership = await lastMembership(user);
        if (membership !== 'member') found.push([user, membership]);
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        isUnread = true;
      }
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, readInTurn));
  // In a fixed order, because the message shows it.
  const gone = Object.fromEntries(found.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return { gone, isUnread };
}

/** What a record keeps after a read of these users: of the others, and of those without an answer, what it knew. */
export function goneNow(
  known: Gone = {},
  { gone: found, isUnread }: GoneRead,
  asked: readonly string[],
): { readonly gone?: Gone; readonly isUnread?: true } {
  const kept = Object.entries(known).filter(([user]) => isUnread || !asked.includes(user));
  const gone = { ...Object.fromEntries(kept), ...found };
  return {
    ...(Object.keys(gone).length > 0 && { gone }),
    ...(isUnread && { isUnread }),
  };
}

export interface GonePeople {
  /** undefined: not read, or nobody. */
  readonly gone: Gone | undefined;
}

declare module './clause.ts' {
  interface Electorate extends GonePeople {}
}

type GoneRule =
  | { readonly code: 'gone'; readonly user: string; readonly why: GoneWhy }
  | { readonly code: 'more-gone'; readonly count: number }
  | { readonly code: 'large-group'; readonly group: string };

/** How many are listed by name. */
const LISTED_MAX = 20;

export const gone: Clause<GonePeople, GoneRule> = {
  start: () => ({ gone: undefined }),
  shape: (_, { absent: { gone } = {} }) => gone && { gone },
  rules: ({ gone: known = {} }, { counted }) => [
    ...Object.entries(known)
      .slice(0, LISTED_MAX)
      .map(([user, why]) => ({ code: 'gone', user, why }) as const),
    ...moreThan(LISTED_MAX, known),
    ...(counted?.large ?? []).map((group) => ({ code: 'large-group', group }) as const),
  ],
};

function moreThan(most: number, gone: Gone): readonly GoneRule[] {
  const count = Object.keys(gone).length - most;
  return count > 0 ? [{ code: 'more-gone', count }] : [];
}
