import { accountsOf, type Case, violation, wentBackBetween } from '../case.ts';
import type { ServiceCall, Violation } from '../evidence.ts';

/** Once its automation knows that it is withdrawn, nothing is sent to the service, and the log begins no send. */
export function withdrawals(seen: Case): Violation[] {
  return [...sentAfter(seen), ...begunAfter(seen)];
}

/** What was sent before may arrive later. */
function sentAfter(seen: Case): Violation[] {
  const { withdrawals: all, calls } = seen.approval;
  const answers = all.flatMap(({ at, answeredAt }) =>
    answeredAt === null ? [] : [{ at, answeredAt }],
  );
  const isSentAfter = ({ operation, sentAt }: ServiceCall) =>
    operation === 'respond' &&
    sentAt !== undefined &&
    answers.some(({ at, answeredAt }) => answeredAt < sentAt && !wentBackBetween(seen, at, sentAt));
  return calls.filter(isSentAfter).map(({ action, serviceUser, sentAt }) => {
    const person = serviceUser === null ? null : (accountsOf(seen.run, serviceUser)[0] ?? null);
    const what = `${action} was sent after its automation knew that it was withdrawn`;
    return violation(seen, 'false', what, { person, at: sentAt ?? null });
  });
}

/** The log goes back with the store, so its order also holds then. */
function begunAfter(seen: Case): Violation[] {
  const { audit } = seen;
  const entries = audit ?? [];
  return entries.flatMap(({ action, record, actor, facts }, place) => {
    const isWithdrawn = entries
      .slice(0, place)
      .some((each) => each.action === 'approvals.withdrawn' && each.record === record);
    if (action !== 'approvals.respond' || !isWithdrawn) return [];
    const what = `the log has that ${facts.action} is sent after its withdrawal`;
    return [violation(seen, 'false', what, { person: actor })];
  });
}
