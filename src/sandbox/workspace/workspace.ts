import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Changes } from '../changes.ts';
import type { Exchange } from '../exchange.ts';
import { createFaults } from '../faults.ts';
import { createJournal } from '../journal.ts';
import type { Args } from './args.ts';
import { callOf } from './call-of.ts';
import { changeWorkspace } from './change-workspace.ts';
import { deliverPayload } from './deliver.ts';
import type { PostRate } from './post-pacer.ts';
import { createPostPacer } from './post-pacer.ts';
import { pressButton } from './press-button.ts';
import { readWorkspace } from './read-workspace.ts';
import { createResponseUrls } from './response-url.ts';
import { createSockets } from './sockets.ts';
import { closeView, submitView } from './submit-view.ts';
import { createWebApi } from './web-api.ts';
import type { Press, Submission, Workspace, WorkspaceFault } from './workspace-handle.ts';
import { seedWorld } from './world.ts';

export interface WorkspaceNeeds {
  readonly url: string;
  readonly now: () => number;
  readonly randomId: () => string;
  readonly changes: Changes;
  readonly closed: AbortSignal;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly scopes: readonly string[];
  readonly postRate: PostRate | null;
  /** null: the bot is in Socket Mode. Throws until the bot is connected. */
  readonly eventsUrl: () => string | null;
}

export interface RunningWorkspace {
  readonly handle: Workspace;
  /** `path` is what stands behind `/slack`. */
  readonly answer: (exchange: Exchange, path: string) => Promise<void>;
  /** A connection that asks to become a socket. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly reset: () => void;
}

export function createWorkspace(needs: WorkspaceNeeds): RunningWorkspace {
  const { now, url, signingSecret } = needs;
  const changed = needs.changes.notify;
  const memory = { world: seedWorld() };
  const pacer = createPostPacer(needs.postRate);
  const journal = createJournal(callOf, changed);
  const faults = createFaults<Args, WorkspaceFault>({
    closed: needs.closed,
    refusal: (status) => ({ ok: false, error: status === 429 ? 'ratelimited' : 'internal_error' }),
  });
  const front = { memory, now, url, pacer, journal, faults, changed };
  const sockets = createSockets({ ...needs, changed });
  const { botToken, appToken, scopes } = needs;
  const newSocketUrl = sockets.newAddress;
  const webApi = createWebApi({ ...front, botToken, appToken, scopes, newSocketUrl });
  const responseUrls = createResponseUrls(front);

  const deliver = (payload: unknown, isRetry: boolean) => {
    const eventsUrl = needs.eventsUrl();
    return eventsUrl === null
      ? sockets.deliver(payload, isRetry)
      : deliverPayload(payload, { eventsUrl, signingSecret, now });
  };
  const click = (press: Press) => pressButton(press, { ...needs, world: memory.world, deliver });
  const submit = (submission: Submission) =>
    submitView(submission, { world: memory.world, deliver, changed });
  const closeModal = (user: string) => {
    closeView(memory.world, user);
    changed();
  };

  return {
    handle: {
      ...readWorkspace(memory),
      ...changeWorkspace({ memory, now, changed }),
      click,
      submit,
      closeModal,
      sockets: sockets.handle,
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
      memory.world = seedWorld();
      pacer.clear();
      journal.clear();
      faults.clear();
    },
  };
}
