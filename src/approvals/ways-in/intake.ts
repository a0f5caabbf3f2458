/**
 * Ways in: requests over HTTP (this file), buttons and forms (`slack.ts`), lists and the Home tab (`list/`), absences
 * (`absence/`). They know everything below, and nothing below knows them.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Route, Source } from '../../core/config/config.ts';
import { canBeCovered } from '../../core/config/places.ts';
import type { RuleSettings } from '../../core/config/rules.ts';
import type { Core } from '../../core/core.ts';
import { answerSource, BODY_LIMIT, unavailable } from '../../core/http/from-source.ts';
import { type JsonBody, parseJsonBody } from '../../core/http/json-body.ts';
import { type FieldError, problem } from '../../core/http/problem.ts';
import { tooLarge } from '../../core/http/read-body.ts';
import { jsonReply, type Reply } from '../../core/http/reply.ts';
import type { Route as HttpRoute, Parameters } from '../../core/http/router.ts';
import { sourceFinder } from '../../core/http/source-of.ts';
import { type StoredRecord, StoreError } from '../../core/store/store.ts';
import {
  APPROVAL_KIND,
  type Approval,
  isOwnGate,
  messagePost,
  type Requester,
} from '../approval.ts';
import { isFinal, statusOf } from '../decision/status.ts';
import type { RequestRules } from '../electorate/clause.ts';
import { type Electorate, EVER, electorateOf } from '../electorate/electorate.ts';
import { linkedUser, unread } from '../electorate/requester.ts';
import { routeNamed, routeTerms } from '../electorate/route-for.ts';
import { askersIn, provenRequester } from '../electorate/verified.ts';
import { decodeApproval } from '../stored-approval.ts';
import { addRequester, knownRequester, memberOf, unverified } from './add-requester.ts';
import { type ApprovalRequest, approvalRequest } from './approval-request.ts';
import { detailsOf, newSummary, summaryOf, WAIT_MAX_S } from './approval-view.ts';
import {
  askApproval,
  GATE_MS,
  isSameRequest,
  newApproval,
  ownGateKey,
  requesterIn,
  uniqueKeyOf,
} from './ask-approval.ts';
import { namedIn } from './contract-part.ts';
import { faultsIn, PART_ROUTES, rulesIn, tooFewBy } from './contract-parts.ts';
import { ownKeyIn } from './own-key.ts';
import { isOwn, proofOf, type Sender } from './sender.ts';
import { NOT_FOUND, putSourceRequest, withdraw } from './source-requests.ts';
import type { Waiting } from './waiting.ts';

/** What the intake works with. */
export interface IntakeCore extends Core {
  /** Waits for news of an approval. */
  readonly waiting: Waiting;
}

/** The routes where automations send tokens or ask for own gates, and ask for the result. */
export function intakeRoutes(core: IntakeCore): HttpRoute[] {
  const { clock, metrics, callers } = core;
  const sourceOf = sourceFinder(core.config.sources);
  const onIntake = (result: string) => metrics.count('intake', { result });
  const look = sharedLook(core);
  const answer = (
    request: IncomingMessage,
    handle: (sender: Sender, body: Buffer) => Promise<Reply>,
    { id, limit }: { readonly id?: string; readonly limit?: number } = {},
  ) => {
    const callerOf = (headers: IncomingHttpHeaders) => callers.find(headers, id);
    const needs = { sourceOf, callerOf, clock, onIntake, limit };
    return answerSource(request, needs, (source, body, caller) =>
      handle({ source, caller }, body).catch(whenStoreFails),
    );
  };
  const known =
    (handle: KnownHandler) =>
    (request: IncomingMessage, { id = '' }: Parameters) =>
      answer(request, (sender) => knownApproval(core, sender, id, handle), { id });
  /** `id`: as the path names it, which a request key needs. */
  const get = async (request: IncomingMessage, find: Find, id?: string) => {
    const waitMs = waitMsOf(request.url ?? '');
    let open: string | undefined;
    const now = await answer(
      request,
      async (sender) => {
        const found = await find(sender);
        if (found !== undefined && 'status' in found) return found;
        return ownApproval(sender, found, async (own, approval) => {
          if (waitMs === undefined) return BAD_WAIT;
          if (!endsWait(approval)) open = own;
          return detailsReply(core, own, approval);
        });
      },
      id === undefined ? {} : { id },
    );
    // Waiting requests do not count as requests being answered.
    return open === undefined || !waitMs ? now : whenOver(core, look, open, waitMs);
  };
  return [
    {
      method: 'POST',
      path: '/v1/approvals',
      handle: (request) =>
        answer(
          request,
          (sender, body) => {
            const contentType = request.headers['content-type'];
            const parsed = parseJsonBody(contentType, body, approvalRequest);
            return takeRequest(core, sender, withinLimit(body, parsed));
          },
          { limit: REQUEST_LIMIT },
        ),
    },
    {
      method: 'GET',
      path: '/v1/approvals',
      handle: (request) =>
        get(request, (sender) => {
          const key = ownKeyIn(request.url ?? '');
          return key.ok
            ? core.store.find(
                ownGateKey({ source: sender.source, proof: proofOf(sender) }, key.value),
              )
            : key.reply;
        }),
    },
    {
      method: 'GET',
      path: '/v1/approvals/:id',
      handle: (request, { id = '' }) => get(request, () => core.store.read(id), id),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/check',
      handle: known(async (id, approval) =>
        (await putSourceRequest(core, id, { kind: 'check' }))
          ? jsonReply(202, summaryOf(id, approval))
          : NOT_FOUND,
      ),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/withdraw',
      handle: known(async (id, approval) => {
        const present = await withdraw(core, id, approval);
        return present === undefined ? NOT_FOUND : jsonReply(202, summaryOf(id, present));
      }),
    },
    ...PART_ROUTES.map(
      ({ path, read }): HttpRoute => ({
        method: 'POST',
        path,
        handle: (request, { id = '' }) =>
          answer(
            request,
            async (sender, body) => {
              const sent = read(request.headers['content-type'], body);
              if (!sent.ok) return sent.reply;
              return knownApproval(core, sender, id, async (_id, approval) => {
                const taken = await sent.value(core, id, approval);
                return 'refused' in taken ? taken.refused : detailsReply(core, id, taken.approval);
              });
            },
            { id },
          ),
      }),
    ),
  ];
}

