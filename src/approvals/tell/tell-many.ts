import type { Core } from '../../core/core.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { type Applied, type Flow, type Named, STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import type { NewSignal } from '../../core/engine/put-record.ts';
import { signalPage } from '../../core/engine/signal-many.ts';
import { omit } from '../../core/lib/omit.ts';
import { isOpen } from '../../core/posts/post.ts';
import type { WantedPost } from '../../core/posts/post-calls.ts';
import { KNOWN_MS, type StoredRecord } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { routeList } from '../lists.ts';
import { type NoticePost, withNotices } from './notices.ts';

/**
 * A record whose changes concern many open requests: after every change they get a signal, page by page, and people get
 * messages. If a process dies, the next one continues: a request recognizes a signal by its id.
 */
interface Telling {
  /** The last change that not all open requests were told of; absent: none. Unique times identify changes. */
  readonly changedAt?: number;
  /** When to continue after the store was unavailable. */
  readonly notBefore?: number;
  readonly notices: readonly NoticePost[];
}

type NoticeOf<Data extends Telling> = Data['notices'][number];

/** How far they have been told of a change. */
export interface ToldSoFar {
  /** Routes that are left; in the first one, continue behind `after`. */
  readonly routes: readonly string[];
  readonly after?: string;
  /** Requests in an unavailable part of the store were missed. */
  readonly hasMissed?: true;
}

interface TellRequests {
  readonly kind: 'tell-requests';
  readonly changedAt: number;
}

type TellResult<Far> =
  | { readonly kind: 'told'; readonly told: Far }
  | { readonly kind: 'away' }
  | { readonly kind: 'ended' };

/** What a feature tells. */
interface TellMany<Data extends Telling, Own extends Named, Far extends ToldSoFar>
  extends Pick<Flow<Data, Own, Named>, 'kind' | 'decode' | 'encode' | 'listsOf' | 'receive'> {
  /** When its own time comes, and what changes then, without a call. */
  dues(data: Data, now: number): readonly Due<Own>[];
  change(data: Data, step: Own, now: number): Applied<Data>;
  /** How far they have been told of the change; whom to tell if it has just begun. Throws StoreError. */
  toldOf(data: Data, id: string, changedAt: number): Far | Promise<Far>;
  /** undefined: all of them. */
  withTold(data: Data, told: Far | undefined): Data;
  signal(id: string, changedAt: number): NewSignal;
  /** Absent: all requests of the routes. */
  isConcerned?(record: StoredRecord, told: Far): boolean | Promise<boolean>;
  wantedOf(data: Data, notice: NoticeOf<Data>): Pick<WantedPost, 'user' | 'names' | 'content'>;
  /** The notice was posted. */
  posted?(data: Data, notice: NoticeOf<Data>): Data;
}

/** How many requests are signalled in one step. */
const PAGE = 50;

export function createTellingFlow<Data extends Telling, Own extends Named, Far extends ToldSoFar>(
  core: Core,
  feature: TellMany<Data, Own, Far>,
) {
  /** Throws StoreError. */
  const tellPage = async (data: Data, id: string, changedAt: number): Promise<TellResult<Far>> => {
    const told = await feature.toldOf(data, id, changedAt);
    const [route, ...others] = told.routes;
    if (route === undefined) return { kind: 'told', told };
    const signal = feature.signal(id, changedAt);
    const piece = { limit: PAGE, after: told.after };
    const { next, hasMissed } = await signalPage(core, [routeList(route)], piece, async (record) =>
      (await feature.isConcerned?.(record, told)) === false ? undefined : signal,
    );
    const left = next === null ? { routes: others } : { after: next };
    const missed = hasMissed && { hasMissed: true as const };
    return { kind: 'told', told: { ...omit<ToldSoFar, Far>(told, 'after'), ...left, ...missed } };
  };

  const afterPage = (data: Data, result: TellResult<Far>, now: number): Data => {
    const later = { notBefore: now + STORE_AGAIN_MS };
    if (result.kind === 'away') return { ...data, ...later };
    if (result.kind !== 'told') return data;
    const { told } = result;
    const rest = omit<Telling, Data>(data, 'notBefore');
    if (told.routes.length > 0) return feature.withTold(rest, told);
    const all = feature.withTold(rest, undefined);
    return told.hasMissed ? { ...all, ...later } : omit<Telling, Data>(all, 'changedAt');
  };

  return withNotices<Data, TellRequests | Own, TellResult<Far>, NoticeOf<Data>>(core, {
    ...feature,
    // A command that is delivered again is known by its id.
    keepMs: KNOWN_MS,
    dues(data, now) {
      const { changedAt, notBefore = 0 } = data;
      const own = feature.dues(data, now);
      if (changedAt === undefined) return own;
      return [...own, now < notBefore ? notBefore : { kind: 'tell-requests', changedAt }];
    },
    // Requests read the change from the store: it is saved before they are signalled.
    markAttempt: (data, step) => (isTelling(step) ? { data } : undefined),
    async execute(data, step, id) {
      if (!isTelling(step)) return { kind: 'ended' };
      return unlessAway<TellResult<Far>>(tellPage(data, id, step.changedAt), { kind: 'away' });
    },
    apply(data, step, result, now) {
      if (!isTelling(step)) return feature.change(data, step, now);
      // After a further change they are signalled again from the start.
      return { data: data.changedAt === step.changedAt ? afterPage(data, result, now) : data };
    },
    // Another worker has signalled them, or will.
    isTooLate: isTelling,
    openNotices: ({ notices }) => notices,
    /** One that was posted, or given up, is removed. */
    withPost(data, notice, post) {
      const notices = data.notices.flatMap((each) => {
        if (each.post.name !== post.name) return [each];
        return isOpen(post) ? [{ ...each, post }] : [];
      });
      const after = post.ts === undefined ? data : feature.posted?.(data, notice);
      return { ...(after ?? data), notices };
    },
  });
}

function isTelling(step: Named): step is TellRequests {
  return step.kind === 'tell-requests';
}
