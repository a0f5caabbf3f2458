/** A Slack user, as `users.info` tells. */
export interface SlackPerson {
  readonly id: string;
  /** In the whole organisation, where Slack tells one: it may differ from `id`. null outside Enterprise Grid. */
  readonly globalId: string | null;
  readonly teamId: string | null;
  /** null outside Enterprise Grid. */
  readonly enterpriseId: string | null;
  readonly deleted: boolean;
  readonly isBot: boolean;
  /** Restricted or ultra restricted. */
  readonly isGuest: boolean;
  /** Of another company, seen through a shared channel. */
  readonly isStranger: boolean;
  /** null: Slack did not say. */
  readonly isEmailConfirmed: boolean | null;
  /** null: none, or the app may not see it. */
  readonly email: string | null;
  readonly displayName: string;
  /** A name of the tz database. */
  readonly timeZone: string | null;
}

/** Every id by which Slack knows the person: a configuration or a request may name any of them. */
export function idsOf({
  id,
  globalId,
}: Pick<SlackPerson, 'id' | 'globalId'>): readonly [string, ...string[]] {
  return globalId === null || globalId === id ? [id] : [id, globalId];
}

/** The same, the one that holds wherever the person clicks first. */
export function lastingIdsOf({
  id,
  globalId,
}: Pick<SlackPerson, 'id' | 'globalId'>): readonly [string, ...string[]] {
  return globalId === null || globalId === id ? [id] : [globalId, id];
}
