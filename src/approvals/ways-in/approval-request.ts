import * as z from 'zod';
import { CHANGE_MAX, changeFault } from '../../../ask/contract/approval-body.ts';
import { SYSTEM } from '../../core/config/values.ts';
import { isSeen } from '../../core/lib/clean-line.ts';
import { lineCount } from '../../core/lib/clip.ts';
import { EMAIL, loginFault } from '../../core/lib/logins.ts';
import { emailProblem, readEmail } from '../../core/lib/read-email.ts';
import { redact } from '../../core/lib/redact.ts';
import { conflictsIn, REQUEST_MEMBERS } from './contract-parts.ts';
import {
  isObject,
  ownName,
  slackId,
  text,
  time,
  userId,
  webAddress,
  withoutNothing,
} from './contract-values.ts';

const TEXT_OR_NULL = { type: ['string', 'null'] };

/** zod would silently drop a member with this name. */
const LOST = '__proto__';

/** Exactly what is approved: a diff, a plan, a command with its arguments. */
export const change = text()
  .refine((value) => changeFault(value) === undefined, {
    error: ({ input }) => changeFault(String(input)),
  })
  .meta({ maxLength: CHANGE_MAX });

const cutFrom = z.strictObject({
  lines: z.int().min(1).max(1_000_000_000).describe('How many it has'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits in small letters' })
    .describe('Of its bytes'),
});

const members = z.strictObject({
  /** The one-time token, verbatim. */
  token: z
    .string()
    .min(1)
    .max(2_048)
    // An invisible token could not be redacted: `redact` ignores invisible characters.
    .refine(isSeen, { message: 'must have at least one visible character', abort: true })
    .refine(canStandInPath, { message: 'must be a token that can be used in a URL path' })
    .optional(),
  /** The source's name for an own gate; replaces the token. */
  key: ownName().optional(),
  title: text().optional(),
  message: text().meta(TEXT_OR_NULL).optional(),
  route: z.string().min(1).optional(),
  channel: slackId(/^[CG][A-Z0-9]{2,31}$/, 'must be a channel id (C… or G…)').optional(),
  change: change.optional(),
  /** The full text that `change` is the beginning of; the message says how much of it is shown. */
  cutFrom: cutFrom.optional(),
  fields: z
    .preprocess(
      asTexts,
      z.unknown().refine(isWhole, { path: [LOST], message: 'must be another name' }),
    )
    .pipe(
      z
        .record(
          z.string().min(1),
          z.string().meta({ type: ['string', 'number', 'boolean', 'null'] }),
        )
        .refine((it) => Object.keys(it).length <= 50, { message: 'must have at most 50 members' })
        .meta({ type: ['object', 'null'] }),
    )
    .optional(),
  link: webAddress().meta(TEXT_OR_NULL).optional(),
  requestedBy: z
    .strictObject({
      /** May belong to a robot or a guest; accepted in the formats of mail programs and links. */
      email: z.string().superRefine(isEmail).optional(),
      slackUser: userId().optional(),
      /** In another system, such as octocat at github. */
      login: login().optional(),
      at: system().optional(),
      name: text().optional(),
    })
    .refine((by) => Object.keys(by).length > 0, {
      message: 'must have email, slackUser, login or name',
    })
    .refine((by) => (by.login === undefined) === (by.at === undefined), {
      path: ['at'],
      message: 'must be there with login, and only then',
    })
    .refine((by) => by.at !== EMAIL, { path: ['at'], message: 'must not be email: use email' })
    .refine((by) => by.login === undefined || (by.email ?? by.slackUser) === undefined, {
      path: ['login'],
      message: 'must not stand beside email or slackUser',
    })
    .overwrite(withPlainEmail)
    .optional(),
  quorum: z.int().min(1).max(100).optional(),
  ...REQUEST_MEMBERS,
  expiresAt: time().optional(),
});

const withoutConflict = members
  .refine(({ token, key }) => token !== undefined || key !== undefined, {
    path: ['token'],
    message: 'must be there, or key for an own gate',
  })
  .refine(({ token, key }) => token === undefined || key === undefined, {
    path: ['key'],
    message: 'must not stand beside token',
  })
  .refine(({ change, cutFrom }) => cutFrom === undefined || change !== undefined, {
    path: ['cutFrom'],
    message: 'must stand beside change, which is its beginning',
  })
  .refine(
    ({ change = '', cutFrom }) => cutFrom === undefined || lineCount(change) < cutFrom.lines,
    { path: ['cutFrom', 'lines'], message: 'must be more than the lines of change' },
  )
  .superRefine((request, context) => {
    for (const { path, message } of conflictsIn(request)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .refine(
    // An address is shown and looked up unchanged, so it cannot be redacted.
    ({ token, requestedBy: { email } = {} }) =>
      token === undefined || email === undefined || redact(email, [token]) === email,
    { path: ['requestedBy', 'email'], message: 'must not contain the token' },
  )
  .refine(
    ({ token, requestedBy: { login } = {} }) =>
      token === undefined || login === undefined || redact(login, [token]) === login,
    { path: ['requestedBy', 'login'], message: 'must not contain the token' },
  )
  .meta({ oneOf: [{ required: ['token'] }, { required: ['key'] }] });

/**
 * The body of a request to the intake. Strict: an unknown member is an error. Normalizes the address in `requestedBy`
 * and the time zone of `expiresAt`. A message or link that is null or empty, and fields that are null, count as missing.
 * Nothing else does: a request whose reviewers or change were dropped would be another one.
 */
export const approvalRequest = z.preprocess(
  withoutNothing(['message', 'link'], ['fields']),
  withoutConflict,
);

export type ApprovalRequest = z.infer<typeof approvalRequest>;

function isEmail(text: string, context: z.RefinementCtx): void {
  const problem = emailProblem(readEmail(text).address);
  if (problem !== null) context.addIssue(problem);
}

/** If the address contains a name, it is shown. */
function withPlainEmail<
  Requester extends { email?: string | undefined; name?: string | undefined },
>(by: Requester): Requester {
  if (by.email === undefined) return by;
  const { address, isNamed } = readEmail(by.email);
  return { ...(isNamed && { name: by.email.trim() }), ...by, email: address };
}

function isWhole(fields: unknown): boolean {
  return !isObject(fields) || !Object.hasOwn(fields, LOST);
}

/** The values as they are shown. One that is null is not given. */
function asTexts(fields: unknown): unknown {
  if (!isObject(fields)) return fields;
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, asText(value)]));
}

/** A number that has lost digits is not what was sent. */
function asText(value: unknown): unknown {
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isExact || typeof value === 'boolean' ? String(value) : value;
}

function login() {
  return z
    .string()
    .refine((given) => loginFault(given) === undefined, {
      error: ({ input }) => loginFault(String(input)),
    })
    .meta({ maxLength: 100 });
}

function system() {
  return z.string().regex(SYSTEM, { error: 'must be a name in small letters, such as github' });
}

/** Half a surrogate pair has no URL encoding. */
function canStandInPath(token: string): boolean {
  return token !== '.' && token !== '..' && !/\p{Cs}/u.test(token);
}
