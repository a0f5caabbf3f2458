import * as z from 'zod';
import { GROUPS_MAX } from '../../core/config/places.ts';
import type { NamedPeople } from '../../core/config/values.ts';
import { instantOf } from '../../core/lib/iso-time.ts';
import { emailProblem, readEmail } from '../../core/lib/read-email.ts';

/** Values that appear in several request bodies. */

/** Slack does not accept empty text. */
export function text() {
  return z.string().refine((value) => value.trim() !== '', { message: 'must not be empty' });
}

/** A source's own name for something: long enough for a path such as `checkout/4711/deploy`. */
export function ownName() {
  return text()
    .max(200)
    .refine((name) => !/\p{Cc}/u.test(name), {
      message: 'must be a name without control characters',
    });
}

export function webAddress() {
  return z
    .url({ protocol: /^https?$/, normalize: true, error: 'must be an http or https address' })
    .max(2_000);
}

/** Converted to UTC. */
export function time() {
  return z
    .string()
    .trim()
    .refine((value) => instantOf(value) !== null, {
      message: 'must be a time such as 2030-01-01T10:00:00Z',
      abort: true,
    })
    .overwrite((value) => new Date(instantOf(value) ?? 0).toISOString())
    .meta({ format: 'date-time' });
}

/**
 * For `z.preprocess`: leaves out members that say nothing. Templates and clients with a strict schema send every member.
 * @param texts members that say nothing if they are null or blank. @param others members that do if they are null.
 */
export function withoutNothing(texts: readonly string[], others: readonly string[] = []) {
  return (body: unknown): unknown => {
    if (!isObject(body)) return body;
    const isNothing = (name: string, value: unknown) =>
      value === null
        ? texts.includes(name) || others.includes(name)
        : typeof value === 'string' && value.trim() === '' && texts.includes(name);
    return Object.fromEntries(
      Object.entries(body).filter(([name, value]) => !isNothing(name, value)),
    );
  };
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Ids become part of list names, whose length the stores limit. */
export function slackId(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error });
}

export function userId() {
  return slackId(/^[UW][A-Z0-9]{2,31}$/, 'must be a user id (U… or W…)');
}

/** People and user groups, by Slack id. */
export function namedPeople() {
  return z
    .strictObject({
      users: z.array(userId()).optional(),
      groups: z
        .array(slackId(/^S[A-Z0-9]{2,31}$/, 'must be a user group id (S…)'))
        .max(GROUPS_MAX)
        .optional(),
    })
    .refine(({ users = [], groups = [] }) => users.length + groups.length > 0, {
      message: 'must name at least one person or group',
    });
}

export function peopleIn({
  users = [],
  groups = [],
}: z.infer<ReturnType<typeof namedPeople>>): NamedPeople {
  return { users, groups };
}

/** Accepted in the formats of mail programs and links; the address alone. */
export function emailAddress() {
  return z
    .string()
    .superRefine((given, context) => {
      const problem = emailProblem(readEmail(given).address);
      if (problem !== null) context.addIssue(problem);
    })
    .overwrite((given) => readEmail(given).address);
}