/** For a whole request, in bytes: a change of 40,000 characters fits even if every one is escaped. */
const REQUEST_LIMIT = 512 * 1024;

/** Everything but the change has the usual limit, counted without escapes. */
function withinLimit(
  { length }: Buffer,
  body: JsonBody<ApprovalRequest>,
): JsonBody<ApprovalRequest> {
  if (length <= BODY_LIMIT || !body.ok) return body;
  const { change: _, ...others } = body.value;
  const bytes = Buffer.byteLength(JSON.stringify(others));
  if (bytes <= BODY_LIMIT) return body;
  const sizes = Object.entries(others).map(
    ([name, value]) => ({ name, size: Buffer.byteLength(JSON.stringify(value)) }) as const,
  );
  const { name } = sizes.reduce((one, other) => (other.size > one.size ? other : one));
  const reply = tooLarge(`Beside change, the body (mostly ${name})`, BODY_LIMIT, bytes);
  return { ok: false, reply };
}

/** undefined: not a number of seconds. Capped at the maximum. */
function waitMsOf(url: string): number | undefined {
  const wait = new URL(url, 'http://gatepost').searchParams.get('wait') ?? '0';
  return /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), WAIT_MAX_S) * 1_000 : undefined;
}

/** It is final, or could not be posted. */
export function endsWait(approval: Approval): boolean {
  const status = statusOf(approval);
  return isFinal(status) || status === 'BLOCKED';
}

async function detailsReply(core: Core, id: string, approval: Approval): Promise<Reply> {
  const { links, names } = core;
  const { ts } = messagePost(approval);
  const permalink = ts === undefined ? undefined : links.message(approval.channel, ts);
  const details = detailsOf(id, approval, permalink, routeTerms(core, approval));
  const { reviewers, ballots, withdrawnBy } = details;
  const { users = [], groups = [] } = reviewers ?? {};
  const people = [...users.slice(0, NAMED_MAX), ...ballots.map(({ user }) => user)];
  if (withdrawnBy !== undefined) people.push(withdrawnBy);
  return jsonReply(200, { ...details, names: await names({ users: people, groups }) });
}

/** Names are looked up for this many reviewers at most. */
const NAMED_MAX = 20;

/** The current answer for everyone who waits for the request. */
interface Present {
  readonly reply: Reply;
  readonly isOver: boolean;
}

type Look = (id: string) => Promise<Present>;

/** Thousands may wait for one request: simultaneous callers share a read that begins after all of them asked. */
export function sharedLook(core: Core): Look {
  const { store, timers } = core;
  const toRead = new Map<string, Promise<Present>>();
  const read = async (id: string): Promise<Present> => {
    await new Promise<void>((resolve) => void timers.after(0, resolve));
    // Later callers may know of something newer.
    toRead.delete(id);
    const record = await store.read(id);
    if (record === undefined) return { reply: NOT_FOUND, isOver: true };
    const approval = decodeApproval(record);
    return { reply: await detailsReply(core, id, approval), isOver: endsWait(approval) };
  };
  return (id) => {
    const present = toRead.get(id) ?? read(id);
    toRead.set(id, present);
    return present;
  };
}

