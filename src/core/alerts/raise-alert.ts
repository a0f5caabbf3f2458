import { createHash } from 'node:crypto';
import type { NamedPeople } from '../config/config.ts';
import type { Store, StoredRecord } from '../store/store.ts';
import { type Addressee, ALERT_KIND, type Alert, encodeAlert } from './alert.ts';

/** Lets administrators know, as `raiseAlert` says. */
export type RaiseAlert = (news: NewAlert) => Promise<void>;

/** mrkdwn, escaped; `about` tells what is the same. */
export type NewAlert = Pick<Alert, 'about' | 'text' | 'button'>;

/**
 * Lets administrators know, in a while and as a record of its own: whoever raises it waits for the
 * store alone. What was raised lately, by whichever replica, is not raised again. Throws StoreError.
 */
export async function raiseAlert(
  { store, administrators }: { readonly store: Store; readonly administrators: NamedPeople },
  news: NewAlert,
): Promise<void> {
  const { about } = news;
  await store.create(
    {
      kind: ALERT_KIND,
      data: encodeAlert(newAlert(administrators, news)),
      lane: 'people',
      dueInMs: 0,
      place: null,
      uniqueKey: createHash('sha256').update(`${ALERT_KIND}\0${about}`).digest('base64url'),
      audit: [{ action: 'alerts.raised', record: null, actor: 'gatepost', facts: { about } }],
    },
    { hold: false },
  );
}

/** For the log and for everybody who is told. */
export function newAlert(administrators: NamedPeople, { about, text, button }: NewAlert): Alert {
  const addressees: Addressee[] = [
    { kind: 'log', id: 'log' },
    ...administrators.users.map((id) => ({ kind: 'person', id }) as const),
    ...administrators.groups.map((id) => ({ kind: 'group', id }) as const),
  ];
  return { v: 1, about, text, ...(button && { button }), addressees };
}

/** For a record that Gatepost comes to no end with, by a fault of its own. */
export function stuckAlert({ id, kind }: StoredRecord): NewAlert {
  return {
    about: `records.stuck.${kind}`,
    text: `Gatepost is stuck on one record (${kind} \`${id}\`): every attempt fails or never finishes, so Gatepost retries it less and less often. Search the log for this id and report what it says.`,
  };
}
