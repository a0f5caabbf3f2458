import { setMaxListeners } from 'node:events';
import type { Answer, Exchange } from '../../sandbox/exchange.ts';
import type { Connect, Exchanged, WireRequest } from '../../src/core/http/exchange.ts';
import type { Chance } from './chance.ts';
import type { Mishaps } from './mishaps.ts';
import type { Arrived, Exchanged as Seen } from './observer.ts';
import { HOOKS, type Receiver } from './receiver.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import type { Fate, Link, Weather } from './weather.ts';

export interface NetworkNeeds {
  readonly scheduler: Scheduler;
  readonly now: () => number;
  readonly chance: Chance;
  readonly weather: Weather;
  /** Faults of single approvals; without it, there are none. */
  readonly mishaps?: Pick<Mishaps, 'fateOf'>;
  /** Slack and the service, by the path. */
  readonly serve: (exchange: Exchange) => Promise<void>;
  /** The receiver of callbacks; without it, there are none. */
  readonly receiver?: Pick<Receiver, 'serve' | 'isAway'>;
  readonly onExchange: (exchanged: Seen) => void;
  /** Called as a request begins. */
  readonly onBegin?: (request: WireRequest) => void;
}

/** The longest delay of a request: less than the product waits before it repeats one. */
const LATEST_MS = 11_000;
/** Longer than until a message says that a decision is being sent, and shorter than a process waits for an answer. */
const SLOW_MS = { least: 1_500, most: 3_500 };
/** The first read of a decision waits for a second. */
const IN_TIME_MS = { least: 600, most: 900 };
/** Longer than that. */
const OVERDUE_MS = { least: 6_500, most: 9_500 };

/**
 * How the requests of one replica reach Slack and the service, instead of `createConnections`: a message there, one
 * back, and what can happen to each.
 */
export function connectTo(replica: Replica, needs: NetworkNeeds): Connect {
  return () => ({
    send: (request, { deadline, signal }) =>
      new Promise((resolve) => {
        let isOver = false;
        let isSent = false;
        const end = (exchanged: Exchanged) => {
          if (isOver) return;
          isOver = true;
          cancel?.();
          signal?.removeEventListener('abort', onAbort);
          resolve(exchanged);
        };
        const giveUp = (code: string) => end({ kind: 'failed', sent: isSent, code, message: '' });
        const cancel = deadline?.timers.after(deadline.ms, () => giveUp('timeout'));
        const onAbort = () => {
          const reason: unknown = signal?.reason;
          const isLate = reason instanceof Error && reason.name === 'TimeoutError';
          // A library's own timer does not know that the process was stopped.
          replica.later(0, () => giveUp(isLate ? 'timeout' : 'aborted'));
        };
        if (signal) {
          // Many calls may share a signal, and each removes its own listener.
          setMaxListeners(0, signal);
          signal.addEventListener('abort', onAbort);
        }
        if (signal?.aborted) return giveUp('aborted');
        isSent = travel(replica, request, needs, () => isOver, end);
      }),
    close: async () => {},
  });
}

