import { createHash } from 'node:crypto';
import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { type RecordDependencies, signalRecord } from '../../core/engine/put-record.ts';
import type { Random } from '../../core/lib/random.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import type { Approval, Ballot } from '../approval.ts';
import type { ApprovalStep } from '../decision/approval-core.ts';
import { isNews } from '../decision/feature-hooks.ts';

/**
 * Refreshes the Home tabs of people who pressed a request there. The record keeps whose, so that it happens once what
 * they show is saved, and even if the process dies in between.
 */

declare module '../approval.ts' {
  interface Approval {
    /** Whose Home tabs show an earlier state. */
    readonly homes?: readonly StaleHome[];
    /** When to refresh them; absent: now. */
    readonly homesAt?: number;
  }
}

interface StaleHome {
  readonly user: string;
}

export const HOME_KIND = 'home';

/** A signal to the record of a Home tab, `ways-in/list/home-flow.ts`. */
export type HomeSignal<Choice> =
  | { readonly kind: 'open'; readonly choice: Choice }
  /** `choice`: what was shown, if that is no longer stored. */
  | { readonly kind: 'pressed'; readonly choice: Choice }
  /** A request that the person pressed there. */
  | { readonly kind: 'changed' };

export function homeKey(user: string): string {
  return createHash('sha256').update(`${HOME_KIND}\0${user}`).digest('base64url');
}

/** Every signal has its own id: an equal one in the inbox may already belong to the publication in progress. */
export function signalHome(
  core: RecordDependencies & { readonly random: Random },
  id: string,
  signal: HomeSignal<unknown>,
): Promise<'missing' | 'stored'> {
  return signalRecord(core, id, { id: core.random.uuid(), body: JSON.stringify(signal) });
}

/** `after`, with the Home tabs to refresh because of the change from `before`. */
export function withStaleHomes(before: Approval, after: Approval): Approval {
  const users = pressersToTell(before, after);
  if (users.length === 0) return after;
  const others = (after.homes ?? []).filter(({ user }) => !users.includes(user));
  return { ...after, homes: [...others, ...users.map((user) => ({ user }))] };
}

/**
 * Who pressed a request on their Home tab: once their press counts, or counts no more, when it is answered, and when
 * the request is decided, has a result, or is theirs to press again. Also the requester who withdrew it.
 */
export function pressersToTell(before: Approval, after: Approval): readonly string[] {
  const answered = (after.owed ?? []).filter(({ direct }) => direct === true);
  const isOver =
    before.outcome?.status !== after.outcome?.status ||
    before.withdrawnAt !== after.withdrawnAt ||
    (before.decision !== undefined && after.decision === undefined) ||
    isNews(before, after);
  if (!isOver && before.ballots === after.ballots && answered.length === 0) return [];
  const isKept = (ballot: Ballot) =>
    before.ballots.includes(ballot) && after.ballots.includes(ballot);
  const cast = [...before.ballots, ...after.ballots].filter(
    (ballot) => ballot.atHome === true && (isOver || !isKept(ballot)),
  );
  const withdrawer = before.withdrawnBy === after.withdrawnBy ? undefined : after.withdrawnBy;
  const pressers = [...cast, ...answered].map(({ user }) => user);
  return [...new Set([...pressers, ...(withdrawer ? [withdrawer] : [])])];
}

export interface RefreshHome {
  readonly kind: 'refresh-home';
  readonly homes: readonly StaleHome[];
}

export function dueHomes({ homes, homesAt = 0 }: Approval, now: number): Due<RefreshHome> {
  if (homes === undefined) return null;
  return now < homesAt ? homesAt : { kind: 'refresh-home', homes };
}

interface Refreshed {
  readonly kind: 'done' | 'away';
  /** Whose are in an unavailable part of the store. */
  readonly away: readonly string[];
}

export const refreshHome: ApprovalStep<RefreshHome, Refreshed> = {
  // Home tabs read the record from the store.
  markAttempt: (approval) => ({ data: approval }),

  async execute(core, _id, _approval, { homes }) {
    const ends = homes.map(({ user }) => unlessAway<string | null>(refresh(core, user), user));
    const away = (await Promise.all(ends)).filter((user) => user !== null);
    return { kind: away.length === 0 ? 'done' : 'away', away };
  },

  apply(approval, step, { away }, _terms, now) {
    const { homes = [], homesAt, ...rest } = approval;
    // A step that ended at the same time may have made one of them stale again.
    const left = homes.filter((home) => !step.homes.includes(home) || away.includes(home.user));
    if (left.length === 0) return { data: rest };
    const later = away.length > 0 && { homesAt: now + STORE_AGAIN_MS };
    return { data: { ...rest, homes: left, ...later } };
  },
};

/** Without a record nothing was published for a long time. Throws StoreError. */
async function refresh(
  core: RecordDependencies & { readonly random: Random },
  user: string,
): Promise<null> {
  const home = await core.store.find(homeKey(user));
  if (home?.kind === HOME_KIND) await signalHome(core, home.id, { kind: 'changed' });
  return null;
}
