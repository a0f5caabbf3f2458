import type { Core } from '../../core/core.ts';
import { problem } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { linkedUser } from '../electorate/requester.ts';

/** How long a source waits for Slack. */
const LOOKUP_MS = 2_000;

interface Naming {
  readonly reviewers?:
    | { readonly users?: string[] | undefined; readonly emails?: readonly string[] | undefined }
    | undefined;
}

/**
 * The request with the people of its reviewers' addresses last among the users, or why it is refused. Without an answer
 * from Slack nothing is stored: everybody on the route could decide it.
 */
export async function withReviewers<Request extends Naming>(
  core: Core,
  request: Request,
): Promise<{ readonly request: Request } | { readonly refused: Reply }> {
  const { reviewers } = request;
  const { users = [], emails = [] } = reviewers ?? {};
  if (emails.length === 0) return { request };
  try {
    const found = await Promise.all(emails.map((email) => userOf(core, email)));
    const errors = found.flatMap((user, at) =>
      user === undefined ? [{ pointer: `/reviewers/emails/${at}`, detail: NOBODY }] : [],
    );
    if (errors.length > 0) {
      return { refused: problem({ status: 422, title: 'Invalid request body', errors }) };
    }
    const all = [...users, ...found.flatMap((user) => user ?? [])];
    return { request: { ...request, reviewers: { ...reviewers, users: all } } };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return { refused: UNREAD };
  }
}

async function userOf({ config, lookup }: Core, email: string): Promise<string | undefined> {
  return linkedUser(config, { email }) ?? lookup.userByEmail(email, { deadlineMs: LOOKUP_MS });
}

const NOBODY =
  'is not the address of a member of this Slack workspace. identity.logins.email can say whose it is';
const UNREAD = problem({
  status: 503,
  title: 'Service unavailable',
  detail:
    'Slack did not answer, so the reviewers could not be looked up. Nothing was stored. It is safe to send the same request again',
  retryAfterS: 5,
});
