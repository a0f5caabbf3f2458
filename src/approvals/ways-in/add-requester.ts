import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { problem } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import type { Approval, Requester } from '../approval.ts';
import { findRequester } from '../electorate/find-requester.ts';
import { askedThemselves } from '../electorate/own-request.ts';
import {
  isDecided,
  isOwnApproval,
  linkedUser,
  REQUESTERS_MAX,
  requestersOf,
  sameRequester,
  unread,
} from '../electorate/requester.ts';
import {
  APPROVED_BY_THEM,
  NOT_FOUND,
  putSourceRequest,
  waitUntilApplied,
} from './source-requests.ts';

/** How long a source waits for Slack where its requester has to be known. */
const LOOKUP_MS = 2_000;

/**
 * The requester of a new request on a route that demands a known one; otherwise why the request is refused. Without an
 * answer from Slack nothing is stored.
 */
export async function knownRequester(
  core: Core,
  named: Requester | undefined,
): Promise<
  | { readonly requester: Requester; readonly refused?: undefined }
  | { readonly requester?: undefined; readonly refused: Reply }
> {
  if (named === undefined) return { refused: REFUSED.missing };
  try {
    const { known, user } = await findRequester(core, named, LOOKUP_MS);
    if (!known) return { refused: named.proved ? UNLINKED : REFUSED[memberOf(named)] };
    return { requester: { ...named, ...(user !== undefined && { user }), known } };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return { refused: UNREAD };
  }
}

/** The member of `requestedBy` that says most. */
export function memberOf({
  user,
  login,
  email,
}: Requester): 'slackUser' | 'login' | 'email' | 'name' {
  if (user !== undefined) return 'slackUser';
  if (login !== undefined) return 'login';
  return email === undefined ? 'name' : 'email';
}

/**
 * Adds the requester of a request that is asked again, if it is another one: answers undefined once nobody can approve
 * it who asked for it, or why the source is refused. Safe to repeat.
 */
export async function addRequester(
  core: Core,
  id: string,
  approval: Approval,
  route: Route,
  named: Requester | undefined,
): Promise<Reply | undefined> {
  if (isOwnApproval(approval)) return APPROVED_BY_THEM;
  if (named === undefined) return undefined;
  if (isDecided(approval)) return approvedByRequester(core, id, approval, route, named);
  if (sameRequester(approval, named) !== undefined) return undefined;
  if (requestersOf(approval).length >= REQUESTERS_MAX) return TOO_MANY;
  const found = route.requester !== 'any' ? await knownRequester(core, named) : undefined;
  if (found?.refused !== undefined) return found.refused;
  const again = { requester: named };
  if (!(await putSourceRequest(core, id, { kind: 'check', again }))) return NOT_FOUND;
  const isAdded = (each: Approval) => isDecided(each) || sameRequester(each, named) !== undefined;
  const present = await waitUntilApplied(core, id, isAdded);
  if (present === undefined) return NOT_FOUND;
  if (!isAdded(present)) return BUSY;
  // It may have been decided just now, by whoever asked.
  return isDecided(present) ? approvedByRequester(core, id, present, route, named) : undefined;
}

/**
 * An approval by whoever asks for it must not open anything: the gate's message says so, and it is refused from then on.
 * Of a gate of the service, which has accepted it, only the message says so: see `identify-requester.ts`.
 */
