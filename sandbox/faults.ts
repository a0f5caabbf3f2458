import type { Answer, Exchange } from './exchange.ts';
import type { Timers } from './timers.ts';

/**
 * What goes wrong at a server.
 *
 * - `latency`: the request is processed after `ms` · `slowAnswer`: processed at once, answered after `ms`
 * - `429`, `500`: answered so, not processed
 * - `dropBefore`: connection closed, not processed · `reset`: the same with a reset
 * - `dropAfter`: processed, then closed without an answer
 */
export type FaultKind =
  | 'latency'
  | 'slowAnswer'
  | '429'
  | '500'
  | 'dropBefore'
  | 'dropAfter'
  | 'reset';

export interface Fault<Kind, Request> {
  readonly kind: Kind;
  readonly ms?: number;
  /** Instead of `ms`: continues when this resolves. */
  readonly until?: Promise<unknown>;
  /** How many times; without it, until the faults are cleared. */
  readonly times?: number;
  /** Seconds, for a 429; default 1. */
  readonly retryAfter?: number;
  readonly when?: (request: Request) => boolean;
}

type AnyFault<Request> = Fault<FaultKind | 'html' | 'unreadable' | 'refused', Request>;

export interface Faults<Request, F extends AnyFault<Request>> {
  readonly add: (fault: F) => void;
  readonly clear: () => void;
  /**
   * Sends the answer of `process`, or what the matching faults make of it. Returns what was sent: status 0 for nothing.
   */
  readonly carryOut: (
    exchange: Exchange,
    target: { readonly request: Request; readonly matches: (fault: F) => boolean },
    process: () => Answer,
  ) => Promise<Answer>;
}

/** @param refusal the body of a 429 or 500 in this server's format. */
export function createFaults<Request, F extends AnyFault<Request>>(needs: {
  readonly closed: AbortSignal;
  readonly timers: Pick<Timers, 'pause'>;
  readonly refusal: (status: 429 | 500) => unknown;
  /** The answer of a fault with its own refusal. */
  readonly refused?: (fault: F) => Answer;
}): Faults<Request, F> {
  let planned: { fault: F; left: number }[] = [];

  /** At most one fault that only delays, and one that does something else. */
  const take = (request: Request, matches: (fault: F) => boolean): { delay?: F; other?: F } => {
    const taken: { delay?: F; other?: F } = {};
    if (planned.length === 0) return taken;
    for (const entry of planned) {
      const place = entry.fault.kind === 'latency' ? 'delay' : 'other';
      if (taken[place] || !matches(entry.fault)) continue;
      if (entry.fault.when && !entry.fault.when(request)) continue;
      taken[place] = entry.fault;
      entry.left -= 1;
    }
    planned = planned.filter((entry) => entry.left > 0);
    return taken;
  };

  const wait = async (fault: F | undefined): Promise<void> => {
    if (fault?.until !== undefined) await fault.until;
    else await needs.timers.pause(fault?.ms ?? 0, needs.closed);
  };

  return {
    add: (fault) => planned.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    clear: () => {
      planned = [];
    },
    carryOut: async (exchange, { request, matches }, process) => {
      const { delay, other } = take(request, matches);
      if (delay) await wait(delay);
      const kind = other?.kind;
      if (kind === 'dropBefore') return drop(exchange, 'close');
      if (kind === 'reset') return drop(exchange, 'reset');
      const inItsWords = other?.kind === 'refused' ? needs.refused?.(other) : undefined;
      const instead = inItsWords ?? (other && refusalOf(other, needs.refusal));
      if (instead) return answer(exchange, instead);
      const answered = process();
      if (kind === 'dropAfter') return drop(exchange, 'close');
      if (kind === 'slowAnswer') await wait(other);
      return answer(exchange, kind === 'unreadable' ? { ...answered, body: '{"sta' } : answered);
    },
  };
}

function refusalOf(
  fault: AnyFault<never>,
  refusal: (status: 429 | 500) => unknown,
): Answer | undefined {
  switch (fault.kind) {
    case '429':
      return {
        status: 429,
        headers: { 'retry-after': String(fault.retryAfter ?? 1) },
        body: refusal(429),
      };
    case '500':
      return { status: 500, body: refusal(500) };
    case 'html':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      };
    default:
      return undefined;
  }
}

function answer(exchange: Exchange, given: Answer): Answer {
  exchange.respond(given);
  return given;
}

function drop(exchange: Exchange, how: 'close' | 'reset'): Answer {
  exchange.drop(how);
  return { status: 0, body: null };
}
