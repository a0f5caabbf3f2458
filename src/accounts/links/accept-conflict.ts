import type { Config } from '../../config/config.ts';
import type { Directory } from '../../people/directory.ts';
import { dropLink, freeAccount, writeLink } from '../../people/identity-link.ts';
import {
  digestOf,
  isConflict,
  type LinkConflict,
  type SeenConflict,
} from '../../people/link-conflict.ts';
import { lastingIdsOf } from '../../people/membership.ts';
import { notRead } from '../../people/not-read.ts';
import {
  type AuthorizationDependencies,
  authorize,
  recordRefusal,
} from '../../people/permission.ts';
import type { AnswerNeeds } from '../../slack/answer-person.ts';
import type { Lookup } from '../../slack/lookup.ts';
import type { Store } from '../../store/store.ts';
import { namedIn } from '../manage/as-administrator.ts';
import { ACCEPTED, NOT_ACCEPTED, PINS_REFUSED, REFUSALS } from './sentences.ts';

export interface AcceptNeeds extends AnswerNeeds {
  readonly lookup: AuthorizationDependencies['lookup'] & Pick<Lookup, 'person'>;
  readonly workspace: AuthorizationDependencies['workspace'];
  readonly administrators: Config['administrators'];
  readonly directory: Pick<Directory, 'search'>;
  readonly store: Pick<Store, 'get' | 'put' | 'take' | 'now' | 'writeAudit'>;
}

/** What the administrator reads; `isDone`: there is nothing left to press. */
export interface AcceptAnswer {
  readonly text: string;
  readonly isDone: boolean;
}

/**
 * Takes what an administrator has seen and confirmed as right, if it is still so. Throws ReadError
 * when it could not be found out, StoreError when it is not known whether it is done.
 */
export async function acceptConflict(
  needs: AcceptNeeds,
  seen: SeenConflict,
  { user, channel }: { readonly user: string; readonly channel: string },
): Promise<AcceptAnswer> {
  const permission = await authorize({ ...needs, who: namedIn(needs) }, { user, channel });
  if (permission.kind === 'failed') return { text: NOT_ACCEPTED['not-checked'], isDone: false };
  if (permission.kind === 'not-allowed') {
    await recordRefusal(needs.store, PINS_REFUSED, {
      user,
      channel,
      code: permission.code,
    });
    return { text: REFUSALS[permission.code], isDone: false };
  }
  const person = await needs.lookup.person(seen.user).catch(notRead);
  const ids = lastingIdsOf(person);
  // Whoever got hold of an administrator's Slack account is not to vouch for it with that account.
  if (ids.includes(user)) return { text: NOT_ACCEPTED.own, isDone: false };
  const { identity } = await needs.directory.search(person).catch(notRead);
  if (!isConflict(identity) || digestOf(identity) !== seen.digest) {
    return { text: NOT_ACCEPTED[isConflict(identity) ? 'changed' : 'over'], isDone: true };
  }
  await resolve(needs.store, identity, ids, user);
  return { text: ACCEPTED[identity.kind](identity, user), isDone: true };
}

/** Noted in the audit log before it is done: done twice it is the same. */
async function resolve(
  store: AcceptNeeds['store'],
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
