import { isOf } from '../engine/attempt.ts';
import type { Applied, Flow, Plan } from '../engine/flow.ts';
import { type Failed, settled } from '../engine/settled.ts';
import type { Timing } from '../lib/timing.ts';
import type { SlackMessage } from '../operations/report.ts';
import {
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  slotTaken,
} from '../posts/apply-post.ts';
import { makePost, type Posted, type PostNeeds, takeSlot } from '../posts/make-post.ts';
import { duePart, type Part, type PartStep } from '../posts/post.ts';
import type { Task } from '../service/task.ts';
import { actions, button, context, section } from '../slack/blocks.ts';
import type { Outbox } from '../slack/outbox.ts';
import { bold, dateText } from '../slack/text.ts';
import { ACTIONS } from './actions.ts';
import { counted, labelOf, titleOf } from './item.ts';
import { SNAPSHOT_DAYS } from './snapshot.ts';

export const SNAPSHOT_KIND = 'snapshot';

/** A snapshot that is shown in a channel with a button to move it, as the store keeps it. */
export interface SnapshotPost {
  readonly v: 1;
  readonly source: string;
  readonly item: Pick<Task, 'id' | 'key' | 'title' | 'updatedAt'>;
  /** With its sub-items. */
  readonly count: number;
  readonly createdAt: number;
  readonly part: Part;
}

export function encodeSnapshotPost(post: SnapshotPost): string {
  return JSON.stringify(post);
}

export function decodeSnapshotPost(text: string): SnapshotPost {
  // as: written by `encodeSnapshotPost` alone; a later form has another `v` and is migrated here
  const post = JSON.parse(text) as SnapshotPost;
  if (post.v !== 1) throw new Error('a snapshot is kept in a form that is not known');
  return post;
}

/** A work item as an automation reported it, with a button to move it. */
export function snapshotMessage({ item, count, createdAt }: SnapshotPost): SlackMessage {
  const label = labelOf(item);
  const title = titleOf(item, 300);
  const below = count > 1 ? `with ${counted(count - 1, 'sub-item')}` : 'without sub-items';
  const at = dateText(createdAt, new Date(createdAt).toISOString());
  return {
    text: title === '' ? `Work item ${label}` : `Work item ${label}: ${title}`,
    blocks: [
      section([bold(label), title].filter((each) => each !== '').join(' ')),
      context(`${below} · reported ${at}`),
      actions('tasks.snapshot', [button(ACTIONS.begin, 'Move…', item.id)]),
    ],
  };
}

export interface SnapshotStep {
  readonly kind: Exclude<PartStep, 'open'>;
  readonly plannedAt: number;
}

export type SnapshotStepResult =
  | { readonly kind: 'slot'; readonly waitMs: number }
  | { readonly kind: 'not-found' }
  | Posted
  | Failed;

export interface SnapshotFlowNeeds extends PostNeeds {
  readonly outbox: Pick<Outbox, 'post' | 'findByMetadata'>;
  readonly timing: Timing;
}

const PART = 'message';
/** A snapshot that nobody could post for so long is of no use any more. */
const GIVE_UP_MS = 86_400_000;
const KEEP_MS = SNAPSHOT_DAYS * 86_400_000;

/** How a snapshot is posted: once, and not at all if Slack takes it only when it is old. */
export function createSnapshotFlow(
  needs: SnapshotFlowNeeds,
): Flow<SnapshotPost, SnapshotStep, SnapshotStepResult> {
  const { timing } = needs;
  return {
    kind: SNAPSHOT_KIND,
    decode: decodeSnapshotPost,
    encode: encodeSnapshotPost,
    placeOf: () => null,
    receive: (post, { body }, now) => {
      // as: written by `resultSignal` alone
      const { step, result } = JSON.parse(body) as LateResult;
      return fold(post, step, result, timing, now);
    },
    plan,
    markAttempt: (post, step, now) =>
      step.kind === 'post'
        ? { data: { ...post, part: postBegun(post.part, step, timing, now) }, durable: true }
        : undefined,
    execute: (post, step, id) => perform(needs, id, post, step),
    apply: (post, step, result, now) => fold(post, step, result, timing, now),
    resultSignal: (step, result) => JSON.stringify({ step, result } satisfies LateResult),
    describe: (step, result) => ({
      step: `snapshot-${step.kind}`,
      result: result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

interface LateResult {
  readonly step: SnapshotStep;
  readonly result: SnapshotStepResult;
}

function plan(post: SnapshotPost, now: number): Plan<SnapshotStep> {
  const next = duePart(post.part, now);
  const isOld = post.part.attempt === undefined && now > post.createdAt + GIVE_UP_MS;
  if (next === null || next === 'open' || isOld) return { kind: 'finish', keepMs: KEEP_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next, plannedAt: now } };
}

function perform(
  needs: SnapshotFlowNeeds,
  id: string,
  post: SnapshotPost,
  step: SnapshotStep,
): Promise<SnapshotStepResult> {
  const { channel = '' } = post.part;
  const metadata = { record: id, part: PART };
  switch (step.kind) {
    case 'slot':
      return takeSlot(needs, channel);
    case 'find': {
      const search = { channel, sinceAt: post.createdAt, matches: metadata };
      const found = needs.outbox.findByMetadata(search);
      return settled(
        found.then((ts) =>
          ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts },
        ),
      );
    }
    case 'post':
      return makePost(needs, { channel, ...snapshotMessage(post), metadata });
  }
}

function fold(
  post: SnapshotPost,
  step: SnapshotStep,
  result: SnapshotStepResult,
  timing: Timing,
  now: number,
): Applied<SnapshotPost> {
  const { part } = post;
  // A late result: its message is known, or another holder tries anew.
  const isLate = part.ts !== undefined || (step.kind === 'post' && !isOf(step, part.attempt));
  if (isLate) return { data: post };
  const data = { ...post, part: nextPart(part, step, result, timing, now) };
  if (result.kind !== 'posted') return { data };
  const facts = { task: post.item.id, channel: result.channel, ts: result.ts };
  return {
    data,
    audit: [{ action: 'tasks.snapshot.post', record: null, actor: post.source, facts }],
  };
}

function nextPart(
  part: Part,
  step: SnapshotStep,
  result: SnapshotStepResult,
  timing: Timing,
  now: number,
): Part {
  switch (result.kind) {
    case 'slot':
      return slotTaken(part, result.waitMs, now);
    case 'posted':
      return postKnown(part, result.ts);
    case 'not-found':
      return searchedInVain(part, step, result, timing, now);
    case 'failed':
      if (step.kind === 'find') return searchedInVain(part, step, result, timing, now);
      return postFailed(part, result.failure, { isNeeded: true }, timing, now);
  }
}
