import type { IncomingMessage } from 'node:http';
import type { Route, Source } from '../config/config.ts';
import { signalRecord } from '../engine/signal-record.ts';
import { answerSource, UNAVAILABLE } from '../http/from-source.ts';
import { type JsonBody, parseJsonBody } from '../http/json-body.ts';
import { type FieldError, problem } from '../http/problem.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Route as HttpRoute, Parameters } from '../http/router.ts';
import { sourceFinder } from '../http/source-of.ts';
import type { Timers } from '../lib/timers.ts';
import type { SlackLinks } from '../slack/links.ts';
import { type Store, type StoredRecord, StoreError } from '../store/store.ts';
import { APPROVAL_KIND, type Approval, messagePost } from './approval.ts';
import { type AskDependencies, askApproval, uniqueKeyOf } from './ask-approval.ts';
import {
  type ApprovalRequest,
  approvalRequest,
  detailsOf,
  newSummary,
  summaryOf,
} from './intake-contract.ts';
import { isOpen } from './lists.ts';
import { type ApprovalSignal, encodeSignal } from './receive.ts';
import { decodeApproval } from './stored-approval.ts';

export interface IntakeDependencies extends AskDependencies {
  readonly store: Pick<Store, 'create' | 'find' | 'read' | 'signal'>;
  readonly sources: readonly Source[];
  readonly routes: readonly Route[];
  readonly links: Pick<SlackLinks, 'message'>;
  readonly newId: () => string;
  readonly timers: Timers;
  readonly onIntake: (result: string) => void;
}

/** Where automations hand over tokens and ask what became of them. */
export function intakeRoutes(dependencies: IntakeDependencies): HttpRoute[] {
  const { sources, now } = dependencies;
  const sourceOf = sourceFinder(sources);
  const answer = (
    request: IncomingMessage,
    handle: (source: Source, body: Buffer) => Promise<Reply>,
  ) => counted(dependencies, answerSource(request, { sourceOf, now }, handle));
  const known =
    (handle: KnownHandler) =>
    (request: IncomingMessage, { id }: Parameters) =>
      answer(request, (source) => knownApproval(dependencies, source, id ?? '', handle));
  return [
    {
      method: 'POST',
      path: '/v1/approvals',
      handle: (request) =>
        answer(request, (source, body) => {
          const contentType = request.headers['content-type'];
          return takeRequest(
            dependencies,
            source,
            parseJsonBody(contentType, body, approvalRequest),
          );
        }),
    },
    {
      method: 'GET',
      path: '/v1/approvals/:id',
      handle: known(async (id, approval) => {
        const { ts } = messagePost(approval);
        const { links } = dependencies;
        const permalink = ts === undefined ? undefined : links.message(approval.channel, ts);
        return jsonReply(200, detailsOf(id, approval, permalink));
      }),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/check',
      handle: known(async (id, approval) =>
        (await put(dependencies, id, { kind: 'check' }))
          ? jsonReply(202, summaryOf(id, approval))
          : NOT_FOUND,
      ),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/withdraw',
      handle: known((id, approval) => withdraw(dependencies, id, approval)),
    },
  ];
}

type KnownHandler = (id: string, approval: Approval) => Promise<Reply>;

/** What the store cannot do now is a 503: everything here is safe to send again. */
async function counted({ onIntake }: IntakeDependencies, work: Promise<Reply>): Promise<Reply> {
  const reply = await work.catch((error: unknown) => {
    if (error instanceof StoreError) return UNAVAILABLE;
    throw error;
  });
  onIntake(String(reply.status));
  return reply;
}

async function takeRequest(
  dependencies: IntakeDependencies,
  source: Source,
  body: JsonBody<ApprovalRequest>,
): Promise<Reply> {
  if (!body.ok) return body.reply;
  const where = placeFor(dependencies, source, body.value);
  if (where === undefined) return FORBIDDEN;
  const faults = reviewerFaults(where.route, body.value);
  // One that was sent in time is known, and may be sent again for as long as somebody likes.
  const isLate = isOver(body.value, dependencies.now());
  const late = isLate ? await dependencies.store.find(uniqueKeyOf(body.value.token)) : undefined;
  const errors = isLate && late === undefined ? [EXPIRED, ...faults] : faults;
  if (errors.length > 0) return problem({ status: 422, title: 'Invalid request body', errors });
  if (late !== undefined) return knownReply(source, late);
  const place = { route: where.route.name, channel: where.channel };
  const asked = await askApproval(dependencies, source, place, body.value);
  if (asked.record === undefined) return jsonReply(202, newSummary(asked.id));
  return knownReply(source, asked.record);
}

