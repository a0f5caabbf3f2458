import type { Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Proof } from '../../core/identity-tokens/proof.ts';
import { clip, lineCount } from '../../core/lib/clip.ts';
import { patientRedactor, redact } from '../../core/lib/redact.ts';
import type { NewRecord, StoredRecord } from '../../core/store/store.ts';
import { APPROVAL_KIND, type Approval, isOwnGate, type Requester } from '../approval.ts';
import { listsOf } from '../decision/lists-of.ts';
import { isRequesterKnown, KNOWN_FACT, unread } from '../electorate/requester.ts';
import { isVerified, VERIFIED_FACT } from '../electorate/verified.ts';
import { contextOf } from '../failure.ts';
import { firstPollAt } from '../schedule.ts';
import { encodeApproval } from '../stored-approval.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { askedIn, contentIn, rulesIn } from './contract-parts.ts';
import { hashed, ownNameOf } from './sender.ts';

interface AskedApproval {
  readonly id: string;
  /** The stored record, if the token or key was already known: nothing is posted again. */
  readonly record?: StoredRecord;
}

/**
 * Stores an approval durably, in one step, and starts posting it, or leaves that to its slot if other posts are queued
 * in the channel. Throws StoreError when it was not stored, or may not have been; it is safe to ask again with the same
 * token or key.
 */
export async function askApproval(
  core: Core,
  source: Source,
  where: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
  asked: Asked = { requesters: namedRequesters(request) },
): Promise<AskedApproval> {
  const { store, reconciler, queue } = core;
  const waitMs = queue.join(where.channel);
  let isNew = false;
  try {
    const approval = await newApproval(core, source, where, request, { waitMs, ...asked });
    const dueInMs = Math.min(waitMs, Math.max(0, approval.watch.nextAt - approval.createdAt));
    const uniqueKey = uniqueKeyOf(source, request, asked.proof);
    const record = newRecord(approval, { uniqueKey, dueInMs, proof: asked.proof });
    const created = await store.create(record, { hold: dueInMs === 0 && reconciler.hasRoom });
    if (created.kind === 'exists') return { id: created.record.id, record: created.record };
    isNew = true;
    if (created.held !== undefined) void reconciler.run(created.held);
    return { id: created.id };
  } finally {
    if (!isNew && waitMs > 0) queue.leave(where.channel);
  }
}

function newRecord(
  approval: Approval,
  {
    uniqueKey,
    dueInMs,
    proof,
  }: {
    readonly uniqueKey: string;
    readonly dueInMs: number;
    readonly proof: Proof | undefined;
  },
): NewRecord {
  const { source, route, channel, title } = approval;
  const named = title === undefined ? {} : { title: clip(title, TITLE_MAX)[0] };
  return {
    kind: APPROVAL_KIND,
    data: encodeApproval(approval),
    lane: 'people',
    dueInMs,
    place: { channel, message: null },
    uniqueKey,
    lists: listsOf(approval),
    audit: [
      {
        action: 'approvals.asked',
        record: null,
        actor: source,
        facts: { route, channel, ...named, ...knownFact(approval), ...proofFacts(approval, proof) },
      },
    ],
  };
}

/** In the audit log, which is kept much longer than the request. */
const TITLE_MAX = 150;

/** Whether it is known who asked; nothing while that is to be looked up. */
function knownFact(approval: Approval): Readonly<Record<string, boolean>> {
  const isToLookUp = approval.requester !== undefined && approval.requester.known === undefined;
  return isToLookUp ? {} : { [KNOWN_FACT]: isRequesterKnown(approval) };
}

/** What an identity token proves. */
function proofFacts(
  approval: Approval,
  proof: Proof | undefined,
): Readonly<Record<string, string | number | boolean>> {
  if (proof === undefined) return {};
  const { subject, repository, run, tokenId } = proof;
  return {
    subject,
    ...(repository !== undefined && { repository }),
    ...(run !== undefined && { run: run.id }),
    ...(run?.attempt !== undefined && { attempt: run.attempt }),
    ...(tokenId !== undefined && { tokenId }),
    [VERIFIED_FACT]: isVerified(approval),
  };
}

function namedRequesters(request: ApprovalRequest): readonly Requester[] {
  const named = requesterIn(request);
  return named === undefined ? [] : [unread(named)];
}

/** Earlier than any time of the store, which this process knows only approximately. */
const AT_ONCE = 0;

/**
 * Contains no secret, and does not depend on the keys, so that rotating them creates no duplicates. Keys and tokens are hashed with
 * different prefixes, so that no token can collide with a key.
 */
export function uniqueKeyOf(
  source: Source,
  { token, key = '' }: ApprovalRequest,
  proof?: Proof,
): string {
  if (token === undefined) return ownGateKey({ source, proof }, key);
  return hashed(`${APPROVAL_KIND}\0${token}`);
}

