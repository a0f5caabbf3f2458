import { createHash } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { callResult, type Failed } from '../../../core/engine/call-result.ts';
import type { Flow, Plan } from '../../../core/engine/flow.ts';
import { patientWaitMs } from '../../../core/engine/patience.ts';
import { type NewSignal, signalRecord } from '../../../core/engine/put-record.ts';
import { signalPage } from '../../../core/engine/signal-many.ts';
import { type FailureFacts, isRefused, RemoteFailure } from '../../../core/lib/failure.ts';
import type { Timing } from '../../../core/lib/timing.ts';
import { StoreError } from '../../../core/store/store.ts';
import type { Approval } from '../../approval.ts';
import { isNews } from '../../decision/feature-hooks.ts';
import { requesterIds } from '../../electorate/requester.ts';
import { isPosted } from '../../tell/message/message-state.ts';
import { isEscalation } from '../../tell/message/reminder.ts';
import { type HomeChoice, homeView, noticeView, pagesOf } from './home-view.ts';
import { listForHome } from './list-requests.ts';
import { requestFacts } from './request-facts.ts';

/**
 * The Home tab of a person who opened it recently, as a record: published when they open it or press something on it
 * and, for a while afterwards, when something on it may have changed. Slack does not say when it is closed.
 */

export const HOME_KIND = 'home';

