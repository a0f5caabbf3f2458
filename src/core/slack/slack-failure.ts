import { webApi } from '@slack/bolt';
import * as z from 'zod';
import { cleanLine } from '../lib/clean-line.ts';
import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { RATE_LIMIT } from './call-slack.ts';

/** Slack: "It's possible some aspect of the operation succeeded before the error was raised." */
const MAY_HAVE_HAPPENED = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
]);
const RATE_LIMITED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
/** Something in between may have answered; Slack may have done the work. */
export const UNREADABLE = { class: 'ambiguous', code: 'unreadable_answer', status: 200 } as const;
const CODE = /^[a-z0-9_.-]{1,64}$/i;
/** A Slack token: a proxy may echo what it was sent. */
const TOKEN = /\bx(?:ox[a-z]?|app)-[\w-]+/gi;
const MAX_RETRY_AFTER_MS = 300_000;

/** Turns an error from a Web API call into a RemoteFailure; one that already is stays as it is. */
export function slackFailure(operation: string, error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  // No cause: the library's errors contain bodies, and headers with the token.
  return new RemoteFailure(operation, factsOf(error));
}

function factsOf(error: unknown): FailureFacts {
  if (error instanceof webApi.WebAPIPlatformError) return answerFacts(error.data);
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return { ...RATE_LIMIT, ...wait(error.retryAfter) };
  }
  if (error instanceof webApi.WebAPIHTTPError) return httpFacts(error.statusCode);
  const reason = error instanceof webApi.WebAPIRequestError ? error.original : error;
  if (reason instanceof RemoteFailure) return reason.facts;
  return { class: 'ambiguous', code: ambiguousCode(reason) };
}

const platformAnswer = z.looseObject({
  error: z.string(),
  needed: z.string().optional(),
  /** From `blocks.validate`. */
  errors: z
    .array(z.looseObject({ pointer: z.string() }))
    .optional()
    .catch(undefined),
  response_metadata: z
    .looseObject({
      messages: z.array(z.string()).optional().catch(undefined),
      /** From the header `retry-after`, in seconds. */
      retryAfter: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Facts of an answer that is not `ok`. */
function answerFacts(data: unknown): FailureFacts {
  const answer = platformAnswer.safeParse(data).data;
  // For an answer that is not JSON, the "code" is the whole page.
  if (answer === undefined || !CODE.test(answer.error) || answer.error.search(TOKEN) !== -1) {
    return UNREADABLE;
  }
  const { error: code, needed, errors, response_metadata: metadata } = answer;
  if (RATE_LIMITED.has(code)) {
    return { class: 'refused', code, status: 429, ...wait(metadata?.retryAfter) };
  }
  const at = errors?.map(({ pointer }) => pointer).join(' ') ?? pointersIn(metadata?.messages);
  const detail = needed !== undefined ? `needs ${needed}` : at;
  return {
    class: MAY_HAVE_HAPPENED.has(code) ? 'ambiguous' : 'refused',
    code,
    status: 200,
    ...(detail && { detail: cleanLine(detail).replace(TOKEN, '[token]').slice(0, 300) }),
  };
}

/** Only the JSON pointers: the rest of such a message may echo what was sent. */
function pointersIn(messages: readonly string[] | undefined): string {
  const pointers = (messages ?? []).flatMap(
    (text) => text.match(/(?<![\w~/-])\/[\w~/-]+(?=\])/g) ?? [],
  );
  return pointers.join(' ');
}

/** Facts of a status other than 200 and 429. */
function httpFacts(status: number): FailureFacts {
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  return { class: isRefusal ? 'refused' : 'ambiguous', code: `http_${status}`, status };
}

function ambiguousCode(reason: unknown): string {
  const isUnreadable = reason instanceof SyntaxError || reason instanceof TypeError;
  return isUnreadable ? 'unreadable_answer' : 'unknown';
}

/** How long to wait, if Slack says so. */
function wait(seconds: number | undefined): Pick<FailureFacts, 'retryAfterMs'> {
  if (seconds === undefined) return {};
  return { retryAfterMs: Math.min(Math.max(seconds, 0) * 1000, MAX_RETRY_AFTER_MS) };
}
