import type { ApprovalState } from '../../../ask/contract/approval-details.ts';
import type { Core } from '../../core/core.ts';
import { parseJsonBody } from '../../core/http/json-body.ts';
import { answer, problems, requestBody } from '../../core/http/openapi.ts';
import { problem } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import { isRefused, RemoteFailure } from '../../core/lib/failure.ts';
import { redact } from '../../core/lib/redact.ts';
import { type SecretBox, SecretBoxError } from '../../core/lib/secret-box.ts';
import { type Approval, messagePost } from '../approval.ts';
import { isIgnored, isRepeated, lastReportAt, type ResultReport } from '../decision/result.ts';
import { statusOf } from '../decision/status.ts';
import { isOwnApproval } from '../electorate/requester.ts';
import { contextOf } from '../failure.ts';
import type { ContractPart, Taken } from './contract-part.ts';
import { resultOf, resultReport, type SentReport } from './report-contract.ts';
import { hashed } from './sender.ts';
import {
  APPROVED_BY_THEM,
  NOT_FOUND,
  putSourceRequest,
  waitUntilApplied,
} from './source-requests.ts';

/** Applies a source's report to an approval, and returns the state after it. Safe to repeat. */
export async function takeReport(
  core: Core,
  id: string,
  approval: Approval,
  sent: SentReport,
): Promise<Taken> {
  const status = statusOf(approval);
  if (status !== 'APPROVED') return { refused: conflict(NOT_APPROVED[status]) };
  if (isOwnApproval(approval) && sent.state === 'running') return { refused: APPROVED_BY_THEM };
  const report = withoutToken(core.box, approval, sent);
  if (report === undefined) {
    return { refused: invalid(sent.text === undefined ? '/link' : '/text', UNREADABLE) };
  }
  const isKnown = (present: Approval) => isIgnored(present, report) || isRepeated(present, report);
  if (isKnown(approval)) return claimed(approval, report);
  const fault = untilFault(report, core.store.now(), core.config.retention.decidedMs);
  if (fault !== undefined) return { refused: invalid('/until', fault) };
  const lost = await claimedBefore(core, id, approval, report);
  if (lost !== undefined) return { refused: lost };
  if (!(await putSourceRequest(core, id, { kind: 'report', report })))
    return { refused: NOT_FOUND };
  // Another report may overtake it.
  const isApplied = (present: Approval) => isKnown(present) || isNewer(present, approval);
  const present = await waitUntilApplied(core, id, isApplied);
  if (present === undefined) return { refused: NOT_FOUND };
  // The report is in the record's inbox in any case; but only the record knows whether a claim was the first.
  return isApplied(present) || report.claim === undefined
    ? claimed(present, report)
    : { refused: BUSY };
}

/**
 * A store that went back may have lost that another run claimed it: the message still says so. undefined: nothing says
 * that it was claimed.
 */
async function claimedBefore(
  { store, outbox }: Core,
  id: string,
  approval: Approval,
  { claim }: ResultReport,
): Promise<Reply | undefined> {
  const { ts } = messagePost(approval);
  const mayBeLost = approval.result === undefined && approval.createdAt < store.servingSince();
  if (claim === undefined || ts === undefined || !mayBeLost) return undefined;
  try {
    const found = await outbox.readMessage({ channel: approval.channel, ts });
    const shown = found?.metadata?.record === id ? found.metadata.claim : undefined;
    return shown === undefined || shown === claim ? undefined : conflict(CLAIMED);
  } catch (error) {
    // The message of a channel that Gatepost cannot read says nothing.
    if (!(error instanceof RemoteFailure)) throw error;
    return isRefused(error.facts) ? undefined : UNREAD;
  }
}

function isNewer({ result }: Approval, { result: before }: Approval): boolean {
  return result !== undefined && (!before || lastReportAt(result) !== lastReportAt(before));
}

/** One approval runs once. */
function claimed(approval: Approval, { claim }: ResultReport): Taken {
  const isOther = claim !== undefined && approval.result?.claim !== claim;
  return isOther ? { refused: conflict(CLAIMED) } : { approval };
}

/** undefined: no key opens the token any more, so the text cannot be checked for it. */
function withoutToken(
  box: SecretBox,
  { token }: Approval,
  { text, link, until, claim, state }: SentReport,
): ResultReport | undefined {
  const rest = {
    state,
    ...(until !== undefined && state === 'running' && { until: Date.parse(until) }),
    ...(claim !== undefined && { claim: hashed(claim) }),
  };
  if (text === undefined && link === undefined) return rest;
  const secrets = secretsOf(box, token);
  if (secrets === undefined) return undefined;
  // An address without the token would lead nowhere.
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

/** `keptMs`: how long the request stays listed as decided. */
function untilFault({ until }: ResultReport, now: number, keptMs: number): string | undefined {
  if (until === undefined) return undefined;
  if (until <= now) return 'is in the past';
  return until > now + Math.max(keptMs, SIGN_OF_LIFE_MS)
    ? 'is later than a result is waited for (retention.decided)'
    : undefined;
}

/** Always possible: a shorter `retention.decided` must not refuse a run that only says that it is alive. */
const SIGN_OF_LIFE_MS = 3_600_000;

function conflict(detail: string): Reply {
  return problem({ status: 409, title: 'Conflict', detail });
}

function invalid(pointer: string, detail: string): Reply {
  return problem({ status: 422, title: 'Invalid request body', errors: [{ pointer, detail }] });
}

const UNREADABLE = 'cannot be checked any more for the token: send the state alone';
const CLAIMED = 'This approval was started before, and runs once: ask for a new one';
const BUSY = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'The claim is stored, but not applied yet. It is safe to send the same request again',
  retryAfterS: 1,
});
const UNREAD = problem({
  status: 503,
  title: 'Service unavailable',
  detail:
    'Slack did not show whether another run has claimed it. It is safe to send the same request again',
  retryAfterS: 2,
});
const OPEN = 'It is not approved yet: results are reported after an approval';
const NOT_APPROVED = {
  PENDING: OPEN,
  BLOCKED: OPEN,
  UNKNOWN: OPEN,
  REJECTED: 'It was rejected: results are reported after an approval',
  TIMED_OUT: 'It timed out: results are reported after an approval',
  WITHDRAWN: 'It was withdrawn: results are reported after an approval',
} as const satisfies Record<Exclude<ApprovalState, 'APPROVED'>, string>;

/** Its rows in the tables of the contract. */
export const resultContract = {
  shown(approval) {
    const result = resultOf(approval);
    return result && { result };
  },

  work: (work) => (core, id, approval) => takeReport(core, id, approval, work),

  route: {
    path: '/v1/approvals/:id/result',
    read(contentType, body) {
      const sent = parseJsonBody(contentType, body, resultReport);
      return sent.ok
        ? { ok: true, value: (core, id, approval) => takeReport(core, id, approval, sent.value) }
        : sent;
    },
  },

  paths: (id, details) => ({
    '/v1/approvals/{id}/result': {
      post: {
        summary: 'Report what became of what was approved',
        operationId: 'reportResult',
        parameters: [id],
        requestBody: requestBody(resultReport),
        responses: {
          200: answer('Its current state, with the result', details),
          ...problems([400, 401, 404, 413, 415, 422, 429, 503]),
          ...problems([409], 'It is not approved, or another run has claimed it'),
        },
      },
    },
  }),
} satisfies ContractPart;
