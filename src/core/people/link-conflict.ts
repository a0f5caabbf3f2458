import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { NewAlert } from '../alerts/raise-alert.ts';
import { button, confirm } from '../slack/blocks.ts';
import { code } from '../slack/text.ts';
import type { KnownLink } from './identity-link.ts';

/** The account found for a person does not match the stored link: an administrator has to decide. */
export interface LinkConflict {
  /**
   * changed: their address leads to another account. lost: it leads to none. taken: the account is linked to somebody
   * else.
   */
  readonly kind: 'changed' | 'lost' | 'taken';
  /** Slack user id. */
  readonly user: string;
  /** Service user ids. */
  readonly linkedTo: string | null;
  readonly found: string | null;
  /** The other person's Slack user id, for `taken`. */
  readonly holder: string | null;
}

/** The conflict with linking a person to a found account (null: none was found). */
export function conflictOf(
  ids: readonly [string, ...string[]],
  { account: linkedTo, holder: held }: KnownLink,
  found: string | null,
): LinkConflict | null {
  const holder = held === null || ids.includes(held) ? null : held;
  const facts = { user: ids[0], linkedTo, found, holder };
  if (linkedTo !== null && found === null) return { kind: 'lost', ...facts };
  if (linkedTo !== null && linkedTo !== found) return { kind: 'changed', ...facts };
  return holder === null ? null : { kind: 'taken', ...facts };
}

/** A short digest of everything in the conflict. */
export function digestOf({ user, linkedTo, found, holder }: LinkConflict): string {
  const text = JSON.stringify([user, linkedTo, found, holder]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function isConflict(identity: { readonly kind: string }): identity is LinkConflict {
  return CONFLICTS.has(identity.kind);
}

const CONFLICTS: ReadonlySet<string> = new Set<LinkConflict['kind']>(['changed', 'lost', 'taken']);

export const ACCEPT_ACTION = 'people.pins.accept';

/** What the administrator saw: the conflict may have changed since. */
const seenConflict = z.object({ user: z.string(), digest: z.string() });
export type SeenConflict = Readonly<z.infer<typeof seenConflict>>;

/** From our button's value. */
export function readSeen(value: string): SeenConflict {
  return seenConflict.parse(JSON.parse(value));
}

/** For administrators: the problem, what to do, and the button that does it. */
export function conflictAlert(conflict: LinkConflict): NewAlert {
  const { kind, user } = conflict;
  const digest = digestOf(conflict);
  const seen: SeenConflict = { user, digest };
  const [label, question] = BUTTONS[kind];
  const sure = confirm('Are you sure?', question, label, 'Cancel', 'danger');
  return {
    about: `people.${kind}.${user}.${digest}`,
    text: `${TEXTS[kind](conflict)} Or link them in \`identity.overrides\`.`,
    button: button(ACCEPT_ACTION, label, JSON.stringify(seen), { confirm: sure }),
  };
}

const TEXTS = {
  changed: ({ user, linkedTo, found, holder }) =>
    `<@${user}> cannot decide: their e-mail address in Slack belongs to the account ${code(found ?? '')} in the service.${other(holder)} They are linked with ${code(linkedTo ?? '')}. Perhaps somebody took an address that is not theirs, or the account was created again. Ask them in person. If ${code(found ?? '')} is theirs, press the button. If not, have the address corrected.`,
  lost: ({ user, linkedTo }) =>
    `<@${user}> cannot decide: they are linked with the account ${code(linkedTo ?? '')} in the service, but no account there has the address that Slack now shows for them. Give their account that address in the service, and they can press again. If they no longer have an account, press the button.`,
  taken: ({ user, found, holder }) =>
    `<@${user}> cannot decide: their e-mail address in Slack belongs to the account ${code(found ?? '')} in the service.${other(holder)} An account belongs to one person. Ask both in person. If it now belongs to <@${user}>, press the button. If not, have the address corrected.`,
} satisfies Record<LinkConflict['kind'], (conflict: LinkConflict) => string>;

const BUTTONS = {
  changed: [
    'Link the new account',
    'Their decisions will be sent with the new account. Nobody else can then decide with it.',
  ],
  lost: [
    'Unlink them',
    'Gatepost unlinks them from their account. They can still decide on routes that do not need an account.',
  ],
  taken: [
    'Link this account',
    'Their decisions will be sent with this account. The other person can no longer decide with it.',
  ],
} as const satisfies Record<LinkConflict['kind'], readonly [label: string, question: string]>;

function other(holder: string | null): string {
  return holder === null ? '' : ` <@${holder}> is linked with it.`;
}
