import { isFinal } from '../../../ask/contract/approval-details.ts';
import type { Route, Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { problem } from '../../core/http/problem.ts';
import { jsonReply, type Reply } from '../../core/http/reply.ts';
import { whenStoreFails } from '../../core/report-route.ts';
import type { StoredRecord } from '../../core/store/store.ts';
import {
  APPROVAL_KIND,
  type Approval,
  isOwnGate,
  messagePost,
  type Requester,
} from '../approval.ts';
import { statusOf } from '../decision/status.ts';
import { unread } from '../electorate/requester.ts';
import { routeNamed, routeTerms } from '../electorate/route-for.ts';
import { askersIn, provenRequester } from '../electorate/verified.ts';
import { decodeApproval } from '../stored-approval.ts';
import { addRequester, knownRequester, unverified } from './add-requester.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { detailsOf, newSummary, summaryOf } from './approval-view.ts';
import {
  askApproval,
  isSameRequest,
  newApproval,
  ownGateKey,
  requesterIn,
  uniqueKeyOf,
} from './ask-approval.ts';
import type { Take } from './contract-part.ts';
import { lookedUp } from './contract-parts.ts';
import { expiryFaults, reviewerFaults } from './request-faults.ts';
import { isOwn, proofOf, type Sender } from './sender.ts';
import { NOT_FOUND, putSourceRequest, withdraw } from './source-requests.ts';
import type { Waiting } from './waiting.ts';

/** What the intake works with. */
export interface IntakeCore extends Core {
  /** Waits for news of an approval. */
  readonly waiting: Waiting;
  /** Gatepost's own. */
  readonly version: string;
}

/**
 * What a source can do with approvals, whichever way its request came in: each call answers with an HTTP response, is
 * safe to repeat, and answers 503 when the store fails.
 */
export interface IntakeCalls {
  ask(sender: Sender, request: ApprovalRequest): Promise<Reply>;
  read(sender: Sender, id: string): Promise<Present>;
  /** Of an own gate. */
  readByKey(sender: Sender, key: string): Promise<Present>;
  /** Once it is over, after `waitMs`, or when this process shuts down. Whether the sender may read it is not checked. */
  wait(id: string, waitMs: number): Promise<Present>;
  /** Makes it due now. */
  check(sender: Sender, id: string): Promise<Reply>;
  withdraw(sender: Sender, id: string): Promise<Reply>;
  /** What a source sends about its approval. */
  take(sender: Sender, id: string, take: Take): Promise<Reply>;
}

export function intakeCalls(core: IntakeCore): IntakeCalls {
  const look = sharedLook(core);
  const known = (
    sender: Sender,
    find: () => Promise<StoredRecord | undefined>,
    handle: (id: string, approval: Approval) => Promise<Reply>,
  ): Promise<Reply> =>
    answered(async () => {
      const record = await find();
      const approval = ownApproval(sender, record);
      return record === undefined || approval === undefined
        ? NOT_FOUND
        : handle(record.id, approval);
    });
  const knownById = (
    sender: Sender,
    id: string,
    handle: (approval: Approval) => Promise<Reply>,
  ): Promise<Reply> =>
    known(
      sender,
      () => core.store.read(id),
      (_, approval) => handle(approval),
    );
  const read = async (
    sender: Sender,
    find: () => Promise<StoredRecord | undefined>,
  ): Promise<Present> => {
    let present: Omit<Present, 'reply'> = { isOver: true };
    const reply = await known(sender, find, (id, approval) => {
      present = { id, isOver: endsWait(approval) };
      return detailsReply(core, id, approval);
    });
    return { reply, ...present };
  };
  return {
    ask: (sender, request) => answered(() => takeRequest(core, sender, request)),
    read: (sender, id) => read(sender, () => core.store.read(id)),
    readByKey: (sender, key) =>
      read(sender, () =>
        core.store.find(ownGateKey({ source: sender.source, proof: proofOf(sender) }, key)),
      ),
    wait: (id, waitMs) =>
      whenOver(core, look, id, waitMs).catch((error: unknown) => ({
        reply: whenStoreFails(error),
        isOver: true,
      })),
    check: (sender, id) =>
      knownById(sender, id, async (approval) =>
        (await putSourceRequest(core, id, { kind: 'check' }))
          ? jsonReply(202, summaryOf(id, approval))
          : NOT_FOUND,
      ),
    withdraw: (sender, id) =>
      knownById(sender, id, async (approval) => {
        const present = await withdraw(core, id, approval);
        return present === undefined ? NOT_FOUND : jsonReply(202, summaryOf(id, present));
      }),
    take: (sender, id, take) =>
      knownById(sender, id, async (approval) => {
        const taken = await take(core, id, approval);
        return 'refused' in taken ? taken.refused : detailsReply(core, id, taken.approval);
      }),
  };
}

async function answered(call: () => Promise<Reply>): Promise<Reply> {
  return call().catch(whenStoreFails);
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
export interface Present {
  readonly reply: Reply;
  /** Of the request, if there is one. */
  readonly id?: string;
  /** Final or BLOCKED: there is nothing to wait for. */
  readonly isOver: boolean;
}

type Look = (id: string) => Promise<Present>;

/** Thousands may wait for one request: simultaneous callers share a read that begins after all of them asked. */
function sharedLook(core: Core): Look {
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

async function whenOver(
  { waiting, clock }: IntakeCore,
  look: Look,
  id: string,
  waitMs: number,
): Promise<Present> {
  const endAt = clock.monotonic() + waitMs;
  for (;;) {
    const leftMs = endAt - clock.monotonic();
    // Subscribe before reading, so that nothing is missed in between.
    const news = waiting.news(id, leftMs);
    const present = await look(id);
    if (present.isOver || leftMs <= 0 || waiting.isStopped) return present;
    await news;
  }
}

async function takeRequest(core: Core, sender: Sender, sent: ApprovalRequest): Promise<Reply> {
  const { source } = sender;
  if (core.config.service === null && !isOwnGate(sent)) return NO_SERVICE;
  const where = placeFor(core, source, sent);
  if ('forbidden' in where) return forbidden(where.forbidden);
  const read = await lookedUp(core, sent);
  if ('refused' in read) return read.refused;
  const { request } = read;
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
  // A source may have thousands.
  const isOwnChannel = (id: string) => id === route.channel || source.channels.includes(id);
  if (channel !== undefined && !isOwnChannel(channel)) {
    const own = [...new Set([route.channel, ...source.channels])];
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

/** An approval is visible only to whoever sent it. */
function ownApproval(sender: Sender, record: StoredRecord | undefined): Approval | undefined {
  if (record === undefined || record.kind !== APPROVAL_KIND) return undefined;
  const approval = decodeApproval(record);
  return isOwn(approval, sender) ? approval : undefined;
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
