import { RemoteFailure } from '../../lib/failure.ts';
import { dropLink, readLink } from '../../people/identity-link.ts';
import { lastingIdsOf, NO_SUCH_PERSON } from '../../people/membership.ts';
import { notRead } from '../../people/not-read.ts';
import { authorize, recordRefusal } from '../../people/permission.ts';
import type { Store } from '../../store/store.ts';
import { namedIn } from '../manage/as-administrator.ts';
import type { AcceptNeeds } from './accept-conflict.ts';
import { FORGET, PINS_REFUSED, REFUSALS } from './sentences.ts';

export interface ForgetNeeds extends Pick<AcceptNeeds, 'lookup' | 'workspace' | 'administrators'> {
  readonly store: Pick<Store, 'get' | 'take' | 'now' | 'writeAudit'>;
}

/**
 * Forgets with which account somebody is linked, as an administrator asks; gives what they read.
 * Throws ReadError when it could not be found out, StoreError when it is not known whether it is done.
 */
export async function forgetPerson(
  needs: ForgetNeeds,
  typed: string,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<string> {
  const permission = await authorize({ ...needs, who: namedIn(needs) }, { user, channel });
  if (permission.kind === 'failed') return FORGET.notChecked;
  if (permission.kind === 'not-allowed') {
    const { code } = permission;
    await recordRefusal(needs.store, PINS_REFUSED, { user, channel, code }).catch(notRead);
    return REFUSALS[code];
  }
  const id = memberIdIn(typed);
  if (id === undefined) return FORGET.whom;
  const ids = await idsOfMember(needs, id);
  if (ids.includes(user)) return FORGET.own;
  const { account } = await readLink(needs.store, ids, null).catch(notRead);
  if (account === null) return FORGET.nothing(id);
  const facts = { user: id, pinned: account };
  await needs.store.writeAudit({
    action: 'people.pins.forgotten',
    record: null,
    actor: user,
    facts,
  });
  await dropLink(needs.store, ids);
  return FORGET.done(id, account);
}

/** As it is copied from a profile, or as Slack may write a mention. */
function memberIdIn(typed: string): string | undefined {
  return /^(?:<@)?(?<id>[UW][A-Z0-9]{2,30})(?:\|[^>]*)?>?$/.exec(typed)?.groups?.id;
}

/** Somebody whom Slack does not know any more may still be linked. */
async function idsOfMember({ lookup }: ForgetNeeds, id: string) {
  try {
    return lastingIdsOf(await lookup.person(id));
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return [id] as const;
    return notRead(error);
  }
}
