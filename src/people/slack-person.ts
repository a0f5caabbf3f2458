/** A Slack user, as `users.info` tells. */
export interface SlackPerson {
  readonly id: string;
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
