import * as z from 'zod';
import { RemoteFailure } from '../lib/failure.ts';

export interface PersonIds {
  readonly id: string;
  /** The id in the whole organisation, if Slack gives one: it may differ from `id`. null outside Enterprise Grid. */
  readonly globalId: string | null;
}

/** A Slack user, according to `users.info`. */
export interface SlackPerson extends PersonIds {
  readonly teamId: string | null;
  /** null outside Enterprise Grid. */
  readonly enterpriseId: string | null;
  readonly deleted: boolean;
  readonly isBot: boolean;
  /** Restricted or ultra restricted. */
  readonly isGuest: boolean;
  /** From another company, through a shared channel. */
  readonly isStranger: boolean;
  /** null: Slack did not say. */
  readonly isEmailConfirmed: boolean | null;
  /** null: none, or not visible to the app. */
  readonly email: string | null;
  readonly displayName: string;
  /** A name of the tz database. */
  readonly timeZone: string | null;
}

/** Every id by which Slack knows the person: a configuration or request may use any of them. */
export function idsOf({ id, globalId }: PersonIds): readonly [string, ...string[]] {
  return globalId === null || globalId === id ? [id] : [id, globalId];
}

/** The same ids, starting with the one that is valid in every workspace. */
export function lastingIdsOf({ id, globalId }: PersonIds): readonly [string, ...string[]] {
  return globalId === null || globalId === id ? [id] : [globalId, id];
}

/** Slack's errors for people it does not show to the app. */
export const NO_SUCH_PERSON: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

/** Not guessed: an unreadable flag makes the answer unreadable. */
const flag = z.boolean().nullish();
const word = z.string().min(1).optional().catch(undefined);

/** The user object of `users.info`, the part that is used. */
export const userSchema = z.looseObject({
  id: z.string(),
  team_id: word,
  name: word,
  real_name: word,
  tz: word,
  deleted: flag,
  is_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_stranger: flag,
  is_email_confirmed: flag,
  enterprise_user: z.looseObject({ id: word, enterprise_id: word }).optional().catch(undefined),
  profile: z
    .looseObject({ email: word, display_name: word, real_name: word })
    .optional()
    .catch(undefined),
});

export function readSlackPerson(user: z.infer<typeof userSchema>): SlackPerson {
  const { profile } = user;
  return {
    id: user.id,
    globalId: user.enterprise_user?.id ?? null,
    teamId: user.team_id ?? null,
    enterpriseId: user.enterprise_user?.enterprise_id ?? null,
    deleted: user.deleted ?? false,
    isBot: (user.is_bot ?? false) || user.id === SLACKBOT,
    isGuest: (user.is_restricted ?? false) || (user.is_ultra_restricted ?? false),
    isStranger: user.is_stranger ?? false,
    isEmailConfirmed: user.is_email_confirmed ?? null,
    email: profile?.email ?? null,
    displayName:
      profile?.display_name ?? profile?.real_name ?? user.real_name ?? user.name ?? user.id,
    timeZone: user.tz ?? null,
  };
}

/** Slack reports `is_bot: false` for it. */
const SLACKBOT = 'USLACKBOT';

/** The person; undefined: Slack knows nobody of this id, or does not show them to the app. Throws RemoteFailure. */
export async function personIfAny<Options>(
  lookup: { person(userId: string, options?: Options): Promise<SlackPerson> },
  userId: string,
  options?: Options,
): Promise<SlackPerson | undefined> {
  try {
    return await lookup.person(userId, options);
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return undefined;
    throw error;
  }
}