interface Home {
  readonly v: 1;
  readonly user: string;
  readonly choice: HomeChoice;
  /** Changes refresh it until then; one last refresh follows. */
  readonly freshUntil: number;
  /** When the first unpublished change arrived. */
  readonly wantedAt?: number;
  /** The person opened or pressed it: published without a slot. */
  readonly isAwaited?: true;
  readonly publishedAt?: number;
  /** A rate-limit slot is reserved. */
  readonly slot?: true;
  readonly notBefore?: number;
  readonly tries?: number;
  /** Changes on these routes refresh it. */
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
  | { readonly kind: 'done'; readonly routes: readonly string[] }
  | Failed;

/** Shared by all people: Slack allows about 100 a minute (tier 4). Nobody waits for a slot. */
const RATE = { intervalMs: 1_000, burst: 10, onlyNow: true } as const;
const TRIES_MAX = 5;

const TRYING = 'Gatepost could not load your requests. It keeps trying.';
const NOT_READ = 'Gatepost could not load your requests. Press Refresh in a minute.';

/** Shows a Home tab that was opened, or whose filter or page was changed. Throws RemoteFailure. */
export async function openHome(core: Core, user: string, choice: HomeChoice): Promise<void> {
  const { store, reconciler } = core;
  const data: Home = { v: 1, user, choice, ...opened(core, store.now()), routes: [] };
  try {
    for (let tries = 0; tries < 2; tries += 1) {
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
      const opening = { kind: 'open', choice } as const;
      if ((await signalHome(core, created.record.id, opening)) === 'stored') return;
      // It ended between the two calls: the next try creates a new one.
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    await core.homeTab.publish(user, noticeView(NOT_READ, choice));
  }
}

/**
 * Somebody pressed a button of a request on their Home tab: refreshes it a little later. `choice`: filters and pages,
 * if no longer stored.
 */
export async function pressedAtHome(core: Core, user: string, choice: HomeChoice): Promise<void> {
  try {
    const home = await core.store.find(keyOf(user));
    const isStored =
      home?.kind === HOME_KIND &&
      (await signalHome(core, home.id, { kind: 'pressed' })) === 'stored';
    if (!isStored) await openHome(core, user, choice);
  } catch (error) {
    // The press itself is stored, and Refresh shows the result.
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Refreshes a Home tab after a change, if it was opened recently. Throws StoreError. */
export async function refreshHome(core: Core, user: string): Promise<void> {
  const home = await core.store.find(keyOf(user));
  if (home?.kind === HOME_KIND) await signalHome(core, home.id, CHANGED);
}

/** Every signal has its own id: an equal one in the inbox may already belong to the publication in progress. */
function homeSignal({ random }: Core, signal: HomeSignal): NewSignal {
  return { id: random.uuid(), body: JSON.stringify(signal) };
}

function signalHome(core: Core, id: string, signal: HomeSignal): Promise<'missing' | 'stored'> {
  return signalRecord(core, id, homeSignal(core, signal));
}

const CHANGED: HomeSignal = { kind: 'changed' };

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

/** Shows more on a person's Home tab. Throws StoreError. */
export type HomePart = (core: Core, user: string) => Promise<readonly KnownBlock[]>;

export function createHomeFlow(
  core: Core,
  parts: readonly HomePart[] = [],
): Flow<Home, HomeStep, HomeResult> {
  return {
    kind: HOME_KIND,
    // as: only written here
    decode: (text) => JSON.parse(text) as Home,
    encode: (home) => JSON.stringify(home),
    listsOf: ({ user, routes }) => [homeOf(user), ...routes.map(homesOfRoute)],
    receive(home, { body }, now) {
      // as: only `signalHome` writes it
      const signal = JSON.parse(body) as HomeSignal;
      if (signal.kind === 'changed') return { data: { ...home, wantedAt: home.wantedAt ?? now } };
      const { notBefore, tries, ...rest } = home;
      const chosen = signal.kind === 'open' ? signal.choice : home.choice;
      // Wait a little, until the press is usually processed: until then the row would look unchanged.
      const wait = signal.kind === 'pressed' && { notBefore: now + core.timing.homeMs.gather };
      return { data: { ...rest, choice: chosen, ...opened(core, now), ...wait } };
    },
    plan: (home, now) => plan(home, core.timing, now),
    markAttempt: () => undefined,
    execute: async (home, step) =>
      step.kind === 'take-home-slot'
        ? { kind: 'slot', waitMs: await core.store.pace('home', RATE) }
        : callResult(publish(core, home, parts)),
    apply: (home, step, result, now) => ({ data: applied(home, step, result, now) }),
  };
}

function plan(home: Home, { homeMs }: Timing, now: number): Plan<HomeStep> {
  const { freshUntil, wantedAt, isAwaited, publishedAt = 0, slot, notBefore = 0 } = home;
  const lane = 'people';
  // A change may have been missed when a process died: publish one last time.
  const isLast = now >= freshUntil && publishedAt < freshUntil;
  const endsAt = freshUntil + homeMs.apart;
  if (!isAwaited && (now >= endsAt || (now >= freshUntil && !isLast))) {
    return { kind: 'finish', keepMs: 0 };
  }
  if (wantedAt === undefined && !isLast) return { kind: 'wait', until: freshUntil, lane };
  const from = Math.max(notBefore, isAwaited ? 0 : publishedAt + homeMs.apart);
  if (now < from) return { kind: 'wait', until: isAwaited ? from : Math.min(from, endsAt), lane };
  if (!isAwaited && slot === undefined) return { kind: 'step', step: { kind: 'take-home-slot' } };
  return { kind: 'step', step: { kind: 'publish-home', plannedAt: now } };
}

function applied(home: Home, step: HomeStep, result: HomeResult, now: number): Home {
  if (result.kind === 'slot') {
    return result.waitMs === 0
      ? { ...home, slot: true }
      : { ...home, notBefore: now + result.waitMs };
  }
  if (step.kind !== 'publish-home') return home;
  const { slot, notBefore, tries = 0, wantedAt, isAwaited, ...shown } = home;
  // Changes since then are published too.
  const later = wantedAt !== undefined && wantedAt > step.plannedAt;
  const rest = { ...shown, ...(later && { wantedAt, ...(isAwaited && { isAwaited }) }) };
  if (result.kind === 'done') return { ...rest, publishedAt: now, routes: result.routes };
  const { failure } = result;
  if (isLastTry(failure, tries)) return rest;
  const first = isAwaited ? 1_000 : 5_000;
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries, first, 60_000);
  return { ...home, tries: tries + 1, notBefore: now + waitMs };
}

function isLastTry(failure: FailureFacts, tries: number): boolean {
  return isRefused(failure) || tries >= TRIES_MAX;
}

async function publish(core: Core, home: Home, parts: readonly HomePart[]): Promise<HomeResult> {
  try {
    return await publishListing(core, home, parts);
  } catch (error) {
    if (error instanceof RemoteFailure && home.isAwaited) await sayTrouble(core, home, error.facts);
    throw error;
  }
}

/** Tells a waiting person that it failed: after the first try and after the last. */
async function sayTrouble(
  core: Core,
  { user, choice, tries }: Home,
  failure: FailureFacts,
): Promise<void> {
  const isLast = isLastTry(failure, tries ?? 0);
  if (!isLast && tries !== undefined) return;
  const notice = noticeView(isLast ? NOT_READ : TRYING, choice);
  await callResult(core.homeTab.publish(user, notice));
}

async function publishListing(
  core: Core,
  { user, choice }: Home,
  parts: readonly HomePart[],
): Promise<HomeResult> {
  const home = await listForHome(core, user, choice);
  const more = (await Promise.all(parts.map((part) => part(core, user)))).flat();
  const pages = pagesOf(home.listing, choice);
  const shown = pages.flatMap(({ requests }) => requests);
  const facts = await requestFacts(core, user, shown);
  const { sources } = core.config;
  await core.homeTab.publish(user, homeView(home, pages, choice, { ...facts, sources, more }));
  return { kind: 'done', routes: home.freshRoutes };
}

/** Refreshes the Home tabs that may show a changed request. */
export interface HomeNews {
  changed(approval: Approval): void;
}

const AT_ONCE = 50;
/**
 * With more Home tabs than this, only those opened last are refreshed: the others would have to wait minutes for slots.
 */
const TOLD_MAX = 100;

/** Collects changes, and signals them to all Home tabs that may show them. */
export function createHomeNews(core: Core): HomeNews {
  const lists = new Set<string>();
  let isTelling = false;
  const tell = async () => {
    while (lists.size > 0) {
      // By then the changes are saved.
      await core.timers.sleep(core.timing.homeMs.gather);
      const told = [...lists].slice(0, AT_ONCE);
      for (const list of told) lists.delete(list);
      let after: string | undefined;
      for (let count = 0; count < TOLD_MAX; count += AT_ONCE) {
        const piece = { after, limit: AT_ONCE, newestFirst: true };
        const page = await signalPage(core, told, piece, () => homeSignal(core, CHANGED));
        if (page.next === null) break;
        after = page.next;
      }
    }
  };
  return {
    changed(approval) {
      lists.add(homesOfRoute(approval.route));
      for (const user of requesterIds(approval)) lists.add(homeOf(user));
      if (isTelling) return;
      isTelling = true;
      tell()
        .catch((error: unknown) => {
          // The next change refreshes them, and so does their last refresh.
          core.logger.warn({ err: error }, 'could not refresh Home tabs after a change');
        })
        .finally(() => {
          isTelling = false;
        });
    },
  };
}

/** Whether the Home tab shows the two differently. */
export function changesHomeTab(before: Approval, after: Approval): boolean {
  return (
    before.outcome?.status !== after.outcome?.status ||
    isNews(before, after) ||
    before.withdrawnAt !== after.withdrawnAt ||
    before.ballots.length !== after.ballots.length ||
    before.watch.state !== after.watch.state ||
    (before.decision === undefined) !== (after.decision === undefined) ||
    (before.posts !== after.posts &&
      (isPosted(before) !== isPosted(after) || escalationsTold(before) !== escalationsTold(after)))
  );
}

/** Each escalation makes it wait for more people. */
function escalationsTold({ posts }: Approval): number {
  return posts.filter(({ name, ts }) => isEscalation(name) && ts !== undefined).length;
}
