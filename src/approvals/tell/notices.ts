import type { Core } from '../../core/core.ts';
import { type Due, firstDue } from '../../core/engine/first-due.ts';
import type { Flow, Named } from '../../core/engine/flow.ts';
import { duePost, type Post, type PostStep } from '../../core/posts/post.ts';
import {
  executePosting,
  type PostingResult,
  type WantedPost,
} from '../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../core/posts/post-transitions.ts';
import { lostUntil } from '../decision/store-rewind.ts';

/** A message that a record still has to post, for a week at most. */
export interface NoticePost {
  readonly at: number;
  readonly post: Post;
}

interface NoticeStep {
  readonly kind: PostStep;
  /** The post's. */
  readonly name: string;
  readonly plannedAt: number;
}

/** The rest of the flow of a record with notices. */
interface Noticing<Data, Step extends Named, Result extends Named, Of extends NoticePost>
  extends Omit<Flow<Data, Step, Result>, 'plan'> {
  /** What else is due: it comes before the notices. */
  dues(data: Data, now: number): readonly Due<Step>[];
  /** How long the record is kept when nothing is left. */
  readonly keepMs: number;
  /** Those to be posted now. */
  openNotices(data: Data): readonly Of[];
  withPost(data: Data, notice: Of, post: Post): Data;
  wantedOf(data: Data, notice: Of): Pick<WantedPost, 'user' | 'names' | 'content'>;
}

/** A message whose answer was lost is searched for before it is posted again. */
export function withNotices<Data, Step extends Named, Result extends Named, Of extends NoticePost>(
  core: Core,
  flow: Noticing<Data, Step, Result, Of>,
): Flow<Data, Step | NoticeStep, Result | PostingResult> {
  const { store, timing } = core;
  const noticeFor = (data: Data, { name }: NoticeStep) =>
    flow.openNotices(data).find(({ post }) => post.name === name);
  const due = ({ post, at }: Of, now: number): Due<NoticeStep> => {
    const lives = { servingSince: store.servingSince(), wentBackAt: store.wentBackAt(), timing };
    const kind = duePost(post, now, lostUntil({ createdAt: at }, lives));
    if (kind === null || typeof kind === 'number') return kind;
    return { kind, name: post.name, plannedAt: now };
  };
  return {
    ...flow,
    plan(data, now) {
      const others = flow.dues(data, now).map((each) => () => each);
      const notices = flow.openNotices(data).map((notice) => () => due(notice, now));
      return firstDue<Step | NoticeStep>([...others, ...notices], flow.keepMs);
    },
    markAttempt(data, step, now) {
      if (!isOfNotice(step)) return flow.markAttempt(data, step, now);
      const notice = noticeFor(data, step);
      if (step.kind !== 'post' || notice === undefined) return undefined;
      const begun = postBegun(notice.post, step, timing, now);
      return { data: flow.withPost(data, notice, begun), durable: true };
    },
    async execute(data, step, id) {
      if (!isOfNotice(step)) return flow.execute(data, step, id);
      const notice = noticeFor(data, step);
      if (notice === undefined) throw new Error('a notice is posted that the record has not');
      const { post, at } = notice;
      const metadata = { record: id, post: post.name };
      const wanted = { ...flow.wantedOf(data, notice), post, sinceAt: at, metadata };
      return executePosting(core, step.kind, wanted);
    },
    apply(data, step, result, now) {
      // as: the result belongs to the step
      if (!isOfNotice(step)) return flow.apply(data, step, result as Result, now);
      const notice = noticeFor(data, step);
      if (notice === undefined) return { data };
      const posted = result as PostingResult;
      const post = applyPosting(notice.post, step, posted, 'week', timing, now);
      return { data: flow.withPost(data, notice, post) };
    },
    isTooLate: (step) => !isOfNotice(step) && flow.isTooLate?.(step) === true,
  };
}

const POSTING: ReadonlySet<string> = new Set<PostStep>(['open', 'slot', 'find', 'post']);

function isOfNotice(step: Named): step is NoticeStep {
  return POSTING.has(step.kind);
}
