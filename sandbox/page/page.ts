/**
 * The page in the browser: the workspace as one person sees it (`page-state.ts`), and what they do (`methods/`). Its
 * browser code is in `client/`. A panel can add to all three.
 */

import type { Writable } from 'node:stream';
import type { Changes } from '../changes.ts';
import { type Exchange, parseJson } from '../exchange.ts';
import type { SlackSandbox } from '../slack-sandbox.ts';
import { elementMethods, messageMethods, viewMethods } from './methods/people.ts';
import { newPageMemory } from './page-memory.ts';
import { bound, type PageMethods, type PageWorld, refusal } from './page-method.ts';
import type { PagePanel } from './page-panel.ts';
import { servePage } from './serve-page.ts';
import { stateFor } from './state-for.ts';

interface Page {
  /** False: the path is not the page's. */
  readonly answer: (exchange: Exchange) => Promise<boolean>;
  /** Discards the state from before a reset. */
  readonly reset: () => void;
}

const api = '/sandbox/v1/';
const methods: PageMethods<PageWorld> = { ...messageMethods, ...elementMethods, ...viewMethods };

/**
 * The page and its JSON. `GET …/live?user=` streams a person's state after every change, `GET …/state?user=` returns it
 * once; every action is a POST with JSON.
 */
export function createPage(needs: {
  readonly sandbox: SlackSandbox;
  readonly changes: Changes;
  readonly now: () => number;
  readonly panel: PagePanel | undefined;
}): Page {
  const { sandbox, changes, panel } = needs;
  let memory = newPageMemory(needs.now());
  let renewal: Promise<unknown> = Promise.resolve();

  const own = bound(methods, () => ({ sandbox, memory, changed: changes.notify }));
  const all = { ...own, ...panel?.methods };
  const read = (user: string) => stateFor(user, sandbox, memory, panel);
  const write = async ({ headers, body }: Exchange, name: string) => {
    const method = Object.hasOwn(all, name) ? all[name] : undefined;
    if (!method) return { status: 404, body: { error: 'There is nothing here.' } };
    if (headers['content-type'] !== 'application/json') return refusal('Send JSON.');
    const run = () => method(parseJson(body.toString()));
    if (name !== 'reset') {
      // Windows see the reset state before the app has restarted.
      await renewal;
      return run();
    }
    const renewed = run();
    renewal = renewed;
    return renewed;
  };
  const answerApi = async (exchange: Exchange, name: string): Promise<void> => {
    const { respond, method, query } = exchange;
    const user = query.get('user') ?? '';
    if (!isOwnRequest(exchange)) respond({ status: 403, body: { error: foreign } });
    else if (method === 'POST') respond(await write(exchange, name));
    else if (name === 'live') followState(exchange.stream(EVENT_STREAM), changes, () => read(user));
    else respond({ status: 200, body: read(user) });
  };

  return {
    answer: async (exchange) => {
      const text = await panel?.texts?.[exchange.path]?.();
      if (text !== undefined) {
        exchange.respond({ status: 200, headers: PLAIN, body: text });
        return true;
      }
      if (!exchange.path.startsWith(api)) return servePage(exchange, panel?.client);
      await answerApi(exchange, exchange.path.slice(api.length));
      return true;
    },
    reset: () => {
      panel?.reset();
      memory = newPageMemory(needs.now());
    },
  };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

const foreign = 'This is only for the page itself, on the machine where the sandbox runs.';

/**
 * True for a request of the page itself. The sandbox runs on a person's own machine: other sites in their browser
 * (cross-site request, DNS rebinding) and other people in their network must not use it.
 */
export function isOwnRequest({ headers, from }: Exchange): boolean {
  const { host = '', origin } = headers;
  if (!isLoopback(from) || !isLoopbackHost(host)) return false;
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  return isOwnSite && (origin === undefined || origin === `http://${host}`);
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Names that a stranger's DNS cannot point at this machine. */
function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}

/** Changes come in bursts, and are sent together. */
const gatherMs = 15;

const EVENT_STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };

/** Server-sent events: the state now, and after every change that affects it. */
function followState(response: Writable, changes: Changes, read: () => object): void {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    try {
      const state = JSON.stringify(read());
      if (state === last) return;
      last = state;
      response.write(`data: ${state}\n\n`);
    } catch (error) {
      // The window reconnects, and shows until then that it is disconnected.
      console.error('The sandbox could not tell a window its state.', error);
      response.destroy();
    }
  };
  const tellSoon = (): void => {
    timer ??= setTimeout(tell, gatherMs);
  };
  response.write('retry: 500\n\n');
  tell();
  // A slow window gets all changes together once it has read what was sent.
  const unsubscribe = changes.subscribe(() => {
    if (!response.writableNeedDrain) tellSoon();
  });
  response.on('drain', tellSoon);
  response.on('close', () => {
    unsubscribe();
    clearTimeout(timer);
  });
}
