import { createHash } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Flow, Plan } from '../../core/engine/flow.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { signalRecord } from '../../core/engine/put-record.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Approval } from '../approval.ts';
import { isPosted } from '../message/message-state.ts';
import { type HomeChoice, homeView, isChosen, noticeView, pagesOf } from './home-view.ts';
import { listForHome } from './list-requests.ts';
import { requestFacts } from './request-facts.ts';

/**
 * The Home tab of a person who looked at it lately, as a record: it is published when they open it or press something
 * on it, and, for a while after that, when something changes that it may show. Slack does not say when it is closed.
 */

export const HOME_KIND = 'home';

interface Home {
  readonly v: 1;
  readonly user: string;
  readonly choice: HomeChoice;
  /** It is kept fresh until then. */
  readonly freshUntil: number;
  /** Since when something else is to be shown. */
  readonly wantedAt?: number;
  /** Whoever looks waits for that. */
  readonly isAwaited?: true;
  readonly publishedAt?: number;
  /** It has its share of what is published without being asked for. */
  readonly slot?: true;
  readonly notBefore?: number;
  readonly tries?: number;
  /** What it may show requests of. */
  readonly routes: readonly string[];
}

type HomeSignal =
  | { readonly kind: 'open'; readonly choice: HomeChoice }
  | { readonly kind: 'pressed' }
  | { readonly kind: 'changed' };

type HomeStep =
  | { readonly kind: 'take-home-slot' }
  | { readonly kind: 'publish-home'; readonly plannedAt: number };

type HomeResult =
  | { readonly kind: 'slot'; readonly waitMs: number }
  /** Its slot would come when it is no longer kept fresh. */
  | { readonly kind: 'late' }
  | { readonly kind: 'done'; readonly routes: readonly string[] }
  | Failed;

/** For all people together: Slack takes about 100 a minute (tier 4). */
const RATE = { intervalMs: 1_000, burst: 10 } as const;
const TRIES_MAX = 5;

const TRYING = 'Gatepost could not read your requests just now, and keeps trying.';
const NOT_READ = 'Gatepost could not read your requests just now. Press Refresh in a minute.';

/** Shows somebody their Home tab: they opened it, or chose something else of it. Throws RemoteFailure. */
export async function openHome(core: Core, user: string, choice: HomeChoice): Promise<void> {
  const { store, reconciler } = core;
  const data: Home = { v: 1, user, choice, ...opened(core, store.now()), routes: [] };
  try {
    const created = await store.create(
      {
        kind: HOME_KIND,
        data: JSON.stringify(data),
        lane: 'people',
        dueInMs: 0,
        place: null,
        uniqueKey: keyOf(user),
      },
      { hold: reconciler.hasRoom },
    );
    if (created.kind === 'created') {
      if (created.held !== undefined) await reconciler.run(created.held);
      return;
    }
    await signalHome(core, created.record.id, { kind: 'open', choice });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    await core.homeTab.publish(user, noticeView(NOT_READ, choice));
  }
}

/** Somebody pressed something of a request on their Home tab: it is shown as it is then. */
export async function pressedAtHome(core: Core, user: string): Promise<void> {
  try {
    const home = await core.store.find(keyOf(user));
    if (home?.kind === HOME_KIND) await signalHome(core, home.id, { kind: 'pressed' });
  } catch (error) {
    // What they pressed is stored, and Refresh shows it.
    if (!(error instanceof StoreError)) throw error;
  }
}

async function signalHome(core: Core, id: string, signal: HomeSignal): Promise<void> {
  // One that waits there already says the same.
  const name = signal.kind === 'open' ? core.random.uuid() : signal.kind;
  await signalRecord(core, id, { id: name, body: JSON.stringify(signal) });
}

function keyOf(user: string): string {
  return createHash('sha256').update(`${HOME_KIND}\0${user}`).digest('base64url');
}

function opened({ timing }: Core, now: number) {
  return { freshUntil: now + timing.homeMs.fresh, wantedAt: now, isAwaited: true as const };
}

function homesOfRoute(route: string): string {
  return `home:${route}`;
}

function homeOf(user: string): string {
  return `home-of:${user}`;
}

export function createHomeFlow(core: Core): Flow<Home, HomeStep, HomeResult> {
  return {
    kind: HOME_KIND,
    // as: written here alone
    decode: (text) => JSON.parse(text) as Home,
    encode: (home) => JSON.stringify(home),
    listsOf: ({ user, routes }) => [homeOf(user), ...routes.map(homesOfRoute)],
    receive(home, { body }, now) {
      // as: written by `signalHome` alone
      const signal = JSON.parse(body) as HomeSignal;
      if (signal.kind === 'changed') return { data: { ...home, wantedAt: home.wantedAt ?? now } };
      const { notBefore, tries, ...rest } = home;
      const chosen = signal.kind === 'open' ? signal.choice : home.choice;
      return { data: { ...rest, choice: chosen, ...opened(core, now) } };
    },
    plan: (home, now) => plan(home, core.timing, now),
    markAttempt: () => undefined,
    execute: async (home, step) =>
      step.kind === 'take-home-slot' ? takeSlot(core, home) : callResult(publish(core, home)),
    apply: (home, step, result, now) => ({ data: applied(home, step, result, now) }),
  };
}

