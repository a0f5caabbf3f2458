import { createHash } from 'node:crypto';
import type { NamedPeople } from '../config/config.ts';
import type { Store, StoredRecord } from '../store/store.ts';
import { type Addressee, ALERT_KIND, type Alert, encodeAlert } from './alert.ts';

/** Alerts administrators; see `raiseAlert`. */
export type RaiseAlert = (news: NewAlert) => Promise<void>;

/** Escaped mrkdwn; equal `about` means the same alert. */
export type NewAlert = Pick<Alert, 'about' | 'text' | 'button'>;

/**
 * Alerts administrators, asynchronously and as a separate record: the caller only waits for the store. An alert that
 * any replica raised recently is not raised again. Throws StoreError.
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

/** Addressed to the log and all administrators. */
export function newAlert(administrators: NamedPeople, { about, text, button }: NewAlert): Alert {
  const addressees: Addressee[] = [
    { kind: 'log', id: 'log' },
    ...administrators.users.map((id) => ({ kind: 'person', id }) as const),
    ...administrators.groups.map((id) => ({ kind: 'group', id }) as const),
  ];
  return { v: 1, about, text, ...(button && { button }), addressees };
}

/** For a record that Gatepost cannot finish because of a bug. */
export function stuckAlert({ id, kind }: StoredRecord): NewAlert {
  return {
    about: `records.stuck.${kind}`,
    text: `Gatepost is stuck on one record (${kind} \`${id}\`): every attempt fails or never finishes, so Gatepost retries it less and less often. Search the log for this id and report what it says.`,
  };
}
