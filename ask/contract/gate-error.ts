import * as z from 'zod';
import { cleanLine } from '../../src/core/lib/clean-line.ts';
import { clip } from '../../src/core/lib/clip.ts';

/**
 * unreached: no complete answer, a proxy's, or Gatepost cannot answer now: try again. unknown: there is no such
 * request. refused: asking again is no use. aborted: by the signal.
 */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly code: 'unreached' | 'unknown' | 'refused' | 'aborted';
  /** The shortest wait, if Gatepost named one. */
  readonly retryAfterMs: number;
  /** false: nothing of the call can have arrived. */
  readonly isSent: boolean;
  /** Of Gatepost's own answer. */
  readonly status: number | undefined;
  constructor(
    code: GateError['code'],
    message: string,
    {
      retryAfterMs = 0,
      isSent = true,
      status,
    }: { retryAfterMs?: number; isSent?: boolean; status?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.isSent = isSent;
    this.status = status;
  }
}

/** In the form of `problem.ts`, unlike a proxy's errors. */
const problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** `/reviewers/users/0` is `reviewers.users[0]`. */
function placeOf(pointer: string): string {
  const [, ...names] = pointer.split('/');
  const path = names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
  return path === '' ? 'the request' : path.replace(/^\./, '');
}

/** Gatepost's own words for a refusal; undefined: not a problem of Gatepost's. */
export function refusalIn(value: unknown, status: number): string | undefined {
  const words = problemWords(value, status);
  return words === undefined ? undefined : `Gatepost refused the request (${status}): ${words}`;
}

export function problemWords(value: unknown, status: number): string | undefined {
  const { data } = problem.safeParse(value);
  if (data?.status !== status) return undefined;
  const { title, detail, errors = [] } = data;
  const faults = errors.map((each) => `${placeOf(each.pointer)} ${each.detail}`).join('; ');
  return clip(cleanLine(faults || detail || title), 500)[0];
}
