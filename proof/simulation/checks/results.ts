import {
  type Case,
  effectBy,
  mayBeLost,
  postOf,
  recordOf,
  violation,
  wentBackBetween,
} from '../case.ts';
import type { MessageSeen, ReportSeen, Violation, WorkState } from '../evidence.ts';
import { statedIn } from './messages.ts';

/**
 * What an automation reports of approved work is taken only after the approval, and shown; one approval runs once: the
 * first run that claims it is told so, and no other.
 */
export function results(seen: Case): Violation[] {
  const { reports = [] } = seen.approval;
  return [
    ...reports.flatMap((each) => [...wronglyTaken(seen, each), ...wronglyRefused(seen, each)]),
    ...claimedTwice(seen, reports),
    ...seen.messages.flatMap((each) => untrue(seen, each)),
    ...unshown(seen, reports),
  ];
}

const OPEN = /not approved yet/;
const CLAIMED = /^This approval was started before/;

function isTaken({ status }: ReportSeen): boolean {
  return status === 200;
}

function wronglyTaken(seen: Case, report: ReportSeen): Violation[] {
  const { answeredAt, at } = report;
  if (!isTaken(report) || answeredAt === null || seen.run.lapses.length > 0) return [];
  if (effectBy(seen, answeredAt).some(({ status }) => status === 'APPROVED')) return [];
  return [violation(seen, 'false', 'a result was taken, and it was not approved', { at })];
}

function wronglyRefused(seen: Case, { at, answeredAt, status, detail, claim }: ReportSeen) {
  if (status !== 409 || answeredAt === null) return [];
  const { reports = [] } = seen.approval;
  const isOpen = OPEN.test(detail ?? '');
  const isShown = statedIn(seen).some((each) => each.status === 'APPROVED' && each.at < at);
  if (isOpen && isShown && seen.run.lapses.length === 0) {
    const what = 'a result was refused as too early when its message said that it was approved';
    return [violation(seen, 'false', what, { at })];
  }
  const mayBeOthers = reports.some((each) => each.claim !== claim && each.at <= answeredAt);
  if (!CLAIMED.test(detail ?? '') || mayBeOthers) return [];
  return [violation(seen, 'lost', `${claim} was refused, and nobody had begun`, { at })];
}

/** A store that went back may have forgotten who claimed it before its message says so. */
function claimedTwice(seen: Case, reports: readonly ReportSeen[]): Violation[] {
  const mayHaveBegun = (claim: string, until: number) =>
    reports.some((own) => own.claim === claim && own.at < until);
  return reports.flatMap((later) => {
    const { claim, at, answeredAt } = later;
    if (claim === null || answeredAt === null || !isTaken(later)) return [];
    const before = reports.find(
      (each) =>
        isTaken(each) &&
        each.claim !== claim &&
        (each.answeredAt ?? at) < at &&
        // A run that has claimed it reports without its name.
        (each.claim !== null || !mayHaveBegun(claim, each.answeredAt ?? at)) &&
        !wentBackBetween(seen, each.at, answeredAt),
    );
    if (before === undefined) return [];
    const what = `${claim} may run, after ${before.claim ?? `a run that reported ${before.state}`}`;
    return [violation(seen, 'double', what, { at })];
  });
}

const WORDS: Readonly<Record<string, WorkState>> = {
  Running: 'running',
  'No report since': 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
};

/** What a version says of the work; undefined: nothing. */
function workIn(blocks: readonly unknown[]): WorkState | undefined {
  const [, word = ''] =
    /:[a-z_]+: \*(Running|No report since|Succeeded|Failed)\*/.exec(JSON.stringify(blocks)) ?? [];
  return WORDS[word];
}

const RESULT = 'result-';

function isOfResult(message: MessageSeen): boolean {
  const post = postOf(message) ?? '';
  return post.startsWith('message') || post.startsWith(RESULT);
}

function untrue(seen: Case, message: MessageSeen): Violation[] {
  const { reports = [] } = seen.approval;
  if (!isOfResult(message)) return [];
  return message.versions.flatMap(({ blocks, at }) => {
    const state = workIn(blocks);
    if (state === undefined || reports.some((each) => each.state === state && each.at <= at))
      return [];
    const what = `${postOf(message)} said that the work ${state}, which nobody had reported`;
    return [violation(seen, 'false', what, { at })];
  });
}

/** An end that was taken is shown by its message and announced in its thread, unless Slack refused that. */
function unshown(seen: Case, reports: readonly ReportSeen[]): Violation[] {
  const ends = reports.filter((each) => isTaken(each) && each.state !== 'running');
  const [first] = ends;
  const { lapses } = seen.run;
  if (first?.answeredAt == null || lapses.length > 0 || mayBeLost(seen, first.answeredAt))
    return [];
  const own = seen.messages.filter(
    (each) => recordOf(each) === seen.records.at(-1) && each.deletedAt === null,
  );
  const main = own.findLast((each) => postOf(each)?.startsWith('message') === true);
  const last = main?.versions.at(-1);
  // A message that somebody deletes afterwards is not posted again for its result.
  if (last === undefined || seen.messages.some(({ deletedAt }) => deletedAt !== null)) return [];
  const wrong: string[] = [];
  const shown = workIn(last.blocks);
  if (!ends.some(({ state }) => state === shown))
    wrong.push(`its work ${first.state}, and its message says ${shown ?? 'nothing'} of it`);
  const isRefused = seen.approval.refusals?.some(({ post }) => post.startsWith(RESULT)) === true;
  if (!isRefused && !own.some((each) => postOf(each)?.startsWith(RESULT) === true))
    wrong.push(`its work ${first.state}, and its thread says nothing of it`);
  return wrong.map((what) => violation(seen, 'lost', what, { at: first.at }));
}
