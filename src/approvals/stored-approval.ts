import type { Post } from '../core/posts/post.ts';
import type { Place, StoredRecord } from '../core/store/store.ts';
import { type Approval, DEFAULT, isOwnGate, type Watch } from './approval.ts';

/**
 * The stored form of an approval: without empty members, and without its message's place, which the record has. A
 * million may be pending.
 */
type Stored = Omit<Approval, 'channel' | 'watch' | 'owed' | MaySayNothing> &
  Partial<Pick<Approval, MaySayNothing>> & {
    /**
     * 4: an own gate, so that versions without own gates refuse it. 5: one that was asked for by several people, so that
     * versions that know only the first refuse it.
     */
    readonly v: 3 | 4 | 5;
    readonly watch: Partial<Watch> & Pick<Watch, 'nextAt'>;
  };

type MaySayNothing = 'source' | 'route' | 'posts' | 'queue' | 'ballots' | 'replies';

const MESSAGE = 'message';

/** For a record whose place is `placeOf`'s. Throws if a reply has no words. */
export function encodeApproval(approval: Approval): string {
  const { source, route, channel, posts, watch, queue, ballots, replies, owed, ...rest } = approval;
  if (owed !== undefined) throw new Error('a reply is stored only with its words');
  const { state, ...pending } = watch;
  const kept = keptPosts(posts);
  const v = versionOf(approval);
  // JSON leaves out undefined members.
  return JSON.stringify(
    Object.assign({ v }, rest, {
      source: source === DEFAULT ? undefined : source,
      route: route === DEFAULT ? undefined : route,
      posts: kept.length === 0 ? undefined : kept,
      watch: state === 'pending' ? pending : watch,
      queue: queue.length === 0 ? undefined : queue,
      ballots: ballots.length === 0 ? undefined : ballots,
      replies: replies.length === 0 ? undefined : replies,
    } satisfies {
      readonly [Name in keyof Omit<Stored, 'v' | keyof typeof rest>]-?: Stored[Name] | undefined;
    }),
  );
}

function versionOf(approval: Approval): Stored['v'] {
  if (approval.alsoAskedBy !== undefined) return 5;
  return isOwnGate(approval) ? 4 : 3;
}

/** undefined: another kind's data, or a later version's. */
export function readableApproval(record: Pick<StoredRecord, 'data' | 'place'>) {
  try {
    return decodeApproval(record);
  } catch {
    return undefined;
  }
}

/** Throws for an unknown form. */
export function decodeApproval({ data, place }: Pick<StoredRecord, 'data' | 'place'>): Approval {
  // as: written by `encodeApproval`, or by another version, which is refused
  const stored = JSON.parse(data) as Stored | { readonly v: unknown };
  if (!isStored(stored) || place === null) {
    throw new Error('an approval is stored in an unknown format');
  }
  const { v, posts = [], watch, ...rest } = stored;
  const said = { source: DEFAULT, route: DEFAULT, queue: [], ballots: [], replies: [] };
  // Every poll decodes a record: with spread syntax this takes four times as long on Node 20.
  return Object.assign(said, rest, {
    channel: place.channel,
    posts: allPosts(posts, place),
    watch: Object.assign({ state: 'pending' as const }, watch),
  });
}

function isStored(stored: Stored | { readonly v: unknown }): stored is Stored {
  return stored.v === 3 || stored.v === 4 || stored.v === 5;
}

/** The message's own post only if it holds more than that it was posted. */
function keptPosts(posts: readonly Post[]): readonly Post[] {
  return posts.flatMap((post) => {
    if (post.name !== MESSAGE) return [post];
    const { channel, ts, ...more } = post;
    return Object.keys(more).length > 1 ? [more] : [];
  });
}

function allPosts(kept: readonly Post[], { channel, message }: Place): readonly Post[] {
  const where = message === null ? { channel } : { channel, ts: message };
  if (kept.length === 0) return [Object.assign({ name: MESSAGE }, where)];
  const own = kept.find(({ name }) => name === MESSAGE) ?? { name: MESSAGE };
  const others = kept.filter((post) => post !== own);
  return [{ ...own, ...where }, ...others];
}
