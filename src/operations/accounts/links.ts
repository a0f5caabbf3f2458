import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { type Denial, refusalsTo } from '../../core/people/denials.ts';
import { dropLink, freeAccount, readLink, writeLink } from '../../core/people/identity-link.ts';
import {
  digestOf,
  isConflict,
  type LinkConflict,
  type SeenConflict,
} from '../../core/people/link-conflict.ts';
import { authorizePerson, recordRefusal } from '../../core/people/permission.ts';
import { throwReadError } from '../../core/people/throw-read-error.ts';
import { lastingIdsOf, NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import { code } from '../../core/slack/text.ts';
import type { Store } from '../../core/store/store.ts';
import { ASK } from '../flow/words.ts';
import { namedIn } from './administrator.ts';

/** The text for the administrator; `isDone`: nothing is left to press. */
interface AcceptAnswer {
  readonly text: string;
  readonly isDone: boolean;
}

/**
 * Accepts the conflict that an administrator has seen and confirmed, if it is unchanged. Throws ReadError when that
 * could not be checked, and StoreError when it is not known whether it was done.
 */
export async function acceptConflict(
  core: Core,
  seen: SeenConflict,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<AcceptAnswer> {
  const permission = await authorizePerson(core, namedIn(core), { user, channel });
  if (permission.kind === 'failed') return { text: NOT_ACCEPTED['not-checked'], isDone: false };
  if (permission.kind === 'not-allowed') {
    await recordRefusal(core.store, LINKS_REFUSED, {
      user,
      channel,
      code: permission.code,
    });
    return { text: REFUSALS[permission.code], isDone: false };
  }
  const person = await core.lookup.person(seen.user).catch(throwReadError);
  const ids = lastingIdsOf(person);
  // A stolen administrator account must not be able to vouch for itself.
  if (await isOneOf(core, ids, user)) return { text: NOT_ACCEPTED.own, isDone: false };
  const { identity } = await core.directory.search(person).catch(throwReadError);
  if (identity.kind === 'no-address' || identity.kind === 'not-shown') {
    return { text: NOT_ACCEPTED[identity.kind], isDone: false };
  }
  if (!isConflict(identity) || digestOf(identity) !== seen.digest) {
    return { text: NOT_ACCEPTED[isConflict(identity) ? 'changed' : 'over'], isDone: true };
  }
  await resolve(core.store, identity, ids, user);
  return { text: ACCEPTED[identity.kind](identity, user), isDone: true };
}

/** In the audit log before it is done; safe to repeat. */
async function resolve(
  store: Store,
  { kind, user, linkedTo, found, holder }: LinkConflict,
  ids: readonly [string, ...string[]],
  administrator: string,
): Promise<void> {
  const facts = { kind, user, pinned: linkedTo, found, holder };
  await store.writeAudit({
    action: 'people.pins.accepted',
    record: null,
    actor: administrator,
    facts,
  });
  if (found === null) return dropLink(store, ids);
  await writeLink(store, ids[0], found);
  if (linkedTo !== null && linkedTo !== found) await freeAccount(store, ids, linkedTo);
}

/**
 * Unlinks somebody from their account on an administrator's request; returns the text to show. Throws ReadError when it
 * could not be checked, and StoreError when it is not known whether it was done.
 */
export async function forgetPerson(
  core: Core,
  typed: string,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<string> {
  const permission = await authorizePerson(core, namedIn(core), { user, channel });
  if (permission.kind === 'failed') return FORGET.notChecked;
  if (permission.kind === 'not-allowed') {
    const { code } = permission;
    await recordRefusal(core.store, LINKS_REFUSED, { user, channel, code }).catch(throwReadError);
    return REFUSALS[code];
  }
  const id = memberIdIn(typed);
  if (id === undefined) return FORGET.whom;
  const ids = await idsOfMember(core, id);
  if (await isOneOf(core, ids, user)) return FORGET.own;
  const { account } = await readLink(core.store, ids, null).catch(throwReadError);
  if (account === null) return FORGET.nothing(id);
  const facts = { user: id, pinned: account };
  await core.store.writeAudit({
    action: 'people.pins.forgotten',
    record: null,
    actor: user,
    facts,
  });
  await dropLink(core.store, ids);
  return FORGET.done(id, account);
}

/** As copied from a profile, or in Slack's format for mentions. */
function memberIdIn(typed: string): string | undefined {
  return /^(?:<@)?(?<id>[UW][A-Z0-9]{2,30})(?:\|[^>]*)?>?$/.exec(typed)?.groups?.id;
}

/** People that Slack no longer knows may still be linked. */
async function idsOfMember({ lookup }: Core, id: string) {
  try {
    return lastingIdsOf(await lookup.person(id));
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return [id] as const;
    return throwReadError(error);
  }
}

/** Whether these are a person's own ids. In an organisation they may be named by either of theirs. */
async function isOneOf(core: Core, ids: readonly string[], user: string): Promise<boolean> {
  const own = await idsOfMember(core, user);
  return own.some((id) => ids.includes(id));
}

/** For the administrator who pressed; replaces the alert. mrkdwn. */
const ACCEPTED = {
  changed: ({ user, found, linkedTo }, by) =>
    `<@${by}> confirmed that <@${user}> is now linked with the account ${code(found ?? '')} instead of ${code(linkedTo ?? '')}. They can press again.`,
  taken: ({ user, found, holder }, by) =>
    `<@${by}> confirmed that <@${user}> is now linked with the account ${code(found ?? '')}, and <@${holder ?? ''}> is not. They can press again.`,
  lost: ({ user, linkedTo }, by) =>
    `<@${by}> unlinked <@${user}> from the account ${code(linkedTo ?? '')}.`,
} satisfies Record<LinkConflict['kind'], (conflict: LinkConflict, by: string) => string>;

/** Why nothing was linked. */
const NOT_ACCEPTED = {
  'not-checked':
    'Nothing was linked, because it is not known whether you are an administrator. Press again in a minute.',
  own: 'Nothing was linked. For your own account another administrator has to press this, or link you in `identity.overrides`.',
  changed:
    'Nothing was linked, because something else was found for this person in the meantime. You will be told what when they next try to decide.',
  'no-address':
    'Nothing was linked, because Slack now shows Gatepost no confirmed address for this person. Press again when it does, or link them in `identity.overrides`.',
  'not-shown':
    'Nothing was linked, because the service does not show their account now, but may have more accounts than it shows. Press again in a minute, or link them in `identity.overrides`.',
  over: 'Nothing was linked, because this was resolved in the meantime. They can press again.',
} as const;

/** For an administrator who wants to unlink somebody. */
const FORGET = {
  whom: 'Nobody was unlinked. `/people forget` needs the member id of one person, as in `/people forget U012AB3CD`. Copy it from the menu of their Slack profile.',
  own: 'Nobody was unlinked. For your own account another administrator has to do this.',
  notChecked:
    'Nobody was unlinked, because it is not known whether you are an administrator. Try again in a minute.',
  nothing: (user: string) => `<@${user}> is not linked with any account.`,
  done: (user: string, account: string) =>
    `<@${user}> was unlinked from the account ${code(account)}. Their next decision links them with the account that has their address then.`,
} as const;

/** The audit log's name for a refusal. */
const LINKS_REFUSED = 'people.pins.refused';

const { bot, deactivated, guest, stranger, 'other-company': other } = refusalsTo('do this');

/** For people who are not administrators. */
const REFUSALS = {
  'not-named': 'Only Gatepost administrators can do this. Nothing was changed.',
  bot: bot[0],
  deactivated: `${deactivated[0]} Nothing was changed.`,
  guest: `${guest[0]} Nothing was changed. ${ASK}`,
  stranger: `${stranger[0]} Nothing was changed.`,
  'other-company': `${other[0]} Nothing was changed. ${ASK}`,
} as const satisfies Record<Denial, string>;
