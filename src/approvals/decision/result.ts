/**
 * The result of approved work, as its source reports it: shown and announced, never a decision. This file applies a
 * report; `ways-in/report-contract.ts` is what the source sends and reads, `ways-in/take-report.ts` answers it,
 * `tell/message/result.ts` shows it.
 */

import type { Applied } from '../../core/engine/flow.ts';
import type { Post } from '../../core/posts/post.ts';
import { type Approval, postNamed } from '../approval.ts';
import { isOwnApproval } from '../electorate/requester.ts';
import type { FeatureHooks } from './feature-hook.ts';
import type { FeatureSignal } from './signal.ts';

declare module '../approval.ts' {
  interface Approval {
    /** The source's report on the approved work. */
    readonly result?: WorkResult;
  }
}

declare module './feature-hook.ts' {
  interface DecidedFacts {
    readonly result?: ShownResult;
  }
}

declare module './signal.ts' {
  interface FeatureSignals {
    /** The source reports the result of the approved work. */
    readonly report: { readonly report: ResultReport };
  }
}

/** Reported by the source after an approval (`POST /v1/approvals/{id}/result`); never a decision. */
export interface WorkResult {
  /** Oldest first: the last one counts. */
  readonly reports: readonly [Report, ...Report[]];
  readonly text?: string;
  readonly link?: string;
  /** When running work should have ended, or reported again. */
  readonly until?: number;
  /** When `until` was last moved without another report. */
  readonly renewedAt?: number;
  /** The run that claimed the approval: a hash of its name. */
  readonly claim?: string;
}

export type ResultState = 'running' | 'succeeded' | 'failed';

interface Report {
  readonly state: ResultState;
  readonly at: number;
}

/** A report as a signal: without the token, and with the claim hashed. */
export interface ResultReport {
  readonly state: ResultState;
  readonly text?: string;
  readonly link?: string;
  /** Only of running work. */
  readonly until?: number;
  readonly claim?: string;
}

/** What the message shows of it. */
export interface ShownResult {
  readonly state: ResultState;
  readonly at: number;
  /** When the work began, if reported. */
  readonly startedAt?: number;
  readonly text?: string;
  readonly link?: string;
  /** Of running work; absent once it was renewed, so that renewals do not change the message. */
  readonly until?: number;
  /** `until` has passed: when the source last reported anything. */
  readonly silentSince?: number;
}

/** In the message's metadata, in place of a claim: something was reported, so no run can claim it any more. */
export const UNCLAIMED = '-';

/** The most reports that are kept; the first one says when the work began. */
const REPORTS_MAX = 20;

/** A run that another one has claimed cannot start, and ended work is not running any more. */
export function isIgnored({ result }: Approval, { state, claim }: ResultReport): boolean {
  if (result === undefined || state !== 'running') return false;
  return claim !== undefined || stateOf(result) !== 'running';
}

/** The same report again: its answer was lost. */
export function isRepeated({ result }: Approval, report: ResultReport): boolean {
  if (result === undefined || stateOf(result) !== report.state) return false;
  const { text, link, until } = result;
  const { link: said = link } = report;
  return text === report.text && link === said && until === report.until;
}

/** A sign of life: the work is still running, and only `until` moves. undefined: the report says more. */
function renewed(
  { result }: Approval,
  { text, link = result?.link, until }: ResultReport,
  at: number,
): WorkResult | undefined {
  if (result?.until === undefined || until === undefined) return undefined;
  const isSame = text === result.text && link === result.link;
  // An earlier one may arrive later.
  if (isSame && until < result.until) return result;
  return isSame ? { ...result, until, renewedAt: at } : undefined;
}

export function receiveReport(
  approval: Approval,
  { report }: FeatureSignal<'report'>,
  _terms: unknown,
  at: number,
): Applied<Approval> {
  const { outcome, result } = approval;
  // A rewound store may have lost the approval.
  const isApproved = outcome?.status === 'APPROVED';
  const isVoid = report.state === 'running' && isOwnApproval(approval);
  if (!isApproved || isVoid || isIgnored(approval, report) || isRepeated(approval, report)) {
    return { data: approval };
  }
  const still = renewed(approval, report, at);
  if (still !== undefined) return { data: { ...approval, result: still } };
  // The link stays until another one is reported.
  const { state, claim = result?.claim, link = result?.link, ...said } = report;
  const reported = { state, at };
  const [first = reported, ...others] = result?.reports ?? [];
  const later = result === undefined ? [] : [...others, reported].slice(1 - REPORTS_MAX);
  const facts = { state, claimed: report.claim !== undefined };
  // Replies about earlier results are dropped.
  const posts = approval.posts.filter(({ name }) => !isResultReply(name));
  return {
    data: {
      ...approval,
      posts,
      result: {
        reports: [first, ...later],
        ...said,
        ...(link !== undefined && { link }),
        ...(claim !== undefined && { claim }),
      },
    },
    audit: [{ action: 'approvals.result', record: null, actor: approval.source, facts }],
  };
}

export function stateOf({ reports }: WorkResult): ResultState {
  return lastOf(reports).state;
}

function lastOf<Item>(items: readonly [Item, ...Item[]]): Item {
  return items.at(-1) ?? items[0];
}

export function shownResult({ result }: Approval, now: number): ShownResult | undefined {
  if (result === undefined) return undefined;
  const { reports, text, link, until, renewedAt } = result;
  const { state, at } = lastOf(reports);
  const startedAt = reports.find((each) => each.state === 'running')?.at;
  return {
    state,
    at,
    ...(startedAt !== undefined && { startedAt }),
    ...(text !== undefined && { text }),
    ...(link !== undefined && { link }),
    ...(until !== undefined && renewedAt === undefined && { until }),
    ...(until !== undefined && now >= until && { silentSince: lastReportAt(result) }),
  };
}

export function lastReportAt({ renewedAt, reports }: WorkResult): number {
  return renewedAt ?? lastOf(reports).at;
}

export const results: FeatureHooks = {
  decided(approval, now) {
    const result = shownResult(approval, now);
    return result && { result };
  },

  changesAt: resultOverdueAt,

  /** A sign of life alone changes nothing. The note that nothing is reported any more appears with the message's. */
  isNews(before, after) {
    if (before.result?.reports !== after.result?.reports) return true;
    return resultOverdueAt(after) !== undefined && before.shown !== after.shown;
  },
};

/** From when on the message says that nothing is reported any more; undefined: no report is expected. */
function resultOverdueAt({ result }: Approval): number | undefined {
  return result?.until;
}

const RESULT = 'result-';

export function isResultReply(name: string): boolean {
  return name.startsWith(RESULT);
}

/** The reply that announces an end, named by its time; a later one replaces it. */
export function resultPost(approval: Approval): Post | undefined {
  const { result, channel } = approval;
  if (result === undefined || stateOf(result) === 'running') return undefined;
  return postNamed(approval, `${RESULT}${lastOf(result.reports).at}`, channel);
}
