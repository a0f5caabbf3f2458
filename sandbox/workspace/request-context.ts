import { type Answer, type Exchange, isObject } from '../exchange.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { Args } from './args.ts';
import type { MethodWorld } from './web-method.ts';
import type { Call, WorkspaceFault } from './workspace-handle.ts';
import type { Memory } from './world.ts';

/** Shared by the Web API and the response URLs. */
export interface RequestContext extends Pick<MethodWorld, 'now' | 'url' | 'pacer'> {
  readonly memory: Memory;
  readonly journal: Journal<CallArrival, Call>;
  readonly faults: Faults<Args, WorkspaceFault>;
  readonly changed: () => void;
}

export function withoutToken(headers: Exchange['headers']): Exchange['headers'] {
  const { authorization: _, ...others } = headers;
  return others;
}

export type CallArrival = Pick<Call, 'method' | 'args' | 'headers' | 'at'>;

/** The journal's entry of a call. @param answer null until there is one. */
export function callOf(arrival: CallArrival, answer: Answer | null): Call {
  const body = isObject(answer?.body) ? answer.body : {};
  return {
    ...arrival,
    status: answer?.status ?? null,
    ok: body.ok === true,
    error: typeof body.error === 'string' ? body.error : null,
    problems: problemsIn(body),
    notes: answer?.notes ?? [],
  };
}

function problemsIn({ error, errors, needed }: Record<string, unknown>): string[] {
  if (error === 'unknown_method') return ['not imitated here: the README lists the methods'];
  if (typeof needed === 'string') return [`needs the scope ${needed}`];
  if (!Array.isArray(errors)) return [];
  return errors.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
}
