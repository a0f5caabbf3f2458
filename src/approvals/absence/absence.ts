import { createHash } from 'node:crypto';
import type { Post } from '../../core/posts/post.ts';
import { lastingIdsOf, type PersonIds } from '../../core/slack/slack-person.ts';
import type { Store } from '../../core/store/store.ts';

/**
 * Somebody who is away, as a record, one of each person: nobody mentions them until it ends, and a substitute
 * can decide in their place on routes that allow it.
 */

export const ABSENCE_KIND = 'absence';

/** `ids`: Slack user ids of one person, the one that holds everywhere first. */
export interface Absence {
  readonly v: 1;
  readonly ids: readonly [string, ...string[]];
  readonly since: number;
  /** The first millisecond after it. */
  readonly until: number;
  readonly substitute?: Substitute;
  /** Since when open requests have not heard that something changed; absent: they have. */
  readonly changedAt?: number;
  /** How far they have been told. */
  readonly told?: { readonly routes: readonly string[]; readonly after?: string };
  readonly notBefore?: number;
  /** Direct messages that somebody has to get, oldest first. */
  readonly notices: readonly Notice[];
  /** How many notices there were. */
  readonly count: number;
}

export interface Substitute {
  readonly ids: readonly [string, ...string[]];
  readonly declinedAt?: number;
}

/**
 * named: to the substitute. released: to them, they are none any more. declined: to who is away. away: to
 * them, their substitute is away too.
 */
export interface Notice {
  readonly kind: 'named' | 'released' | 'declined' | 'away';
  readonly to: string;
  /** The other person. */
  readonly of: string;
  readonly until: number;
  readonly at: number;
  readonly post: Post;
}

/** Everybody who is away is on it. */
const AWAY = 'away';

function standsIn(user: string): string {
  return `stands-in:${user}`;
}

export function listsOfAbsence({ ids: _, ...absence }: Absence): readonly string[] {
  const substitutes = substituteIn(absence) ?? [];
  return [AWAY, ...substitutes.map(standsIn)];
}

/** Who decides in their place; undefined: nobody. */
export function substituteIn({
  substitute,
}: Pick<Absence, 'substitute'>): readonly string[] | undefined {
  return substitute === undefined || substitute.declinedAt !== undefined
    ? undefined
    : substitute.ids;
}

/** By what the record of somebody's absence is found: the same whichever account they use. */
export function absenceKeyOf(person: PersonIds): string {
  const [lasting] = lastingIdsOf(person);
  return createHash('sha256').update(`${ABSENCE_KIND}\0${lasting}`).digest('base64url');
}

// as: written by `createAbsenceFlow` and `setAway` alone
export function decodeAbsence(data: string): Absence {
  return JSON.parse(data) as Absence;
}

type Reader = Pick<Store, 'list' | 'now'>;

/** Who is away now. Throws StoreError. */
export function absencesNow(store: Reader): Promise<readonly Absence[]> {
  return present(store, [AWAY]);
}

/** In whose place a person decides now, by any of their ids. Throws StoreError. */
export async function givenTo(store: Reader, person: PersonIds): Promise<readonly Absence[]> {
  const ids = lastingIdsOf(person);
  const given = await present(store, ids.map(standsIn));
  return given.filter((absence) => substituteIn(absence)?.some((id) => ids.includes(id)));
}

const MOST = 1_000;
const PIECE = 200;

async function present(store: Reader, lists: readonly string[]): Promise<readonly Absence[]> {
  const found = new Map<string, Absence>();
  let after: string | null | undefined;
  while (after !== null && found.size < MOST) {
    const { entries, next } = await store.list(lists, { limit: PIECE, after });
    for (const { record } of entries) {
      if (record.kind === ABSENCE_KIND) found.set(record.id, decodeAbsence(record.data));
    }
    after = next;
  }
  const now = store.now();
  return [...found.values()].filter(({ until }) => now < until);
}