function knownReply(source: Source, record: StoredRecord): Reply {
  const known = decodeApproval(record);
  // What another source sent is not this one's to read.
  if (known.source !== source.id) return TAKEN;
  return jsonReply(200, summaryOf(record.id, known));
}

/** The route and channel this source may use; undefined: it may not. */
function placeFor(
  { routes }: IntakeDependencies,
  source: Source,
  { route: wanted, channel }: ApprovalRequest,
): { readonly route: Route; readonly channel: string } | undefined {
  if (!source.kinds.includes('approval')) return undefined;
  const name = wanted ?? source.routes[0];
  const route =
    name !== undefined && source.routes.includes(name)
      ? routes.find((each) => each.name === name)
      : undefined;
  if (route === undefined) return undefined;
  const isAllowed =
    channel === undefined || channel === route.channel || source.channels.includes(channel);
  return isAllowed ? { route, channel: channel ?? route.channel } : undefined;
}

/** An approval is there for the source that sent it alone. */
async function knownApproval(
  dependencies: IntakeDependencies,
  source: Source,
  id: string,
  handle: KnownHandler,
): Promise<Reply> {
  const record = await dependencies.store.read(id);
  if (record === undefined || record.kind !== APPROVAL_KIND) return NOT_FOUND;
  const approval = decodeApproval(record);
  return approval.source === source.id ? handle(id, approval) : NOT_FOUND;
}

/**
 * Takes the request back, and says how it stands then. Whoever holds its record takes the wish in;
 * while that holder sends an answer, nobody knows whether it is withdrawn.
 */
async function withdraw(
  dependencies: IntakeDependencies,
  id: string,
  approval: Approval,
): Promise<Reply> {
  if (!(await put(dependencies, id, { kind: 'withdraw' }))) return NOT_FOUND;
  // What will not be posted any more keeps nobody waiting behind it.
  if (isOpen(approval) && isQueued(approval, dependencies.now()))
    dependencies.queue.leave(approval.channel);
  let present = approval;
  for (const waitMs of CLOSING_MS) {
    await dependencies.timers.sleep(waitMs);
    const record = await dependencies.store.read(id);
    if (record === undefined) return NOT_FOUND;
    present = decodeApproval(record);
    if (isClosed(present)) break;
  }
  return jsonReply(202, summaryOf(id, present));
}

/** Waits for a withdrawal to be taken in: soon after a free record is, and 2 s in all. */
const CLOSING_MS = [5, 20, 75, 150, 250, 500, 1_000];

/** It is decided or withdrawn, and no answer of a person is on its way. */
function isClosed(approval: Approval): boolean {
  return !isOpen(approval) && approval.decision === undefined;
}

/** Puts a wish of the source into the record; false: there is none. */
async function put(
  dependencies: IntakeDependencies,
  id: string,
  wish: ApprovalSignal,
): Promise<boolean> {
  const signal = { id: dependencies.newId(), body: encodeSignal(wish) };
  return (await signalRecord(dependencies, id, signal)) === 'stored';
}

const FORBIDDEN = problem({
  status: 403,
  title: 'Forbidden',
  detail: 'This source cannot use that route or channel',
});
const TAKEN = problem({
  status: 409,
  title: 'Conflict',
  detail: 'Another source has already sent this token',
});
const NOT_FOUND = problem({ status: 404, title: 'Not found' });

const EXPIRED = { pointer: '/expiresAt', detail: 'is in the past' };

function isOver({ expiresAt }: ApprovalRequest, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

/** What a request asks of its route that the route can never give: nobody could decide it. */
function reviewerFaults(route: Route, request: ApprovalRequest): FieldError[] {
  const { users, groups, channel } = route.reviewers;
  // Who is in a group or a channel is known only at the click.
  if (groups.length > 0 || channel) return [];
  const wanted = request.reviewers?.users ?? [];
  const strangers = wanted.flatMap((user, at) =>
    users.includes(user)
      ? []
      : [{ pointer: `/reviewers/users/${at}`, detail: 'is not a reviewer of this route' }],
  );
  const narrowed = request.reviewers !== undefined && (request.reviewers.groups ?? []).length === 0;
  const people = narrowed ? new Set(wanted).size : users.length;
  const isTooMany = people > 0 && (request.quorum ?? 1) > people;
  return isTooMany
    ? [...strangers, { pointer: '/quorum', detail: 'is greater than the number of reviewers' }]
    : strangers;
}

/** Its message waits behind others in the channel, and has no slot yet: it joined the queue alone. */
function isQueued(approval: Approval, now: number): boolean {
  const { ts, attempt, slot, tries, notBefore = now } = messagePost(approval);
  const isUntouched = [ts, attempt, slot, tries].every((each) => each === undefined);
  return isUntouched && notBefore > now;
}
