import type { PageChannel } from '../../page-state.ts';

export interface Unread {
  readonly messages: number;
  /** Those that are meant for the person: they are named, or it is their own channel. */
  readonly forYou: number;
}

/** What the person has not looked at in a channel. */
export function unreadIn({ messages, readUpTo, kind }: PageChannel, me: string): Unread {
  const fresh = messages.filter(
    ({ ts, authorId }) => Number(ts) > Number(readUpTo) && authorId !== me,
  );
  const forYou = fresh.filter(
    ({ mentionsYou, isOnlyForYou }) => mentionsYou || isOnlyForYou || kind === 'app',
  );
  return { messages: fresh.length, forYou: forYou.length };
}