/** The answer once it is over, after `waitMs`, or when this process shuts down. */
export async function whenOver(
  { waiting, clock }: IntakeCore,
  look: Look,
  id: string,
  waitMs: number,
): Promise<Reply> {
  const endAt = clock.monotonic() + waitMs;
  try {
    for (;;) {
      const leftMs = endAt - clock.monotonic();
      // Subscribe before reading, so that nothing is missed in between.
      const news = waiting.news(id, leftMs);
      const { reply, isOver } = await look(id);
      if (isOver || leftMs <= 0 || waiting.isStopped) return reply;
      await news;
    }
  } catch (error) {
    return whenStoreFails(error);
  }
}

/** The record that a request names, or why it names none. */
type Find = (sender: Sender) => Promise<StoredRecord | undefined> | Reply;

type KnownHandler = (id: string, approval: Approval) => Promise<Reply>;

/** When the store fails, the answer is 503: everything here is safe to send again. */
export function whenStoreFails(error: unknown): Reply {
  if (error instanceof StoreError) return unavailable(error);
  throw error;
}

export async function takeRequest(
  core: Core,
  sender: Sender,
  body: JsonBody<ApprovalRequest>,
): Promise<Reply> {
  if (!body.ok) return body.reply;
  const { source } = sender;
  const { value: request } = body;
  if (core.config.service === null && !isOwnGate(request)) return NO_SERVICE;
  const where = placeFor(core, source, request);
  if ('forbidden' in where) return forbidden(where.forbidden);
  const place = { route: where.route.name, channel: where.channel };
  const proof = proofOf(sender);
  const proven = provenRequester(proof);
  const unproved = unverified(where.route, proven);
  if (unproved !== undefined) return unproved;
  const askers = askersIn(proven, requesterIn(request));
  const errors = [
    ...expiryFaults(request, core.store.now()),
    ...reviewerFaults(where.route, request, askers[0], core.config),
  ];
  const mustBeKnown = where.route.requester !== 'any';
  // A known request is answered as before, whatever the route and the clock say now.
  const isToFind = errors.length > 0 || mustBeKnown;
  const known = isToFind ? await core.store.find(uniqueKeyOf(source, request, proof)) : undefined;
  if (errors.length > 0 && known === undefined)
    return problem({ status: 422, title: 'Invalid request body', errors });
  const found = mustBeKnown && known === undefined ? await allKnown(core, askers) : undefined;
  if (found?.refused !== undefined) return found.refused;
  const requesters = found?.requesters ?? askers.map(unread);
  const asked =
    known === undefined
      ? await askApproval(core, source, place, request, { requesters, proof })
      : { id: known.id, record: known };
  const requestKey = core.callers.requestKey(source, asked.id);
  const withKey = requestKey === undefined ? {} : { requestKey };
  if (asked.record === undefined) return jsonReply(202, { ...newSummary(asked.id), ...withKey });
  const approval = decodeApproval(asked.record);
  // A source cannot read other sources' requests.
  if (!isOwn(approval, sender)) return TAKEN;
  const again = await newApproval(core, source, place, request);
  if (!isSameRequest(approval, again)) return CHANGED[isOwnGate(request) ? 'key' : 'token'];
  for (const named of askers.length === 0 ? [undefined] : askers) {
    const refused = await addRequester(core, asked.id, approval, where.route, named);
    if (refused !== undefined) return refused;
  }
  return jsonReply(200, { ...summaryOf(asked.id, approval), ...withKey });
}

/** The same as `knownRequester`, for all who ask. */
async function allKnown(
  core: Core,
  askers: readonly Requester[],
): Promise<{ readonly requesters?: readonly Requester[]; readonly refused?: Reply }> {
  const all = askers.length === 0 ? [undefined] : askers;
  const found = await Promise.all(all.map((each) => knownRequester(core, each)));
  const refused = found.find((each) => each.refused !== undefined)?.refused;
  return refused === undefined
    ? { requesters: found.flatMap(({ requester }) => requester ?? []) }
    : { refused };
}

/** The route and channel of a request, or why the source cannot use them, and what it can use. */
function placeFor(
  core: Core,
  source: Source,
  { key, route: wanted, channel }: ApprovalRequest,
): { readonly route: Route; readonly channel: string } | { readonly forbidden: string } {
  const kind = isOwnGate({ key }) ? 'gate' : 'approval';
  if (!source.kinds.includes(kind)) return { forbidden: FORBIDDEN_KIND[kind] };
  const name = wanted ?? source.routes[0] ?? '';
  const route = source.routes.includes(name) ? routeNamed(core, name) : undefined;
  if (route === undefined) {
    const own = source.routes.join(', ') || 'none';
    return { forbidden: `This source cannot use that route. Its routes: ${own}` };
  }
  const own = [...new Set([route.channel, ...source.channels])];
  if (channel !== undefined && !own.includes(channel)) {
    return {
      forbidden: `This source cannot use that channel. Its channels on the route ${route.name}: ${own.join(', ')}`,
    };
  }
  return { route, channel: channel ?? route.channel };
}

