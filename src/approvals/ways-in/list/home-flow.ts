import type { KnownBlock } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { callResult, type Failed } from '../../../core/engine/call-result.ts';
import type { Flow, Plan } from '../../../core/engine/flow.ts';
import { patientWaitMs } from '../../../core/engine/patience.ts';
import { type FailureFacts, isRefused, RemoteFailure } from '../../../core/lib/failure.ts';
import type { Timing } from '../../../core/lib/timing.ts';
import { StoreError } from '../../../core/store/store.ts';
import { HOME_KIND, type HomeSignal, homeKey, signalHome } from '../../tell/refresh-home.ts';
import { type HomeChoice, homeView, noticeView, pagesOf } from './home-view.ts';
import { listForHome } from './list-requests.ts';
import { requestFacts } from './request-facts.ts';

/**
 * A person's Home tab, as a record: published when they open it or press something on it, and once more when a request
 * that they pressed there is decided or gets its result. It remembers what they chose to see for a while, because Slack
 * does not say when the tab is closed.
 */

interface Home {
  readonly v: 1;
  readonly user: string;
  readonly choice: HomeChoice;
  /** The person opened it, and nothing was published since. */
  readonly wantedAt?: number;
  /** When to publish it because of a press: a little later, once its result is usually stored. */
  readonly againAt?: number;
  /** At the latest, however many changes follow. */
  readonly againBy?: number;
  /** The person opened or pressed it, and is told if it fails. */
  readonly isAwaited?: true;
  /** Failures in a row, and when to try again. */
  readonly tries?: number;
  readonly notBefore?: number;
}

type Signal = HomeSignal<HomeChoice>;

interface PublishHome {
  readonly kind: 'publish-home';
  readonly plannedAt: number;
}

type HomeResult = { readonly kind: 'done' } | Failed;

const TRIES_MAX = 5;

const TRYING = 'Gatepost could not load your requests. It keeps trying.';
const NOT_READ = 'Gatepost could not load your requests. Press Refresh in a minute.';

/** Shows a Home tab that was opened, or whose filter or page was changed. Throws RemoteFailure. */
export async function openHome(core: Core, user: string, choice: HomeChoice): Promise<void> {
  try {
    await want(core, user, { kind: 'open', choice });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    await core.homeTab.publish(user, noticeView(NOT_READ, choice));
  }
}

/**
 * Somebody pressed something on their Home tab: refreshes it a little later. `choice`: filters and pages, if no longer
 * stored.
 */
export async function pressedAtHome(core: Core, user: string, choice: HomeChoice): Promise<void> {
  try {
    await want(core, user, { kind: 'pressed', choice });
  } catch (error) {
    // The press itself is stored, and Refresh shows the result.
    if (!(error instanceof StoreError)) throw error;
  }
}

async function want(
  core: Core,
  user: string,
  signal: Exclude<Signal, { readonly kind: 'changed' }>,
): Promise<void> {
  const { store, reconciler, timing } = core;
  const fresh: Home = { v: 1, user, choice: signal.choice };
  const data = received(fresh, signal, timing, store.now());
  for (let tries = 0; tries < 2; tries += 1) {
    const created = await store.create(
      {
        kind: HOME_KIND,
        data: encodeHome(data),
        lane: 'people',
        dueInMs: 0,
        place: null,
        uniqueKey: homeKey(user),
      },
      { hold: reconciler.hasRoom },
    );
    if (created.kind === 'created') {
      if (created.held !== undefined) await reconciler.run(created.held);
      return;
    }
    if ((await signalHome(core, created.record.id, signal)) === 'stored') return;
    // It ended between the two calls: the next try creates a new one.
  }
}

/** Shows more on a person's Home tab. Throws StoreError. */
export type HomePart = (core: Core, user: string) => Promise<readonly KnownBlock[]>;

export function createHomeFlow(
  core: Core,
  parts: readonly HomePart[] = [],
): Flow<Home, PublishHome, HomeResult> {
  const { timing } = core;
  return {
    kind: HOME_KIND,
    // as: only written here
    decode: (text) => JSON.parse(text) as Home,
    encode: encodeHome,
    // as: only `signalHome` writes it
    receive: (home, { body }, now) => ({
      data: received(home, JSON.parse(body) as Signal, timing, now),
    }),
    plan: (home, now) => plan(home, timing, now),
    markAttempt: () => undefined,
    execute: (home) => callResult(publish(core, home, parts)),
    apply: (home, step, result, now) => ({ data: applied(home, step, result, now) }),
  };
}

function received(home: Home, signal: Signal, { homeMs }: Timing, now: number): Home {
  const { againBy = now + homeMs.most } = home;
  const again = { againAt: Math.min(now + homeMs.gather, againBy), againBy };
  if (signal.kind === 'changed') return { ...home, ...again };
  const { notBefore, tries, ...rest } = home;
  const awaited = { ...rest, isAwaited: true as const };
  return signal.kind === 'open'
    ? { ...awaited, choice: signal.choice, wantedAt: now }
    : { ...awaited, ...again };
}

/**
 * Versions that refresh a Home tab by the routes on it read until when they do, and have no defaults: during an upgrade,
 * or after a rollback, they publish it once more and let it go.
 */
function encodeHome(home: Home): string {
  const due = dueAt(home);
  return JSON.stringify({ ...home, freshUntil: due === NEVER ? 0 : due, routes: [] });
}

function dueAt({ wantedAt, againAt }: Home): number {
  return Math.min(wantedAt ?? NEVER, againAt ?? NEVER);
}

function plan(home: Home, { homeMs }: Timing, now: number) {
  const due = dueAt(home);
  const { notBefore = 0 } = home;
  if (due === NEVER) return { kind: 'finish', keepMs: homeMs.kept } satisfies Plan<PublishHome>;
  const from = Math.max(due, notBefore);
  if (now < from) return { kind: 'wait', until: from, lane: 'people' } satisfies Plan<PublishHome>;
  const step = { kind: 'publish-home', plannedAt: now } as const;
  return { kind: 'step', step } satisfies Plan<PublishHome>;
}

const NEVER = Number.POSITIVE_INFINITY;

function applied(home: Home, { plannedAt }: PublishHome, result: HomeResult, now: number): Home {
  const { wantedAt = NEVER, againAt = NEVER, againBy, ...rest } = home;
  const { isAwaited, tries = 0, notBefore, ...shown } = rest;
  if (result.kind === 'failed' && !isLastTry(result.failure, tries)) {
    const waitMs = result.failure.retryAfterMs ?? patientWaitMs(tries, 1_000, 60_000);
    return { ...home, tries: tries + 1, notBefore: now + waitMs };
  }
  // What was asked for since is published too.
  const later = {
    ...(wantedAt > plannedAt && wantedAt < NEVER && { wantedAt }),
    ...(againAt > plannedAt && againAt < NEVER && { againAt, ...(againBy && { againBy }) }),
  };
  const isLeft = Object.keys(later).length > 0;
  return { ...shown, ...later, ...(isLeft && isAwaited && { isAwaited }) };
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
  return { kind: 'done' };
}