async function approvedByRequester(
  core: Core,
  id: string,
  approval: Approval,
  route: Route,
  named: Requester,
): Promise<Reply | undefined> {
  const { outcome } = approval;
  if (outcome?.status !== 'APPROVED' || route.selfApproval === true) return undefined;
  const before = sameRequester(approval, named);
  const linked = linkedUser(core.config, named);
  // Who was known to have asked could not approve it, or everybody was told first.
  if (before?.known === true && (linked ?? before.user) === before.user) return undefined;
  const { by, for: places = {}, self } = outcome;
  const told = self?.isLate === true ? undefined : self?.by;
  const used = [...by, ...Object.values(places)].filter((user) => user !== told);
  try {
    const { user } = await findRequester(core, named, LOOKUP_MS);
    // A name, or a login that nobody is linked to, can be compared with nobody.
    if (user === undefined && named.email === undefined) return undefined;
    const asked = unread({ ...named, ...(user !== undefined && { user }) });
    const alone = { ...approval, requester: asked, alsoAskedBy: [] };
    const found = await Promise.all(
      used.map(async (each) => {
        try {
          return await askedThemselves(core, alone, each);
        } catch (error) {
          if (!(error instanceof RemoteFailure) || !NO_SUCH_PERSON.has(error.code)) throw error;
          // They have left Slack: what was stored with their ballot tells.
          const own = approval.ballots.filter((ballot) => ballot.user === each);
          const ids = [each, ...own.flatMap(({ alsoKnownAs = [] }) => alsoKnownAs)];
          return user !== undefined && ids.includes(user) ? 'yes' : 'no';
        }
      }),
    );
    const at = found.indexOf('yes');
    if (at < 0) return found.includes('unknown') ? PERHAPS_BY_THEM : undefined;
    const again = { requester: named, approvedBy: used[at] ?? '' };
    if (!(await putSourceRequest(core, id, { kind: 'check', again }))) return NOT_FOUND;
    await waitUntilApplied(core, id, isOwnApproval);
    return APPROVED_BY_THEM;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return UNCHECKED;
  }
}

export const TOO_MANY = conflict(
  `${REQUESTERS_MAX} people have already asked for this request. Use another key`,
);
const PERHAPS_BY_THEM = conflict(
  'This gate may have been approved by the person who asks for it. Ask with another key',
);

function conflict(detail: string): Reply {
  return problem({ status: 409, title: 'Conflict', detail });
}

/** Why a route that demands proof of who asks refuses the request; undefined: it does not. */
export function unverified(route: Route, proven: Requester | undefined): Reply | undefined {
  if (route.requester !== 'verified' || proven?.proved === 'started') return undefined;
  return UNVERIFIED[proven === undefined ? 'missing' : 'rerun'];
}

const HOW = 'This route requires a known requester';

function refusedAt(pointer: string, why: string): Reply {
  const errors = [{ pointer, detail: `${why}. ${HOW}` }];
  return problem({ status: 422, title: 'Invalid request body', errors });
}

const REFUSED = {
  missing: refusedAt(
    '/requestedBy',
    'is required: slackUser, email, or login and at of who started this',
  ),
  name: refusedAt('/requestedBy', 'has only a name: add slackUser, email, or login and at'),
  slackUser: refusedAt(
    '/requestedBy/slackUser',
    'is not the id of a full member of this Slack workspace',
  ),
  email: refusedAt(
    '/requestedBy/email',
    'is not the address of a full member of this Slack workspace. identity.logins.email can say whose it is',
  ),
  login: refusedAt(
    '/requestedBy/login',
    'is not linked with a full member of this Slack workspace. identity.logins can say whose it is, identity.robots that it is a robot',
  ),
} as const;

function refusedWhole(detail: string): Reply {
  const errors = [{ pointer: '', detail }];
  return problem({ status: 422, title: 'Invalid request body', errors });
}

const UNLINKED = refusedWhole(
  `the person whom the identity token names is not linked with a full member of this Slack workspace. identity.logins can say whose the login is, identity.robots that it is a robot. ${HOW}`,
);

const UNVERIFIED = {
  missing: refusedWhole(
    'the identity token does not say who started the run. This route requires proof of who asks',
  ),
  rerun: refusedWhole(
    'the identity token does not say who ran this again. This route requires proof of who asks: start a new run',
  ),
} as const;

const UNREAD = problem({
  status: 503,
  title: 'Service unavailable',
  detail:
    'Slack did not answer, so the requester could not be checked. Nothing was stored. It is safe to send the same request again',
  retryAfterS: 5,
});

const UNCHECKED = problem({
  status: 503,
  title: 'Service unavailable',
  detail:
    'It is approved, but Gatepost could not check whether the requester approved it. It is safe to send the same request again',
  retryAfterS: 5,
});

const BUSY = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'The requester is not added yet. It is safe to send the same request again',
  retryAfterS: 1,
});
