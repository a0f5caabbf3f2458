import { type Case, mayBeForgotten, pressesBy, violation } from '../case.ts';
import type { Violation } from '../evidence.ts';

/**
 * Nobody decides what they have not read: a press where the description was still missing does not count once its
 * message has it, and its person is told so.
 */
export function outdated(seen: Case): Violation[] {
  const { prompt } = seen.approval;
  const { audit, messages } = seen;
  if (prompt === undefined || audit === null) return [];
  const said = messages.flatMap(({ versions }) =>
    versions.filter(({ blocks }) => JSON.stringify(blocks).includes(prompt)).map(({ at }) => at),
  );
  // A store that went back may have lost the description, which is then shown again.
  const kept = said.filter((at) => !mayBeForgotten(seen, at));
  const saidAt = Math.min(...kept);
  return seen.presses.flatMap(({ person, action, at, read }) => {
    if (read === undefined || read.includes(prompt) || at < saidAt) return [];
    // Another press of theirs may have counted.
    const isOnly = pressesBy(seen, person, null, Number.POSITIVE_INFINITY).length === 1;
    const isCounted = audit.some(
      (each) =>
        each.action === 'approvals.ballot' &&
        each.actor === person &&
        each.facts.refused === undefined,
    );
    if (!isOnly || !isCounted) return [];
    const what = `${action} counted, and ${person} had not read what its message said by then`;
    return [violation(seen, 'false', what, { person, at })];
  });
}
