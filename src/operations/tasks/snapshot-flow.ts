import type { Core } from '../../core/core.ts';
import type { Planned } from '../../core/engine/attempt.ts';
import type { Applied, Flow, Plan } from '../../core/engine/flow.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { duePost, type Post, type PostStep } from '../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../core/posts/post-transitions.ts';
import type { TaskVersion } from '../../core/service/task.ts';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { bold, dateText } from '../../core/slack/text.ts';
import { ACTIONS } from './actions.ts';
import { counted, labelOf, titleOf } from './item.ts';
import { SNAPSHOT_DAYS } from './snapshot.ts';

export const SNAPSHOT_KIND = 'snapshot';

/** A reported item that is posted in a channel, with a button to move it, as stored. */
interface SnapshotPost {
  readonly v: 1;
  readonly source: string;
  readonly item: TaskVersion;
  /** Includes sub-items. */
  readonly count: number;
  readonly createdAt: number;
  readonly post: Post;
}

export function encodeSnapshotPost(snapshot: SnapshotPost): string {
  return JSON.stringify(snapshot);
}

function decodeSnapshotPost(text: string): SnapshotPost {
  // as: only `encodeSnapshotPost` writes it; other forms have another `v`, and are refused
  const snapshot = JSON.parse(text) as SnapshotPost;
  if (snapshot.v !== 1) throw new Error('a snapshot is stored in an unknown format');
  return snapshot;
}

/** A reported work item, with a button to move it. */
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

interface SnapshotStep extends Planned {
  readonly kind: PostStep;
}

/** A snapshot that could not be posted for this long is no longer useful. */
const GIVE_UP_MS = 86_400_000;
const KEEP_MS = SNAPSHOT_DAYS * 86_400_000;

/** How a snapshot is posted: once, and not when it is old. */
export function createSnapshotFlow(core: Core): Flow<SnapshotPost, SnapshotStep, PostingResult> {
  const { timing } = core;
  return {
    kind: SNAPSHOT_KIND,
    decode: decodeSnapshotPost,
    encode: encodeSnapshotPost,
    receive: (snapshot) => ({ data: snapshot }),
    plan,
    markAttempt: (snapshot, step, now) =>
      step.kind === 'post'
        ? {
            data: { ...snapshot, post: postBegun(snapshot.post, step, timing, now) },
            durable: true,
          }
        : undefined,
    execute: (snapshot, step, id) =>
      executePosting(core, step.kind, {
        post: snapshot.post,
        sinceAt: snapshot.createdAt,
        metadata: { record: id, post: 'message' },
        content: () => snapshotMessage(snapshot),
      }),
    apply: (snapshot, step, result, now) => applyStep(snapshot, step, result, timing, now),
  };
}

function plan(snapshot: SnapshotPost, now: number): Plan<SnapshotStep> {
  const next = duePost(snapshot.post, now);
  const isOld = snapshot.post.attempt === undefined && now > snapshot.createdAt + GIVE_UP_MS;
  if (next === null || isOld) return { kind: 'finish', keepMs: KEEP_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next, plannedAt: now } };
}

function applyStep(
  snapshot: SnapshotPost,
  step: SnapshotStep,
  result: PostingResult,
  timing: Timing,
  now: number,
): Applied<SnapshotPost> {
  const post = applyPosting(snapshot.post, step, result, 'taken', timing, now);
  if (post === snapshot.post) return { data: snapshot };
  const data = { ...snapshot, post };
  if (post.ts === undefined) return { data };
  const facts = { task: snapshot.item.id, channel: post.channel ?? '', ts: post.ts };
  return {
    data,
    audit: [{ action: 'tasks.snapshot.post', record: null, actor: snapshot.source, facts }],
  };
}
