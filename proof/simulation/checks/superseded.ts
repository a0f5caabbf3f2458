import { type Case, postOf, recordOf, violation, wentBackBetween } from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { Violation } from '../evidence.ts';
import { sentAt } from './decisions.ts';

/** How long a newer request needs at most to withdraw the older ones, also if a process ends, or the store is away. */
const WITHDRAWN_BY_MS = 60_000;

/**
 * A request that is replaced by a newer one says so, with a link, and is not decided any more: see `newerThan` for
 * which ones are newer. That nothing else says it is withdrawn is checked with the messages.
 */
export function superseded(seen: Case): Violation[] {
  return [...decidedAfter(seen), ...misled(seen)];
}

function decidedAfter(seen: Case): Violation[] {
  const { approval, newer, messages } = seen;
  const by = newer.find(({ isSurelyNewer }) => isSurelyNewer);
  if (by === undefined || wentBackBetween(seen, approval.madeAt, Number.POSITIVE_INFINITY))
    return [];
  const until = by.postedAt + WITHDRAWN_BY_MS;
  const late = approval.calls.find(
    (call) => call.operation === 'respond' && sentAt(call) > until && call.status === 200,
  );
  if (late !== undefined) {
    const what = `${late.action} was sent long after ${by.name} had replaced it`;
    return [violation(seen, 'false', what, { at: sentAt(late) })];
  }
  const own = messages.filter(
    (each) =>
      recordOf(each) === seen.records.at(-1) &&
      postOf(each)?.startsWith('message') &&
      // A withdrawn request is not posted again.
      each.deletedAt === null,
  );
  const isEnded = own.some(({ versions }) =>
    versions.some((each) => {
      const { status, withdrawn } = claimsOf(each);
      return withdrawn || (status !== null && (each.sentAt ?? each.at) <= until);
    }),
  );
  const isOver = approval.effects.some(({ at }) => at <= until);
  const mayEnd = approval.deadlineAt !== null && approval.deadlineAt <= until;
  if (isEnded || isOver || mayEnd || own.length === 0) return [];
  const what = `${by.name} is newer and was posted, and its message does not say that it is replaced`;
  return [violation(seen, 'lost', what, { at: by.postedAt })];
}

/** It links to a message of a newer one; a store that went back may have got the older one again, and later. */
function misled(seen: Case): Violation[] {
  const places = seen.newer.flatMap((each) => each.places);
  return seen.messages.flatMap(({ versions }) =>
    versions.flatMap(({ blocks, at }) => {
      const text = JSON.stringify(blocks);
      const [, link = ''] = /replaced by <[^|>]*\/archives\/(\w+\/p\d+)/.exec(text) ?? [];
      if (!text.includes('replaced by') || wentBackBetween(seen, seen.approval.madeAt, at))
        return [];
      if (places.some(({ channel, ts }) => link === `${channel}/p${ts.replace('.', '')}`))
        return [];
      const what = `its message said that it is replaced by ${link || 'something'}, which is not newer`;
      return [violation(seen, 'false', what, { at })];
    }),
  );
}
