import { hash } from 'node:crypto';
import type { NamedPeople, Need, Source } from '../core/config/config.ts';
import type { Core } from '../core/core.ts';
import { lineCount } from '../core/lib/clip.ts';
import { redactor } from '../core/lib/redact.ts';
import type { NewRecord, StoredRecord } from '../core/store/store.ts';
import { APPROVAL_KIND, type Approval, isOwnGate, type Superseding } from './approval.ts';
import { contextOf } from './failure.ts';
import type { ApprovalRequest } from './intake-contract.ts';
import { listsOf } from './lists.ts';
import { firstPollAt } from './schedule.ts';
import { encodeApproval } from './stored-approval.ts';

interface AskedApproval {
  readonly id: string;
  /** As it is kept, where the token or the key is known already: nothing is posted again. */
  readonly record?: StoredRecord;
}

/**
 * Takes a token, or an own gate: stores the approval durably, in one step, and begins to post it, or leaves that for
 * its slot where many are posted before it. Throws StoreError when it could not be stored, or nobody
 * can tell; asking again with the same token or key is safe.
 */
export async function askApproval(
  core: Core,
  source: Source,
  where: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
): Promise<AskedApproval> {
  const { store, reconciler, queue } = core;
  const waitMs = queue.join(where.channel);
  let isNew = false;
  try {
    const approval = newApproval(core, source, where, request, waitMs);
    const dueInMs = Math.min(waitMs, Math.max(0, approval.watch.nextAt - approval.createdAt));
    const record = newRecord(approval, uniqueKeyOf(source, request), dueInMs);
    const created = await store.create(record, { hold: dueInMs === 0 && reconciler.hasRoom });
    if (created.kind === 'exists') return { id: created.record.id, record: created.record };
    isNew = true;
    if (created.held !== undefined) void reconciler.run(created.held);
    return { id: created.id };
  } finally {
    if (!isNew && waitMs > 0) queue.leave(where.channel);
  }
}

function newRecord(approval: Approval, uniqueKey: string, dueInMs: number): NewRecord {
  const { source, route, channel } = approval;
  return {
    kind: APPROVAL_KIND,
    data: encodeApproval(approval),
    lane: 'people',
    dueInMs,
    place: { channel, message: null },
    uniqueKey,
    lists: listsOf(approval),
    audit: [{ action: 'approvals.asked', record: null, actor: source, facts: { route, channel } }],
  };
}

/** Before any time of the store, of which this process knows only about what it is. */
const AT_ONCE = 0;

/**
 * No secret, and independent of the keys, so that rotating them asks nobody twice. 132 bits of a hash:
 * two tokens never share them, and each approval keeps them twice. What is hashed begins differently for
 * keys, so that no token can stand for one.
 */
export function uniqueKeyOf({ id }: Source, { token, key }: ApprovalRequest): string {
  const name = token === undefined ? `gate\0${id}\0${key}` : `${APPROVAL_KIND}\0${token}`;
  return hashed(name);
}

export function hashed(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 22);
}

/** How long an own gate waits that does not say, and how long it can. */
export const GATE_MS = { usual: 86_400_000, most: 30 * 86_400_000 } as const;

/**
 * Whether a key or token that is sent again asks for the same. A key names everything that is decided, and where:
 * all but who asked, and for how long. A token names a gate of the service, whose words may be put otherwise;
 * what exactly is approved, and by whom, stays.
 */
export function isSameRequest(one: Approval, other: Approval): boolean {
  return isOwnGate(one) === isOwnGate(other) && contentOf(one) === contentOf(other);
}

function contentOf(approval: Approval): string {
  const { route, channel, title, message, fields = [], change, cutFrom, link, quorum } = approval;
  const { users = [], groups = [] } = approval.narrowedTo ?? {};
  const needs = approval.needs?.map(sortedNeed).toSorted();
  // Without needs as before there were any.
  const who = [
    users.toSorted(),
    groups.toSorted(),
    quorum,
    ...(needs === undefined ? [] : [needs]),
  ];
  const asked = [change, cutFrom, ...who];
  if (!isOwnGate(approval)) return JSON.stringify(asked);
  const pairs = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([...asked, route, channel, title, message, pairs, link]);
}

