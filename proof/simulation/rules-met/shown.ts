import type { Case } from '../case.ts';
import { sendsOf } from '../checks/homes.ts';
import { logged, type RuleMet, row, told } from './row.ts';

/** What the others are told of a self-approval, and what people see that has changed since or is in doubt. */
export const SHOWN_ROWS: readonly RuleMet[] = [
  row('self-approval', 'told', (seen) => logged(seen, 'approvals.self-approval')),
  row('self-approval', 'told late', (seen) =>
    waitsToTell(seen) ? logged(seen, 'approvals.self-approval') : 0,
  ),
  row('self-approval', 'reviewed', (seen) => logged(seen, 'approvals.self-approval.reviewed')),
  row('self-approval', 'reviewed by the requester', (seen) =>
    told(seen, /so another reviewer has to press Reviewed\.$/),
  ),
  row('self-approval', 'nobody else to tell', (seen) =>
    told(seen, /has no other reviewer who can be told first/),
  ),
  row('self-approval', 'pressed without a reason', (seen) =>
    seen.approval.isLoud === true ? told(seen, / needs a reason, so your decision /) : 0,
  ),

  row('what was shown', 'changed since, on the Home tab', (seen) => outdated(seen, false)),
  row('what was shown', 'changed since, in a form for several', (seen) => outdated(seen, true)),

  row('Home tab', 'published while a decision is in doubt', publishedInDoubt),

  row('decided', 'listed on several pages', listedOnSeveral),
];

/** More than fit on two pages of `/approvals`. */
const SEVERAL_PAGES = 20;

function listedOnSeveral({ approval, run }: Case): number {
  const whole = (run.lists ?? []).filter(({ isOfDecided, isWhole }) => isOfDecided && isWhole);
  return whole.filter(
    ({ titles }) => titles.length > SEVERAL_PAGES && titles.includes(approval.title),
  ).length;
}

/** Its message said that the others have to be told first. */
function waitsToTell({ messages }: Case): boolean {
  return messages.some(({ versions }) =>
    versions.some(({ blocks }) =>
      JSON.stringify(blocks).includes('first has to tell the other reviewers'),
    ),
  );
}

function outdated(seen: Case, isOfSeveral: boolean): number {
  const own = seen.presses.filter(
    (each) => each.isElsewhere === true && (each.isOfSeveral ?? false) === isOfSeveral,
  );
  return own.filter(({ person, at }) =>
    seen.told.some(
      (each) =>
        each.person === person &&
        each.at >= at &&
        / has changed since you opened it/.test(each.text),
    ),
  ).length;
}

/** How many Home tabs of people who can decide it did not have to show it then. */
function publishedInDoubt(seen: Case): number {
  const { approval, run } = seen;
  const readers = approval.home?.waitsFor ?? [];
  const tabs = (run.homes ?? []).filter(({ person }) => readers.includes(person));
  const sends = sendsOf(seen).filter(({ from, until }) => until === from + run.limits.quietMs);
  return tabs.filter((tab) => sends.some(({ from, until }) => from < tab.from && tab.at < until))
    .length;
}
