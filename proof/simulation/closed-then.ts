import type { ClosingSeen, Evidence } from './evidence.ts';

/** Whether a route was closed, according to what an administrator typed and read: what is possible, and what is certain. */

type Run = Pick<Evidence, 'closings' | 'lapses'>;

function spansOf({ closings = [] }: Run, route: string | undefined): readonly ClosingSeen[] {
  return closings.filter((each) => each.route === route);
}

/** It is possible at some moment in between. */
export function mayBeClosed(
  run: Run,
  route: string | undefined,
  from: number,
  until: number,
): boolean {
  return spansOf(run, route).some((each) => {
    const isLost = (at: number) => run.lapses.some((lapse) => lapse.from <= at && at <= lapse.at);
    const moreMs = isLost(each.to) ? LONGEST_MS : isLost(each.from) ? AGAIN_MS : 0;
    return each.from <= until && each.to + moreMs >= from;
  });
}

/** A command that the store forgot may arrive a second time, and close it for as long from then on. */
const AGAIN_MS = 60_000;

/** Longer than any closing: a store that went back may have forgotten its end. */
const LONGEST_MS = 180_000;

/** A process that stood still learns only then that it was opened early. */
const OPENED_BY_MS = 45_000;

/** When a clock that stands still while the route is closed shows that time, at the latest. */
export function clockShowsBy(run: Run, route: string | undefined, at: number): number {
  return spansOf(run, route)
    .toSorted((one, other) => one.from - other.from)
    .reduce((shown, { from, to }) => (shown < from ? shown : shown + to + OPENED_BY_MS - from), at);
}

/** When it was certainly closed: from the time that was answered until somebody typed what may open it, or its end. */
export function surelyClosedIn(run: Run, route: string | undefined): readonly Sure[] {
  return spansOf(run, route).flatMap(({ from, surelyFrom, surelyTo }) => {
    if (surelyFrom === null || surelyFrom >= surelyTo) return [];
    // The store may have forgotten it.
    const lapse = run.lapses.find((each) => each.at >= from && each.from <= surelyTo);
    const until = lapse === undefined ? surelyTo : Math.min(surelyTo, lapse.from);
    return lapse !== undefined && lapse.from <= surelyFrom ? [] : [{ from: surelyFrom, until }];
  });
}

export interface Sure {
  readonly from: number;
  readonly until: number;
}
