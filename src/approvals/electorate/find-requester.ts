import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { idsOf, NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import type { Requester } from '../approval.ts';
import { isListedRobot, linkedUser } from './requester.ts';

/** `user`: the Slack user id, also of somebody who is not known (a guest). `ids`: all of theirs. */
export interface FoundRequester {
  readonly known: boolean;
  readonly user?: string;
  readonly ids: readonly string[];
}

/**
 * Looks up who asked, in at most two calls one after the other, with answers of the last minute. Throws RemoteFailure
 * within `deadlineMs`.
 */
export async function findRequester(
  { lookup, workspace, config, ages }: Pick<Core, 'lookup' | 'workspace' | 'config' | 'ages'>,
  requester: Requester,
  deadlineMs: number,
): Promise<FoundRequester> {
  if (isListedRobot(config, requester)) return { known: true, ids: [] };
  const { email } = requester;
  const endsAt = ages.monotonic() + deadlineMs;
  const user =
    requester.user ??
    linkedUser(config, requester) ??
    (email === undefined ? undefined : await lookup.userByEmail(email, { deadlineMs }));
  if (user === undefined) return { known: false, ids: [] };
  try {
    const leftMs = Math.max(0, endsAt - ages.monotonic());
    const person = await lookup.recent.person(user, { deadlineMs: leftMs });
    const standing = membershipOf(person, { ...workspace, guests: false });
    return { known: standing === 'member', user, ids: idsOf(person) };
  } catch (error) {
    if (!(error instanceof RemoteFailure) || !NO_SUCH_PERSON.has(error.code)) throw error;
    return { known: false, user, ids: [user] };
  }
}