const FORBIDDEN_KIND = {
  gate: 'This source cannot send own gates (key): it needs the kind gate.',
  approval: 'This source cannot send approvals of the service (token): it needs the kind approval.',
} as const;

function forbidden(detail: string): Reply {
  return problem({ status: 403, title: 'Forbidden', detail });
}

async function knownApproval(
  core: Core,
  sender: Sender,
  id: string,
  handle: KnownHandler,
): Promise<Reply> {
  return ownApproval(sender, await core.store.read(id), handle);
}

/** An approval is visible only to whoever sent it. */
async function ownApproval(
  sender: Sender,
  record: StoredRecord | undefined,
  handle: KnownHandler,
): Promise<Reply> {
  if (record === undefined || record.kind !== APPROVAL_KIND) return NOT_FOUND;
  const approval = decodeApproval(record);
  return isOwn(approval, sender) ? handle(record.id, approval) : NOT_FOUND;
}

const NO_SERVICE = problem({
  status: 422,
  title: 'Invalid request body',
  errors: [
    {
      pointer: '/token',
      detail:
        'belongs to a service, and none is configured (SERVICE_URL): send key for an own gate instead',
    },
  ],
});
const TAKEN = problem({
  status: 409,
  title: 'Conflict',
  detail: 'Another source has already sent this token',
});
export const CHANGED = {
  key: problem({
    status: 409,
    title: 'Conflict',
    detail: 'This key was sent before with other content: use another key for another request',
  }),
  token: problem({
    status: 409,
    title: 'Conflict',
    detail:
      'This token was sent before with another change, reviewers, quorum or need: send the same, or withdraw that request',
  }),
};
const BAD_WAIT = problem({
  status: 422,
  title: 'Invalid query',
  detail: 'wait must be a whole number of seconds',
});

function expiryFaults({ key, expiresAt }: ApprovalRequest, now: number): FieldError[] {
  const leftMs = expiresAt === undefined ? GATE_MS.usual : Date.parse(expiresAt) - now;
  const isFar = isOwnGate({ key }) && leftMs > GATE_MS.most;
  if (leftMs <= 0) return [{ pointer: '/expiresAt', detail: 'is in the past' }];
  return isFar ? [{ pointer: '/expiresAt', detail: 'is more than 30 days away' }] : [];
}

/**
 * Requirements that the route can never meet, as far as the people it names show: such a request would wait until its
 * deadline. The requester does not count, unless the route lets them decide.
 */
function reviewerFaults(
  route: Route,
  request: ApprovalRequest,
  asker: Requester | undefined,
  rules: RuleSettings,
): FieldError[] {
  const few = tooFew(route, request, asker, rules);
  return [...faultsIn(request, route), ...(few === undefined ? [] : [few])];
}

function tooFew(
  route: Route,
  request: ApprovalRequest,
  named: Requester = {},
  rules: RuleSettings,
): FieldError | undefined {
  const { key, quorum = 1 } = request;
  const asked = { quorum, ...(key !== undefined && { key }) };
  const electorateWith = (rules: RequestRules) =>
    // People it is escalated to later can still decide it.
    electorateOf({ ...asked, ...rules }, { route, asOf: EVER });
  const areEnough = (electorate: Electorate, without?: string) => {
    const people = decidersIn(electorate);
    return (
      (people === undefined ||
        people.filter((each) => each !== without).length >= electorate.quorum) &&
      canBeCovered(electorate.places, people, without)
    );
  };
  const electorate = electorateWith(rulesIn(request));
  const people = decidersIn(electorate);
  // On a route without reviewers nobody can decide anything, and its messages say so.
  if (people?.length === 0) return undefined;
  const asker = electorate.selfApproval ? undefined : (named.user ?? linkedUser(rules, named));
  if (areEnough(electorate, asker)) return undefined;
  if (people !== undefined && quorum > people.length) return TOO_FEW.quorum;
  if (areEnough(electorate)) {
    const pointer = named.proved === undefined ? `/requestedBy/${memberOf(named)}` : '';
    return { ...TOO_FEW.others, pointer };
  }
  return tooFewBy(request, (others) => areEnough(electorateWith(others)));
}

function decidersIn({ isNarrowed, asked, named }: Electorate): readonly string[] | undefined {
  return namedIn(isNarrowed ? asked : named);
}

const TOO_FEW = {
  quorum: { pointer: '/quorum', detail: 'is greater than the number of reviewers' },
  others: {
    pointer: '/requestedBy',
    detail: 'is a reviewer and cannot approve their own request, and there are too few others',
  },
} as const satisfies Record<string, FieldError>;
