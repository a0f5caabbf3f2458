import type { Core } from '../../core/core.ts';
import { isOf } from '../../core/engine/attempt.ts';
import type { Failed } from '../../core/engine/call-result.ts';
import type { Applied, Flow, Plan } from '../../core/engine/flow.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { duePost, type Post, type PostStep } from '../../core/posts/post.ts';
import {
  findPosted,
  makePost,
  type NotFound,
  type Posted,
  takeSlot,
} from '../../core/posts/post-calls.ts';
import {
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  slotTaken,
} from '../../core/posts/post-transitions.ts';
import type { TaskVersion } from '../../core/service/task.ts';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { bold, dateText } from '../../core/slack/text.ts';
import { ACTIONS } from './actions.ts';
import { counted, labelOf, titleOf } from './item.ts';
import { SNAPSHOT_DAYS } from './snapshot.ts';

export const SNAPSHOT_KIND = 'snapshot';

/** A snapshot that is shown in a channel with a button to move it, as the store keeps it. */
interface SnapshotPost {
  readonly v: 1;
  readonly source: string;
  readonly item: TaskVersion;
  /** With its sub-items. */
  readonly count: number;
  readonly createdAt: number;
  readonly post: Post;
}

export function encodeSnapshotPost(snapshot: SnapshotPost): string {
  return JSON.stringify(snapshot);
}

function decodeSnapshotPost(text: string): SnapshotPost {
  // as: written by `encodeSnapshotPost` alone; another form has another `v`, and is refused
  const snapshot = JSON.parse(text) as SnapshotPost;
  if (snapshot.v !== 1) throw new Error('a snapshot is kept in a form that is not known');
  return snapshot;
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

interface SnapshotStep {
  readonly kind: Exclude<PostStep, 'open'>;
  readonly plannedAt: number;
}

type SnapshotStepResult =
  | { readonly kind: 'slot'; readonly waitMs: number }
  | NotFound
  | Posted
  | Failed;

const POST = 'message';
/** A snapshot that nobody could post for so long is of no use any more. */
const GIVE_UP_MS = 86_400_000;
const KEEP_MS = SNAPSHOT_DAYS * 86_400_000;

/** How a snapshot is posted: once, and not at all if Slack takes it only when it is old. */
export function createSnapshotFlow(
  core: Core,
): Flow<SnapshotPost, SnapshotStep, SnapshotStepResult> {
  const { timing } = core;
  return {
    kind: SNAPSHOT_KIND,
    decode: decodeSnapshotPost,
    encode: encodeSnapshotPost,
    placeOf: () => null,
    receive: (snapshot, { body }, now) => {
      // as: written by `resultSignal` alone
      const { step, result } = JSON.parse(body) as LateResult;
      return applyStep(snapshot, step, result, timing, now);
    },
    plan,
    markAttempt: (snapshot, step, now) =>
      step.kind === 'post'
        ? {
            data: { ...snapshot, post: postBegun(snapshot.post, step, timing, now) },
            durable: true,
          }
        : undefined,
    execute: (snapshot, step, id) => executeStep(core, id, snapshot, step),
    apply: (snapshot, step, result, now) => applyStep(snapshot, step, result, timing, now),
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

function plan(snapshot: SnapshotPost, now: number): Plan<SnapshotStep> {
  const next = duePost(snapshot.post, now);
  const isOld = snapshot.post.attempt === undefined && now > snapshot.createdAt + GIVE_UP_MS;
  if (next === null || next === 'open' || isOld) return { kind: 'finish', keepMs: KEEP_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next, plannedAt: now } };
}

function executeStep(
  core: Core,
  id: string,
  snapshot: SnapshotPost,
  step: SnapshotStep,
): Promise<SnapshotStepResult> {
  const { channel = '' } = snapshot.post;
  const metadata = { record: id, post: POST };
  switch (step.kind) {
    case 'slot':
      return takeSlot(core, channel);
    case 'find':
      return findPosted(core.outbox, {
        channel,
        sinceAt: snapshot.createdAt,
        matches: metadata,
      });
    case 'post':
      return makePost(core, { channel, ...snapshotMessage(snapshot), metadata });
  }
}

function applyStep(
  snapshot: SnapshotPost,
  step: SnapshotStep,
  result: SnapshotStepResult,
  timing: Timing,
  now: number,
): Applied<SnapshotPost> {
  const { post } = snapshot;
  // A late result: its message is known, or another holder tries anew.
  const isLate = post.ts !== undefined || (step.kind === 'post' && !isOf(step, post.attempt));
  if (isLate) return { data: snapshot };
  const data = { ...snapshot, post: nextPost(post, step, result, timing, now) };
  if (result.kind !== 'posted') return { data };
  const facts = { task: snapshot.item.id, channel: result.channel, ts: result.ts };
  return {
    data,
    audit: [{ action: 'tasks.snapshot.post', record: null, actor: snapshot.source, facts }],
  };
}

function nextPost(
  post: Post,
  step: SnapshotStep,
  result: SnapshotStepResult,
  timing: Timing,
  now: number,
): Post {
  switch (result.kind) {
    case 'slot':
      return slotTaken(post, result.waitMs, now);
    case 'posted':
      return postKnown(post, result.ts);
    case 'not-found':
      return searchedInVain(post, step, result, timing, now);
    case 'failed':
      if (step.kind === 'find') return searchedInVain(post, step, result, timing, now);
      return postFailed(post, result.failure, { isNeeded: true }, timing, now);
  }
}
