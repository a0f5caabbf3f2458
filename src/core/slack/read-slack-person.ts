import { z } from 'zod';
import type { SlackPerson } from '../people/membership.ts';

/** Never guessed: a flag that cannot be read makes the answer unreadable. */
const flag = z.boolean().nullish();
const word = z.string().min(1).optional().catch(undefined);

/** The user object of `users.info`, as much of it as is used. */
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

/** Slack says `is_bot: false` of it. */
const SLACKBOT = 'USLACKBOT';
