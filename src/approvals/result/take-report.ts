import type { Core } from '../../core/core.ts';
import { UNAVAILABLE } from '../../core/http/from-source.ts';
import { problem } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import { redact } from '../../core/lib/redact.ts';
import { type SecretBox, SecretBoxError } from '../../core/lib/secret-box.ts';
import type { Approval } from '../approval.ts';
import { hashed } from '../ask-approval.ts';
import { contextOf } from '../failure.ts';
import { type ApprovalState, statusOf } from '../intake-contract.ts';
import { NOT_FOUND, putWish, whenTakenIn } from '../wishes.ts';
import type { SentReport } from './report-contract.ts';
import { isIgnored, isRepeated, type ResultReport } from './result.ts';

export type TakenReport = { readonly approval: Approval } | { readonly refused: Reply };

/** Takes in what a source reports of an approval, and says how that stands then. Safe to send again. */
export async function takeReport(
  core: Core,
  id: string,
  approval: Approval,
  sent: SentReport,
): Promise<TakenReport> {
  const status = statusOf(approval);
  if (status !== 'APPROVED') return { refused: conflict(NOT_APPROVED[status]) };
  const fault = untilFault(sent, core.store.now());
  if (fault !== undefined) return { refused: invalid('/until', fault) };
  const report = withoutToken(core.box, approval, sent);
  if (report === undefined) return { refused: invalid('/text', UNREADABLE) };
  const isKnown = (present: Approval) => isIgnored(present, report) || isRepeated(present, report);
  if (isKnown(approval)) return claimed(approval, report);
  if (!(await putWish(core, id, { kind: 'result', report }))) return { refused: NOT_FOUND };
  const present = await whenTakenIn(core, id, isKnown);
  if (present === undefined) return { refused: NOT_FOUND };
  // It is in the record's inbox, and who holds the record is busy.
  return isKnown(present) ? claimed(present, report) : { refused: UNAVAILABLE };
}

/** One approval runs once. */
function claimed(approval: Approval, { claim }: ResultReport): TakenReport {
  const isOther = claim !== undefined && approval.result?.claim !== claim;
  return isOther ? { refused: conflict(CLAIMED) } : { approval };
}

/** undefined: no key opens the token any more, so nobody can tell whether it is in the text. */
function withoutToken(
  box: SecretBox,
  { token }: Approval,
  { text, link, until, claim, state }: SentReport,
): ResultReport | undefined {
  const rest = {
    state,
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(claim !== undefined && { claim: hashed(claim) }),
  };
  if (text === undefined && link === undefined) return rest;
  const secrets = secretsOf(box, token);
  if (secrets === undefined) return undefined;
  // What is left of an address without the token leads nowhere.
  const isClean = link !== undefined && redact(link, secrets) === link;
  return {
    ...rest,
    ...(text !== undefined && { text: redact(text, secrets) }),
    ...(isClean && { link }),
  };
}

function secretsOf(box: SecretBox, token: string | undefined): string[] | undefined {
  if (token === undefined) return [];
  try {
    return [box.open(token, contextOf('token'))];
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

const UNTIL_MAX_MS = 30 * 86_400_000;

function untilFault({ state, until }: SentReport, now: number): string | undefined {
  if (until === undefined || state !== 'running') return undefined;
  const leftMs = Date.parse(until) - now;
  if (leftMs <= 0) return 'is in the past';
  return leftMs > UNTIL_MAX_MS ? 'is more than 30 days away' : undefined;
}

function conflict(detail: string): Reply {
  return problem({ status: 409, title: 'Conflict', detail });
}

function invalid(pointer: string, detail: string): Reply {
  return problem({ status: 422, title: 'Invalid request body', errors: [{ pointer, detail }] });
}

const UNREADABLE = 'cannot be checked any more for the token: send the state alone';
const CLAIMED =
  'This approval has been claimed before, and runs once: ask for another one with another key';
const OPEN = 'It is not approved yet: results are reported after an approval';
const NOT_APPROVED = {
  PENDING: OPEN,
  BLOCKED: OPEN,
  UNKNOWN: OPEN,
  REJECTED: 'It was rejected: results are reported after an approval',
  TIMED_OUT: 'It timed out: results are reported after an approval',
  WITHDRAWN: 'It was withdrawn: results are reported after an approval',
} as const satisfies Record<Exclude<ApprovalState, 'APPROVED'>, string>;