function plan(home: Home, { homeMs }: Timing, now: number): Plan<HomeStep> {
  const { freshUntil, wantedAt, isAwaited, publishedAt = 0, slot, notBefore = 0 } = home;
  const lane = 'people';
  if (wantedAt === undefined) {
    if (now < freshUntil) return { kind: 'wait', until: freshUntil, lane };
    return { kind: 'finish', keepMs: 0 };
  }
  const from = Math.max(notBefore, isAwaited ? 0 : publishedAt + homeMs.apart);
  if (now < from) return { kind: 'wait', until: from, lane };
  if (!isAwaited && slot === undefined) return { kind: 'step', step: { kind: 'take-home-slot' } };
  return { kind: 'step', step: { kind: 'publish-home', plannedAt: now } };
}

function applied(home: Home, step: HomeStep, result: HomeResult, now: number): Home {
  if (result.kind === 'slot') return { ...home, slot: true, notBefore: now + result.waitMs };
  if (result.kind === 'late') {
    const { wantedAt, ...kept } = home;
    return home.isAwaited ? home : kept;
  }
  if (step.kind !== 'publish-home') return home;
  const { slot, notBefore, tries = 0, wantedAt, isAwaited, ...shown } = home;
  // What was wanted since is published too.
  const later = wantedAt !== undefined && wantedAt > step.plannedAt;
  const rest = { ...shown, ...(later && { wantedAt, ...(isAwaited && { isAwaited }) }) };
  if (result.kind === 'done') return { ...rest, publishedAt: now, routes: result.routes };
  const { failure } = result;
  const isLasting = failure.class === 'refused' && failure.status !== 429;
  if (isLasting || tries >= TRIES_MAX) return rest;
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries, 1_000, 60_000);
  return { ...home, tries: tries + 1, notBefore: now + waitMs };
}

/** A slot that would come too late is left to others, so that none waits longer than a Home tab is kept fresh. */
async function takeSlot({ store }: Core, { freshUntil }: Home): Promise<HomeResult> {
  const waitMs = await store.pace(HOME_KIND, { ...RATE, onlyNow: true });
  if (waitMs === 0) return { kind: 'slot', waitMs };
  if (store.now() + waitMs >= freshUntil) return { kind: 'late' };
  return { kind: 'slot', waitMs: await store.pace(HOME_KIND, RATE) };
}

async function publish(core: Core, { user, choice, tries, ...of }: Home): Promise<HomeResult> {
  const home = await listForHome(core, user, isChosen(choice)).catch(async (error: unknown) => {
    const isToSay = error instanceof RemoteFailure && of.isAwaited && tries === undefined;
    if (isToSay) await core.homeTab.publish(user, noticeView(TRYING, choice));
    throw error;
  });
  const pages = pagesOf(home.listing, choice);
  const facts = await requestFacts(
    core,
    user,
    pages.flatMap(({ requests }) => requests),
  );
  const { sources } = core.config;
  await core.homeTab.publish(user, homeView(home, pages, choice, { ...facts, sources }));
  return { kind: 'done', routes: home.routes };
}

/** Tells the Home tabs that may show a request that it is not as before. */
export interface HomeNews {
  changed(approval: Approval): void;
}

const AT_ONCE = 50;

/** What changes is told for all people at once, and to some of them at a time. */
export function createHomeNews(core: Core): HomeNews {
  const lists = new Set<string>();
  let isTelling = false;
  const tell = async () => {
    while (lists.size > 0) {
      // By then what they are of is saved.
      await core.timers.sleep(core.timing.homeMs.gather);
      const told = [...lists];
      lists.clear();
      for (let after: string | undefined; ; ) {
        const { entries, next } = await core.store.list(told, { after, limit: AT_ONCE });
        for (const { record } of entries) await signalHome(core, record.id, { kind: 'changed' });
        if (next === null) break;
        after = next;
        await core.timers.sleep(core.timing.homeMs.gather);
      }
    }
  };
  return {
    changed({ route, requester }) {
      lists.add(homesOfRoute(route));
      if (requester?.user !== undefined) lists.add(homeOf(requester.user));
      if (isTelling) return;
      isTelling = true;
      tell()
        .catch((error: unknown) => {
          // The next change tells them, and Refresh.
          core.logger.warn({ err: error }, 'Home tabs could not be told of a change');
        })
        .finally(() => {
          isTelling = false;
        });
    },
  };
}

/** Whether the Home tab of somebody shows the two differently. */
export function isNews(before: Approval, after: Approval): boolean {
  return (
    before.outcome?.status !== after.outcome?.status ||
    before.withdrawnAt !== after.withdrawnAt ||
    before.ballots.length !== after.ballots.length ||
    (before.decision === undefined) !== (after.decision === undefined) ||
    (before.posts !== after.posts && isPosted(before) !== isPosted(after))
  );
}
