import * as z from 'zod';
import { WAIT_MAX_S } from '../../../../ask/contract/approval-details.ts';
import { change } from '../approval-request.ts';
import { isObject, withoutNothing } from '../contract-values.ts';

/**
 * What each tool takes. Strict: a member that is not known could be meant to say who decides. Listed as it should be
 * sent; `asSent` reads more.
 */

/**
 * How long a call waits. Some proxies cut a connection after 30 s whatever arrives on it, and clients notice nothing
 * before their own limit.
 */
export const USUAL_WAIT_S = 25;

/** Whether an address is valid is checked later. */
const reviewer = z.string().regex(/^[UWS][A-Z0-9]{2,}$|^[^@\s]+@[^@\s]+$/, {
  error: 'must be an e-mail address, or the Slack id of a person (U…) or a group (S…)',
});

export const requestInput = asSent(
  z.strictObject({
    title: z.string().min(1).describe('What you want to do, in a line'),
    change: change.describe(
      'Exactly what is approved: the whole call with its arguments, or the diff. Shown as it is',
    ),
    message: z.string().optional().describe('Why, and what the reviewers should know'),
    reviewers: z
      .array(reviewer)
      .min(1, { error: 'must name at least one person or group' })
      .optional()
      .describe(
        'E-mail addresses or Slack ids of people (U…), or ids of groups (S…), if only some of the reviewers are to be asked',
      ),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A name of your own: the same name with the same content is the same request'),
    timeoutSeconds: z.int().min(10).max(2_592_000).optional().describe('86400 without it'),
  }),
);

export const waitInput = asSent(
  z.strictObject({
    id: z.string().min(1).describe('As request_approval returned it'),
    seconds: z
      .int()
      .min(1)
      .max(WAIT_MAX_S)
      .optional()
      .describe(`How long at most; ${USUAL_WAIT_S} without it`),
  }),
);

export const withdrawInput = asSent(z.strictObject({ id: z.string().min(1) }));

/** Members that are no texts, and how one that is sent as a text is read. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  reviewers: listIn,
  timeoutSeconds: numberIn,
  seconds: numberIn,
};

/** Clients whose schemas are strict send null for what is not given, and some send every value as a text. */
function asSent<Schema extends z.ZodObject>(schema: Schema): Pick<Schema, '~standard'> {
  const standard = schema['~standard'];
  const given = withoutNothing(['message'], Object.keys(schema.shape));
  return {
    '~standard': { ...standard, validate: (value) => standard.validate(withValues(given(value))) },
  };
}

function withValues(given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? (READ[name]?.(value) ?? value) : value,
    ]),
  );
}

/** As JSON, or separated by commas. */
function listIn(text: string): unknown {
  if (!text.trim().startsWith('[')) return text.split(',').map((each) => each.trim());
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberIn(text: string): unknown {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
