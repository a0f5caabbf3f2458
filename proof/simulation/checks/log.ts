import { accountsOf, type Case, STATUS_OF, violation } from '../case.ts';
import type { AuditSeen, Violation } from '../evidence.ts';

/** The audit log says what happened: nothing is missing, false or repeated. */
export function log(seen: Case): Violation[] {
  const { audit } = seen;
  if (audit === null) return [];
  const named = (action: string) => audit.filter((each) => each.action === action);
  return [
    ...outcomes(seen, named('approvals.outcome')),
    ...untraced(seen, named('approvals.respond')),
    ...neverTold(seen, named('approvals.told')),
    ...neverPressed(seen, named('approvals.ballot')),
    ...neverPosted(seen, named('approvals.post')),
  ];
}

function outcomes(seen: Case, entries: readonly AuditSeen[]): Violation[] {
  const wrong: Violation[] = [];
  const { effects, authority } = seen.approval;
  const own = entries.filter(({ facts }) => facts.recalled !== true);
  if (own.length > 1 && seen.run.lapses.length === 0) {
    wrong.push(violation(seen, 'double', `the log has ${own.length} outcomes`));
  }
  if (authority === 'gatepost') return wrong;
  for (const { facts } of own) {
    if (effects.some(({ status }) => status === facts.status)) continue;
    wrong.push(violation(seen, 'false', `the log says ${facts.status}, and the service does not`));
  }
  const isWithdrawn = seen.audit?.some(({ action }) => action === 'approvals.withdrawn');
  const isDone = effects.length > 0 && seen.records.length > 0 && !isWithdrawn;
  if (isDone && entries.length === 0 && seen.run.lapses.length === 0) {
    wrong.push(violation(seen, 'lost', 'the log does not have its outcome'));
  }
  return wrong;
}

/** What took effect through Gatepost was noted before it was sent. */
function untraced(seen: Case, entries: readonly AuditSeen[]): Violation[] {
  if (seen.run.lapses.length > 0) return [];
  return seen.approval.effects.flatMap(({ how, status, serviceUser, at }) => {
    if (how !== 'interface') return [];
    const named = serviceUser === null ? null : accountsOf(seen.run, serviceUser);
    const isNoted = entries.some(
      ({ actor, facts }) =>
        named?.includes(actor) !== false &&
        (facts.action === 'approve' || facts.action === 'reject') &&
        STATUS_OF[facts.action] === status,
    );
    if (isNoted) return [];
    const person = named?.[0] ?? null;
    return [violation(seen, 'lost', 'the log does not say that it was sent', { person, at })];
  });
}

/** Replies that are in the log, and that nobody read. */
function neverTold(seen: Case, entries: readonly AuditSeen[]): Violation[] {
  const read = new Map<string, number>();
  const keyOf = (person: unknown, text: unknown) => JSON.stringify([person, text]);
  for (const { person, text } of seen.told) {
    const key = keyOf(person, text);
    read.set(key, (read.get(key) ?? 0) + 1);
  }
  return entries.flatMap(({ facts }) => {
    const key = keyOf(facts.user, facts.text);
    const left = read.get(key) ?? 0;
    read.set(key, left - 1);
    // Longer ones are kept in part.
    if (left > 0 || String(facts.text).length >= KEPT_TEXT_MAX) return [];
    const person = String(facts.user);
    return [
      violation(seen, 'false', `the log has a sentence nobody read: ${facts.text}`, { person }),
    ];
  });
}

const KEPT_TEXT_MAX = 1_000;

function neverPressed(seen: Case, entries: readonly AuditSeen[]): Violation[] {
  return entries.flatMap(({ actor, facts }) => {
    const isPressed = seen.presses.some(
      ({ person, action }) => person === actor && action === facts.action,
    );
    if (isPressed) return [];
    const what = `the log has a ballot (${facts.action}) that was never pressed`;
    return [violation(seen, 'false', what, { person: actor })];
  });
}

function neverPosted(seen: Case, entries: readonly AuditSeen[]): Violation[] {
  return entries.flatMap(({ facts }) => {
    const isThere = seen.messages.some(
      ({ channel, ts }) => channel === facts.channel && ts === facts.ts,
    );
    if (isThere) return [];
    return [violation(seen, 'false', `the log has a post that is not there: ${facts.post}`)];
  });
}
