import { z } from 'zod';
import { redact } from '../lib/redact.ts';

/** Each is asked for at a click, and Slack tells of some 20 groups a minute. */
const GROUPS_MAX = 10;

const members = z.strictObject({
  /** The one-time token, to the letter. */
  token: z
    .string()
    .min(1)
    .max(2_048)
    .refine(canStandInPath, { message: 'must be a token that can stand in a path' }),
  title: text().optional(),
  message: text().optional(),
  route: z.string().min(1).optional(),
  channel: slackId(/^[CG][A-Z0-9]{2,31}$/, 'must be a channel id (C… or G…)').optional(),
  fields: z
    .record(z.string().min(1), z.string())
    .refine((fields) => Object.keys(fields).length <= 50, {
      message: 'must have at most 50 members',
    })
    .optional(),
  link: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_000)
    .optional(),
  requestedBy: z
    .strictObject({
      email: z.email({ error: 'must be an e-mail address' }).optional(),
      slackUser: userId().optional(),
      name: text().optional(),
    })
    .refine((by) => Object.keys(by).length > 0, { message: 'must have email, slackUser or name' })
    .optional(),
  reviewers: z
    .strictObject({
      users: z.array(userId()).optional(),
      groups: z
        .array(slackId(/^S[A-Z0-9]{2,31}$/, 'must be a user group id (S…)'))
        .max(GROUPS_MAX)
        .optional(),
    })
    .refine(({ users = [], groups = [] }) => users.length + groups.length > 0, {
      message: 'must name somebody',
    })
    .optional(),
  quorum: z.int().min(1).max(100).optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2030-01-01T10:00:00Z' })
    .optional(),
});

/** What an automation sends to the intake. Strict: a member that is not known is an error, not ignored. */
export const approvalRequest = members.refine(
  // An address is shown and looked up as it is: it cannot be redacted.
  ({ token, requestedBy: { email } = {} }) =>
    email === undefined || redact(email, [token]) === email,
  { path: ['requestedBy', 'email'], message: 'must not contain the token' },
);

export type ApprovalRequest = z.infer<typeof approvalRequest>;

/** Names of lists hold ids, and the stores take no names of any length. */
function slackId(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error });
}

function userId() {
  return slackId(/^[UW][A-Z0-9]{2,31}$/, 'must be a user id (U… or W…)');
}

/** Slack takes no empty text. */
function text() {
  return z.string().refine((value) => value.trim() !== '', { message: 'must not be empty' });
}

/** Half a surrogate pair has no URL encoding. */
function canStandInPath(token: string): boolean {
  return token.trim() !== '' && token !== '.' && token !== '..' && !/\p{Cs}/u.test(token);
}
