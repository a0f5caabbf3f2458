import type { Case } from '../case.ts';
import type { ReportSeen } from '../evidence.ts';
import type { Newer } from '../newer.ts';
import { type RuleMet, row, told } from './row.ts';

/** What automations say later: a newer request, and the result. */
export const RESULT_ROWS: readonly RuleMet[] = [
  row('newer request', 'replaces an older one', (seen) => (isReplaced(seen) ? 1 : 0)),
  row('newer request', 'is one of several', (seen) =>
    isReplaced(seen) && seen.newer.length > 1 ? 1 : 0,
  ),
  row(
    'newer request',
    'posted before an older one looks for others',
    (seen) => seen.newer.filter((each) => isPostedMeanwhile(seen, each)).length,
  ),
  row('newer request', 'comes while somebody presses', (seen) =>
    told(seen, /was replaced by a newer request/),
  ),

  row('result', 'before the approval', (seen) => reported(seen, ({ detail }) => is(detail, EARLY))),
  row('result', 'claimed', (seen) =>
    reported(seen, (each) => each.claim !== null && isTaken(each)),
  ),
  row('result', 'claimed by another run', (seen) =>
    reported(seen, ({ detail }) => is(detail, BEGUN)),
  ),
  row('result', 'claimed again by the same run', (seen) =>
    reported(
      seen,
      (each, before) =>
        each.claim !== null &&
        isTaken(each) &&
        before.some((other) => other.claim === each.claim && isTaken(other)),
    ),
  ),
  row('result', 'running after its end', (seen) =>
    reported(
      seen,
      (each, before) =>
        each.state === 'running' && isTaken(each) && before.some((other) => isEnd(other)),
    ),
  ),
  row('result', 'succeeded', (seen) =>
    reported(seen, (each) => each.state === 'succeeded' && isTaken(each)),
  ),
  row('result', 'failed', (seen) =>
    reported(seen, (each) => each.state === 'failed' && isTaken(each)),
  ),
];

function isReplaced(seen: Case): boolean {
  if (seen.newer.length === 0) return false;
  return seen.messages.some(({ versions }) =>
    versions.some(({ blocks }) => JSON.stringify(blocks).includes('replaced by')),
  );
}

/** A process stood still as soon as the older one was posted, until the newer one had looked for older ones. */
function isPostedMeanwhile(
  { messages, run }: Case,
  { isSurelyNewer, postedAt: until }: Newer,
): boolean {
  const [{ versions } = { versions: [] }] = messages;
  const postedAt = versions[0]?.at ?? Number.NaN;
  return run.interruptions.some(
    ({ what, from, to }) =>
      isSurelyNewer &&
      what.endsWith(' stands still') &&
      postedAt <= from &&
      from < postedAt + LOOKS_MS &&
      from < until &&
      until + LOOKS_MS < to,
  );
}

/** How long after its message is posted a request has looked for older ones. */
const LOOKS_MS = 3_000;

const EARLY = /not approved yet/;
const BEGUN = /^This approval was started before/;

function is(text: string | null, pattern: RegExp): boolean {
  return pattern.test(text ?? '');
}

function isTaken({ status }: ReportSeen): boolean {
  return status === 200;
}

function isEnd(report: ReportSeen): boolean {
  return report.state !== 'running' && isTaken(report);
}

function reported(
  { approval: { reports = [] } }: Case,
  isSo: (report: ReportSeen, before: readonly ReportSeen[]) => boolean,
): number {
  return reports.filter((each, place) => isSo(each, reports.slice(0, place))).length;
}
