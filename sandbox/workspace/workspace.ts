/**
 * The imitated Slack: channels, people, messages and views (`world.ts`), the Web API that the app calls (`web-api.ts`,
 * `routes/`), and people's actions (`do-in-workspace.ts`), delivered to the app over HTTP or a socket (`deliver.ts`).
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Changes } from '../changes.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { createFaults } from '../faults.ts';
import { createJournal } from '../journal.ts';
import type { Timers } from '../timers.ts';
import type { Args } from './args.ts';
import { changeChannels } from './change-channels.ts';
import { changeMessages } from './change-messages.ts';
import { changePeople } from './change-people.ts';
import type { ChangeNeeds } from './change-workspace.ts';
import type { Written } from './conversation.ts';
import { deliverOverHttp, type Post } from './deliver.ts';
import { doInWorkspace } from './do-in-workspace.ts';
import { createEvents } from './events.ts';
import { createInstalledApp } from './installed-app.ts';
import type { Manifest } from './manifest.ts';
import { type Carried, type Notice, nameOf, notInteractive } from './notice.ts';
import { createPostPacer, type PostRate } from './post-pacer.ts';
import { readWorkspace } from './read-workspace.ts';
import { type CallArrival, callOf } from './request-context.ts';
import { type RequestUrls, urlFor } from './request-urls.ts';
import { createResponseUrls } from './response-url.ts';
import { createSchedule } from './schedule.ts';
import type { Seed } from './seed.ts';
import { createSockets } from './sockets.ts';
import { createTierLimits } from './tier-limits.ts';
import { createWebApi } from './web-api.ts';
import type { Call, Workspace, WorkspaceFault } from './workspace-handle.ts';
import { type Enterprise, seedWorld } from './world.ts';

interface WorkspaceNeeds {
  readonly url: string;
  readonly now: () => number;
  readonly randomId: () => string;
  readonly changes: Changes;
  readonly closed: AbortSignal;
  readonly timers: Timers;
  /** How Slack's requests reach the app. */
  readonly post: Post;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly manifest: Manifest;
  readonly seed: Seed;
  readonly scopes: readonly string[];
  /** false: somebody has to create the app first, on the page for apps. */
  readonly isInstalled: boolean;
  readonly enterprise: Enterprise | null;
  readonly postRate: PostRate | null;
  readonly hasTierLimits: boolean;
  /** Delays before each further delivery of an event. */
  readonly eventRetriesMs: readonly number[];
  /** How long Slack waits for an acknowledgement, and a trigger can open a modal. */
  readonly patienceMs: number;
  /** Called for every message that is written or changed. */
  readonly written: Written;
  readonly called: (call: Call) => void;
  readonly delivered: (name: string, delivery: Carried) => void;
  readonly isAppConnected: () => boolean;
  /** null: the app uses Socket Mode. Throws until the app is connected. */
  readonly requestUrl: () => string | RequestUrls | null;
}

interface RunningWorkspace {
  readonly handle: Workspace;
  /** `path` is what follows `/slack`. */
  readonly answer: (exchange: Exchange, path: string) => Promise<void>;
  /** A WebSocket upgrade. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly reset: () => void;
}

export function createWorkspace(given: WorkspaceNeeds): RunningWorkspace {
  const { app, handle: appHandle } = createInstalledApp(given);
  const needs = { ...given, ...app };
  const changed = needs.changes.notify;
  const memory = { world: seedWorld(needs) };
  const pacer = createPostPacer(needs.postRate);
  const tierLimits = createTierLimits(needs.hasTierLimits);
  const journal = createJournal((arrival: CallArrival, answer: Answer | null) => {
    const call = callOf(arrival, answer);
    if (answer) needs.called(call);
    return call;
  }, changed);
  const faults = createFaults<Args, WorkspaceFault>({
    closed: needs.closed,
    timers: needs.timers,
    refusal: (status) => ({ ok: false, error: status === 429 ? 'ratelimited' : 'internal_error' }),
    refused: ({ error }) => ({ status: 200, body: { ok: false, error: error ?? 'fatal_error' } }),
  });
  const front = { ...needs, memory, pacer, journal, faults, changed };
  const sockets = createSockets({ ...needs, changed });
  const responseUrls = createResponseUrls(front);
  const carry = async (notice: Notice): Promise<Carried> => {
    if (notice.kind === 'interactive' && !needs.manifest.interactive) return notInteractive;
    const urls = needs.requestUrl();
    const carried = await (urls === null
      ? sockets.deliver(notice)
      : deliverOverHttp(notice, { ...needs, requestUrl: urlFor(urls, notice) }));
    needs.delivered(nameOf(notice), carried);
    return carried;
  };
  const hasScope = (scope: string): boolean => needs.scopes.includes(scope);
  const events = createEvents({ ...needs, memory, hasScope, carry, changed });
  const { tell } = events;
  const schedule = createSchedule({ ...needs, changed });
  const { later } = schedule;
  const newSocketUrl = sockets.newAddress;
  const webApi = createWebApi({ ...front, tierLimits, tell, later, newSocketUrl });

  return {
    handle: {
      manifest: needs.manifest,
      app: appHandle({ memory, changed }),
      ...readWorkspace(memory),
      ...changeWorkspace({ ...needs, memory, changed, tell }),
      ...doInWorkspace({ ...needs, memory, hasScope, carry, changed, tell }),
      sockets: sockets.handle,
      events: events.sent,
      repeatEvents: events.repeat,
      calls: (method) =>
        journal.entries().filter((call) => method === undefined || call.method === method),
      fault: faults.add,
      clearFaults: faults.clear,
      until: needs.changes.until,
    },
    answer: (exchange, path) => {
      const response = /^\/response\/([^/]+)$/.exec(path)?.[1];
      if (response) return responseUrls(exchange, response);
      return webApi(exchange, path.replace(/^\/api\//, ''));
    },
    upgrade: sockets.upgrade,
    reset: () => {
      memory.world = seedWorld(needs);
      pacer.clear();
      tierLimits.clear();
      journal.clear();
      faults.clear();
      events.clear();
      schedule.clear();
    },
  };
}

/** The part of the handle for changes by people and administrators of a workspace. */
function changeWorkspace(needs: ChangeNeeds) {
  return { ...changeMessages(needs), ...changeChannels(needs), ...changePeople(needs) };
}