/** The unique key of an own gate: its name belongs to the source and, if that has identity tokens, the repository. */
export function ownGateKey(
  { source, proof }: { readonly source: Source; readonly proof: Proof | undefined },
  key: string,
): string {
  return hashed(ownNameOf('gate', source, key, proof));
}

/** The default and the longest time an own gate waits. */
export const GATE_MS = { usual: 86_400_000, most: 30 * 86_400_000 } as const;

/**
 * Whether a repeated key or token asks for the same. A key stands for everything that is decided, and where: all but
 * who asked, and for how long. A token stands for a gate of the service, whose texts may be reworded; exactly what is
 * approved, and by whom, must stay.
 */
export function isSameRequest(one: Approval, other: Approval): boolean {
  return isOwnGate(one) === isOwnGate(other) && contentOf(one) === contentOf(other);
}

function contentOf(approval: Approval): string {
  const { route, channel, title, message, fields = [], change, cutFrom, link, quorum } = approval;
  const asked = [change, cutFrom, quorum, ...contentIn(approval)];
  if (!isOwnGate(approval)) return JSON.stringify(asked);
  const pairs = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([...asked, route, channel, title, message, pairs, link]);
}

/** Who asks. */
export interface Asked {
  /** As far as they were looked up; whom an identity token names first. */
  readonly requesters: readonly Requester[];
  readonly proof?: Proof | undefined;
}

interface NewTerms extends Partial<Asked> {
  /** Until its message can be posted. */
  readonly waitMs?: number;
}

export async function newApproval(
  core: Core,
  source: Source,
  { route, channel }: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
  { waitMs = 0, requesters: [requester, ...alsoAskedBy] = [], proof }: NewTerms = {},
): Promise<Approval> {
  const { box, store, timing, timers } = core;
  const { token, key, title, message, change, cutFrom, fields, link } = request;
  const { quorum, expiresAt } = request;
  const search = patientRedactor(token === undefined ? [] : [token], () => timers.sleep(0));
  const clean = async (text: string | undefined) => text && (await search(text));
  const sourceName = await clean(source.name);
  const [cleanTitle, words] = [await clean(title), await clean(message)];
  const [cleanChange, cleanLink] = [await clean(change), await clean(link)];
  const pairs: (readonly [string, string])[] = [];
  for (const [name, value] of Object.entries(fields ?? {})) {
    pairs.push([await search(name), await search(value)]);
  }
  const createdAt = store.now();
  const usualAt = key === undefined ? undefined : createdAt + GATE_MS.usual;
  const deadlineAt = expiresAt === undefined ? usualAt : Date.parse(expiresAt);
  // Without a message, the service's is read before posting.
  const askAt = message === undefined ? AT_ONCE : firstPollAt(createdAt, timing, deadlineAt);
  const nextAt = key === undefined ? askAt : (deadlineAt ?? askAt);
  return {
    ...(token !== undefined && { token: box.seal(token, contextOf('token')) }),
    ...(key !== undefined && { key }),
    source: source.id,
    ...(sourceName !== undefined && { sourceName }),
    route,
    channel,
    createdAt,
    ...(cleanTitle !== undefined && { title: cleanTitle }),
    ...(words !== undefined && { message: words }),
    ...(cleanChange !== undefined && { change: cleanChange }),
    ...(cutFrom !== undefined && { cutFrom: { ...cutFrom, shown: lineCount(change ?? '') } }),
    ...(pairs.length > 0 && { fields: pairs }),
    // An address without the token would lead nowhere.
    ...(link !== undefined && cleanLink === link && { link }),
    ...(requester !== undefined && { requester }),
    ...(alsoAskedBy.length > 0 && { alsoAskedBy }),
    ...(proof !== undefined && { proof: recordedProof(proof) }),
    ...(quorum !== undefined && { quorum }),
    ...rulesIn(request),
    ...askedIn(request, { core, source, proof }),
    ...(deadlineAt !== undefined && { expiresAt: deadlineAt }),
    posts: [{ name: 'message', channel, ...(waitMs > 0 && { notBefore: createdAt + waitMs }) }],
    watch: { state: 'pending', nextAt },
    queue: [],
    ballots: [],
    replies: [],
  };
}

/** The requesters have the person. */
function recordedProof({
  person: _,
  tokenId: __,
  ...proof
}: Proof): NonNullable<Approval['proof']> {
  return proof;
}

/** The requester as named. */
export function requesterIn({
  requestedBy: by,
  token,
}: Pick<ApprovalRequest, 'requestedBy' | 'token'>): Requester | undefined {
  if (by === undefined) return undefined;
  const { name, email, slackUser, login, at } = by;
  const cleanName = name === undefined || token === undefined ? name : redact(name, [token]);
  return {
    ...(cleanName !== undefined && { name: cleanName }),
    ...(email !== undefined && { email }),
    ...(login !== undefined && at !== undefined && { login: { login, at } }),
    ...(slackUser !== undefined && { named: slackUser, user: slackUser }),
  };
}
