import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Store, StoredRecord } from '../store/store.ts';
import { type Addressee, encodeNotice, NOTICE_KIND, type Notice } from './notice.ts';

export interface RaiseNeeds {
  readonly store: Pick<Store, 'create'>;
  readonly administrators: Config['administrators'];
}

/** Lets administrators know, as `raiseNotice` says. */
export type Raise = (news: News) => Promise<void>;

/** mrkdwn, escaped; `about` tells what is the same. */
export type News = Pick<Notice, 'about' | 'text' | 'button'>;

/**
 * Lets administrators know, in a while and as a record of its own: whoever raises it waits for the
 * store alone. What was raised lately, by whichever replica, is not raised again. Throws StoreError.
 */
export async function raiseNotice(
  { store, administrators }: RaiseNeeds,
  news: News,
): Promise<void> {
  const { about } = news;
  await store.create(
    {
      kind: NOTICE_KIND,
      data: encodeNotice(newNotice(administrators, news)),
      lane: 'people',
      dueInMs: 0,
      place: null,
      uniqueKey: createHash('sha256').update(`${NOTICE_KIND}\0${about}`).digest('base64url'),
      audit: [{ action: 'notices.raised', record: null, actor: 'gatepost', facts: { about } }],
    },
    { hold: false },
  );
}

/** For the log and for everybody who is told. */
export function newNotice(
  administrators: RaiseNeeds['administrators'],
  { about, text, button }: News,
): Notice {
  const addressees: Addressee[] = [
    { kind: 'log', id: 'log' },
    ...administrators.users.map((id) => ({ kind: 'person', id }) as const),
    ...administrators.groups.map((id) => ({ kind: 'group', id }) as const),
  ];
  return { v: 1, about, text, ...(button && { button }), addressees };
}

/** For a record that Gatepost comes to no end with, by a fault of its own. */
export function stuckNotice({ id, kind }: StoredRecord): News {
  return {
    about: `records.stuck.${kind}`,
    text: `Gatepost is stuck on one record (${kind} \`${id}\`): it fails at every try or never finishes, so it is tried less and less often. Search the log for this id and report what it says.`,
  };
}