/** False: it is not sent. */
function travel(
  replica: Replica,
  request: WireRequest,
  needs: NetworkNeeds,
  isGivenUp: () => boolean,
  end: (exchanged: Exchanged) => void,
): boolean {
  const { scheduler, chance, weather, mishaps, receiver } = needs;
  const link = linkOf(request.path);
  const isAway = link === 'callbacks' && receiver?.isAway !== false;
  needs.onBegin?.(request);
  const usual = isAway ? 'refused' : weather.fate(link);
  const fate = mishaps?.fateOf(request, replica, usual) ?? usual;
  if (fate === 'refused') {
    const code = 'connection_refused';
    replica.later(chance.wait(0.1, 1, 20), () =>
      end({ kind: 'failed', sent: false, code, message: '' }),
    );
    return false;
  }
  const back = (done: Answer | null, sent: Answer, ms: number) => {
    const arrived: Arrived = { isHeard: false, at: null };
    needs.onExchange({ request, sentAt, done, sent, arrived, replica });
    if (fate === 'answerLost') return;
    replica.later(ms, () => {
      if (isGivenUp()) return;
      Object.assign(arrived, { isHeard: sent === done, at: needs.now() });
      end(exchangedOf(sent));
    });
  };
  const sentAt = needs.now();
  const usualMs = () => chance.wait(1, link === 'slack' ? 12 : 6, 400);
  const backMs = () => {
    if (fate === 'answerSlow') return chance.whole(SLOW_MS.least, SLOW_MS.most);
    if (fate === 'answerInTime') return chance.whole(IN_TIME_MS.least, IN_TIME_MS.most);
    return fate === 'answerLate' ? chance.whole(500, 9_000) : usualMs();
  };
  if (fate === 'lost') return true;
  const isOverdue = fate === 'overdue';
  const lateMs = () => (fate === 'late' ? chance.whole(500, LATEST_MS) : usualMs());
  const thereMs = isOverdue ? chance.whole(OVERDUE_MS.least, OVERDUE_MS.most) : lateMs();
  const arrive = () => {
    const instead = insteadOf(fate, link, chance);
    if (instead !== undefined) return back(null, instead, usualMs());
    const exchange = exchangeOf(request, (done) => back(done, spoiled(fate, done), backMs()));
    if (link === 'callbacks') receiver?.serve(exchange);
    else void needs.serve(exchange);
  };
  if (fate === 'held') replica.later(thereMs, arrive);
  else scheduler.after(thereMs, arrive);
  return true;
}

function linkOf(path: string): Link {
  if (path.startsWith(HOOKS)) return 'callbacks';
  return path.startsWith('/slack') ? 'slack' : 'service';
}

const BAD_GATEWAY: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
};

/** What remains of an answer in transit. */
function spoiled(fate: Fate, done: Answer): Answer {
  if (fate === 'failedAfter') return BAD_GATEWAY;
  return fate === 'garbage' ? { ...done, body: '{"sta' } : done;
}

/** A server's answer when it does not execute the request. */
function insteadOf(fate: Fate, link: Link, chance: Chance): Answer | undefined {
  switch (fate) {
    case 'limited': {
      const drawn = chance.fraction();
      const seconds = drawn < 0.1 ? '15' : '1';
      // Slack always sends Retry-After.
      const isSaid = link === 'slack' || drawn < 0.7;
      return {
        status: 429,
        ...(isSaid && { headers: { 'retry-after': seconds } }),
        body: { ok: false, error: 'ratelimited' },
      };
    }
    case 'failed':
      return { status: 500, body: link === 'slack' ? { ok: false, error: 'internal_error' } : {} };
    case 'forbidden':
      return { status: 403, body: { error: 'The firewall does not let this through.' } };
    case 'gone':
      return { status: chance.pick(GONE), body: { error: 'There is nothing here.' } };
    default:
      return undefined;
  }
}

const GONE: readonly [number, ...number[]] = [404, 409, 410];

/** A request in the form that the sandbox takes. */
export function exchangeOf(
  { method, path, headers, body }: WireRequest,
  onAnswer: (answer: Answer) => void,
): Exchange {
  const [pathname = '', query] = path.split('?', 2);
  const small = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method,
    path: pathname,
    query: new URLSearchParams(query),
    headers: Object.fromEntries(small),
    body: Buffer.from(body ?? ''),
    from: '127.0.0.1',
    respond: onAnswer,
    drop: () => onAnswer({ status: 0, body: null }),
    stream() {
      throw new Error('Nobody streams here');
    },
  };
}

function exchangedOf({ status, headers = {}, body }: Answer): Exchanged {
  if (status === 0) {
    return { kind: 'failed', sent: true, code: 'connection_lost', message: '' };
  }
  const text = typeof body === 'string' ? body : status === 204 ? '' : JSON.stringify(body);
  const all = { 'content-type': 'application/json; charset=utf-8', ...headers };
  return { kind: 'answered', status, headers: all, body: Buffer.from(text), code: 'complete' };
}

/** A sandbox without sockets: its callers call `serve`. */
export function inProcess(url: string) {
  let answer: (exchange: Exchange) => Promise<void> = async () => {};
  return {
    serve: (exchange: Exchange) => answer(exchange),
    listen: async () => ({
      url,
      answerWith: (answered: typeof answer) => {
        answer = answered;
      },
      upgradeWith: () => {},
      close: async () => {},
    }),
  };
}