function sortedNeed({ name, of: { users, groups }, count }: Need): string {
  return JSON.stringify([name, count, users.toSorted(), groups.toSorted()]);
}

export function newApproval(
  core: Core,
  source: Source,
  { route, channel }: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
  waitMs = 0,
): Approval {
  const { box, store, timing } = core;
  const { token, key, title, message, change, cutFrom, fields, link } = request;
  const { requestedBy, reviewers, quorum, need = [], supersedes, expiresAt } = request;
  const clean = token === undefined ? (text: string) => text : redactor([token]);
  const createdAt = store.now();
  const usualAt = key === undefined ? undefined : createdAt + GATE_MS.usual;
  const deadlineAt = expiresAt === undefined ? usualAt : Date.parse(expiresAt);
  // Without words of its own the service's are wanted before anything is posted.
  const askAt = message === undefined ? AT_ONCE : firstPollAt(createdAt, timing, deadlineAt);
  const nextAt = key === undefined ? askAt : (deadlineAt ?? askAt);
  const pairs = Object.entries(fields ?? {}).map(([k, v]) => [clean(k), clean(v)] as const);
  return {
    ...(token !== undefined && { token: box.seal(token, contextOf('token')) }),
    ...(key !== undefined && { key }),
    source: source.id,
    ...(source.name !== undefined && { sourceName: clean(source.name) }),
    route,
    channel,
    createdAt,
    ...(title !== undefined && { title: clean(title) }),
    ...(message !== undefined && { message: clean(message) }),
    ...(change !== undefined && { change: clean(change) }),
    ...(cutFrom !== undefined && { cutFrom: { ...cutFrom, shown: lineCount(change ?? '') } }),
    ...(pairs.length > 0 && { fields: pairs }),
    // What is left of an address without the token leads nowhere.
    ...(link !== undefined && clean(link) === link && { link }),
    ...(requestedBy !== undefined && { requester: requesterOf(requestedBy, clean) }),
    ...(reviewers !== undefined && { narrowedTo: namedIn(reviewers) }),
    ...(quorum !== undefined && { quorum }),
    ...(need.length > 0 && {
      needs: need.map(needIn),
    }),
    ...(supersedes !== undefined && { supersedes: supersedingOf(core, source, supersedes) }),
    ...(deadlineAt !== undefined && { expiresAt: deadlineAt }),
    posts: [{ name: 'message', channel, ...(waitMs > 0 && { notBefore: createdAt + waitMs }) }],
    watch: { state: 'pending', nextAt },
    queue: [],
    ballots: [],
    replies: [],
  };
}

/** What the source calls its requests may hold the token: kept is its hash. */
function supersedingOf({ store, random }: Core, { id }: Source, name: string): Superseding {
  const at = String(Math.floor(store.now())).padStart(15, '0');
  return { name: hashed(`supersedes\0${id}\0${name}`), order: `${at}.${random.uuid()}` };
}

export function needIn({ of, ...rest }: NonNullable<ApprovalRequest['need']>[number]): Need {
  return { ...rest, of: namedIn(of) };
}

export function namedIn({ users = [], groups = [] }: Named): NamedPeople {
  return { users, groups };
}

type Named = NonNullable<ApprovalRequest['reviewers']>;

function requesterOf(
  { name, email, slackUser }: NonNullable<ApprovalRequest['requestedBy']>,
  clean: (text: string) => string,
) {
  return {
    ...(name !== undefined && { name: clean(name) }),
    ...(email !== undefined && { email }),
    ...(slackUser !== undefined && { user: slackUser }),
  };
}
