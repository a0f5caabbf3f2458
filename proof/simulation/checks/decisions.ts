import {
  accountsOf,
  actionOf,
  type Case,
  couldDecide,
  effectBy,
  mayBeForgotten,
  mayCount,
  pressesBy,
  rightsOf,
  STATUS_OF,
  violation,
  votersOf,
  wentBackBetween,
} from '../case.ts';
import { countOf } from '../enough.ts';
import type { Effect, ServiceCall, Violation } from '../evidence.ts';
import { statedIn } from './messages.ts';

/** One effective action per approval, by people who pressed it and could decide, sent as promised. */
export function decisions(seen: Case): Violation[] {
  return [
    ...once(seen),
    ...seen.approval.effects.flatMap((each) => backed(seen, each)),
    ...sent(seen),
    ...ownGate(seen),
  ];
}

function once(seen: Case): Violation[] {
  const { effects } = seen.approval;
  if (effects.length < 2) return [];
  const what = `${effects.length} actions took effect: ${effects.map(({ status }) => status).join(', ')}`;
  return [violation(seen, 'double', what, { at: effects[1]?.at ?? null })];
}

/** The person named to the service pressed that and could decide, together with as many others as are needed. */
function backed(seen: Case, { how, status, serviceUser, at }: Effect): Violation[] {
  const action = status === 'APPROVED' ? 'approve' : 'reject';
  if (how !== 'interface' || status === 'TIMED_OUT') return [];
  const { approval } = seen;
  const named = namedBy(seen, serviceUser);
  const person = named?.[0] ?? null;
  const wrong: Violation[] = [];
  if (named?.length === 0) {
    wrong.push(
      violation(seen, 'false', `the service was told of ${serviceUser}, who is nobody`, { at }),
    );
  }
  const pressed = named ?? seen.presses.map((each) => each.person);
  if (!pressed.some((each) => pressesBy(seen, each, action, at).length > 0)) {
    const what = `it was ${status} through Gatepost, and nobody who is named pressed ${action}`;
    return [...wrong, violation(seen, 'false', what, { person, at })];
  }
  if (!pressed.some((each) => couldDecide(seen, each, action, at))) {
    const what = `${action} was carried out for somebody who could not decide since the press`;
    wrong.push(violation(seen, 'false', what, { person, at }));
  }
  const needed = action === 'approve' ? approval.quorum : 1;
  const able = votersOf(seen).filter((each) => couldDecide(seen, each, action, at));
  const have = countOf(seen, able, at);
  if (have < needed && wrong.length === 0) {
    const what = `it was approved with ${have} of ${needed} approvals`;
    wrong.push(violation(seen, 'false', what, { person, at }));
  }
  return wrong;
}

/** Each call has a press behind it; none is repeated too early, without a read, more than once, or reversed. */
function sent(seen: Case): Violation[] {
  const responds = seen.approval.calls.filter(({ operation }) => operation === 'respond');
  return responds.flatMap((call, place) => {
    const before = responds.slice(0, place);
    const unasked = isAsked(seen, call)
      ? [...overtaken(seen, call), ...byOldRules(seen, call)]
      : [notAsked(seen, call)];
    return [...unasked, ...repeated(seen, call, before)];
  });
}

/** Slack ids of the person a call names; null: it names nobody. */
function namedBy({ run }: Case, serviceUser: string | null): readonly string[] | null {
  return serviceUser === null ? null : accountsOf(run, serviceUser);
}

function isAsked(seen: Case, { action, serviceUser, at }: ServiceCall): boolean {
  const named = namedBy(seen, serviceUser);
  return seen.presses.some(
    (press) => press.at <= at && press.action === action && named?.includes(press.person) !== false,
  );
}

function notAsked(seen: Case, { action, serviceUser, at }: ServiceCall): Violation {
  const person = namedBy(seen, serviceUser)?.[0] ?? null;
  return violation(seen, 'false', `${action} was sent, which nobody pressed`, { person, at });
}

/** People who lost their right early enough do not count when it is sent, the first time or again. */
function overtaken(seen: Case, call: ServiceCall): Violation[] {
  const { approval, run } = seen;
  const { action, serviceUser } = call;
  const until = sentAt(call);
  const from = until - run.limits.rightMs;
  if (action === null || stoodStill(seen, from, until)) return [];
  const able = votersOf(seen).filter(
    (each) => pressesBy(seen, each, action, until).length > 0 && mayCount(seen, each, from, until),
  );
  const named = namedBy(seen, serviceUser);
  const needed = action === 'approve' ? approval.quorum : 1;
  const have = countOf(seen, able, until);
  if (have >= needed && able.some((each) => named?.includes(each) !== false)) return [];
  const what = `${action} was sent for people of whom ${have} of ${needed} could still decide`;
  return [violation(seen, 'false', what, { person: named?.[0] ?? null, at: until })];
}

/** How long a process needs to note that it sends something, if the store is fast. */
const NOTED_MS = 300;

/** Whoever was taken off its route does not count for what is sent from then on, however soon that is. */
function byOldRules(seen: Case, call: ServiceCall): Violation[] {
  const { approval, run } = seen;
  const { action } = call;
  const until = sentAt(call);
  const changedAt = (run.reloads ?? []).findLast((at) => at + NOTED_MS <= until);
  if (action === null || changedAt === undefined || changedAt < until - run.limits.rightMs)
    return [];
  if (stoodStill(seen, changedAt, until) || wasStoreSlow(seen, changedAt, until)) return [];
  const isOff = (person: string) =>
    rightsOf(run, person).some(
      (each) => each.at === changedAt && each.approval === approval.name && !each.can,
    ) && !mayCount(seen, person, changedAt + 1, until);
  const able = votersOf(seen).filter(
    (each) => pressesBy(seen, each, action, until).length > 0 && !isOff(each),
  );
  const named = namedBy(seen, call.serviceUser);
  const needed = action === 'approve' ? approval.quorum : 1;
  const isEnough = countOf(seen, able, until) >= needed;
  if (isEnough && able.some((each) => named?.includes(each) !== false)) return [];
  const what = `${action} was sent ${until - changedAt} ms after the rules had taken somebody off its route`;
  return [violation(seen, 'false', what, { person: named?.[0] ?? null, at: until })];
}

/** What was noted before then may be sent after it. */
function wasStoreSlow({ run, records }: Case, from: number, until: number): boolean {
  const isWithin = (at: number) => from <= at && at <= until;
  return (
    (run.delays ?? []).some(({ record, at }) => records.includes(record) && isWithin(at)) ||
    run.interruptions.some(
      (each) =>
        /^the store is away|line to store/.test(each.what) && each.from <= until && each.to >= from,
    )
  );
}

/** A process that was stopped, or whose clock was set, takes old knowledge for new. */
export function stoodStill(seen: Case, from: number, until: number): boolean {
  return (
    wentBackBetween(seen, from, until) ||
    clockMoved(seen, from, until) ||
    seen.run.interruptions.some(
      (each) => / stands still$/.test(each.what) && each.from <= until && each.to >= from,
    )
  );
}

/** An own gate, decided by its record: by enough people who pressed it in time and could decide. */
function ownGate(seen: Case): Violation[] {
  const { approval, audit } = seen;
  if (approval.authority !== 'gatepost' || audit === null) return [];
  return effectBy(seen, Number.POSITIVE_INFINITY).flatMap(({ status, how, people = [] }) => {
    const action = actionOf(status);
    if (how !== 'interface' || action === null) return [];
    const until = approval.deadlineAt ?? Number.POSITIVE_INFINITY;
    const able = people.filter((each) => couldDecide(seen, each, action, until));
    const have = countOf(seen, able, decidedAt(seen));
    const needed = action === 'approve' ? approval.quorum : 1;
    if (have >= needed && able.length === people.length) return [];
    const what = `it was ${status} by ${people.join(', ')}, of whom ${have} of ${needed} decided in time, and could`;
    return [violation(seen, 'false', what)];
  });
}

/** When its message said so first. */
function decidedAt(seen: Case): number {
  return statedIn(seen)[0]?.at ?? Number.POSITIVE_INFINITY;
}

function repeated(seen: Case, call: ServiceCall, before: readonly ServiceCall[]): Violation[] {
  const last = before.at(-1);
  // A refused call had no effect: pressing again sends it again.
  if (last === undefined || !mayHaveWorked(last)) return [];
  const { at } = call;
  // If a call was sent before the other one and arrives after it, it was forgotten in between.
  const from = Math.min(last.at, sentAt(call));
  if (wentBackBetween(seen, from, at) || clockMoved(seen, from, at)) return [];
  const wrong = (what: string) => [violation(seen, 'double', what, { at })];
  if (last.status === 200) return wrong(`${call.action} was sent after the service had answered`);
  const { quietMs } = seen.run.limits;
  const since = sentAt(last);
  if (sentAt(call) - since < quietMs) {
    return wrong(
      `${call.action} was sent ${sentAt(call) - since} ms after one whose answer was lost`,
    );
  }
  const isLooked = seen.approval.calls.some(
    (each) =>
      each.operation === 'read' &&
      each.status === 200 &&
      each.at >= since + quietMs &&
      each.at <= at,
  );
  if (!isLooked) return wrong(`${call.action} was sent again without reading the status first`);
  const lost = before.filter(
    (each, place) =>
      isSameAs(last, each) && (mayHaveWorked(each) || wasUnheard(seen, each, before[place + 1])),
  );
  if (!isSameAs(last, call))
    return isReleased(seen, last, lost.length, at) ? [] : wrong(reversed(last, call));
  const named = namedBy(seen, call.serviceUser);
  const presses = seen.presses.filter(
    (each) =>
      each.at <= at && each.action === call.action && named?.includes(each.person) !== false,
  );
  const known = lost.filter((each) => !mayBeForgotten(seen, sentAt(each)));
  if (known.length < 2 * Math.max(1, presses.length)) return [];
  return wrong(`${call.action} was sent ${known.length + 1} times for ${presses.length} presses`);
}

function reversed(last: ServiceCall, call: ServiceCall): string {
  return `${call.action} was sent although it was not known what became of ${last.action}`;
}

/**
 * Others can decide once it was sent twice without success, or its author was told how it ended. The reply about the
 * doubt may arrive after the next decision was sent: Slack may have been away.
 */
function isReleased(seen: Case, last: ServiceCall, lost: number, until: number): boolean {
  const named = namedBy(seen, last.serviceUser);
  const isTold = seen.told.some(
    ({ at, person, text }) =>
      at >= last.at && (at <= until || IN_DOUBT.test(text)) && named?.includes(person) !== false,
  );
  return lost >= 2 || isTold;
}

const IN_DOUBT = /The decision may not have reached the service/;

function isSameAs(one: ServiceCall, other: ServiceCall): boolean {
  return one.action === other.action && one.serviceUser === other.serviceUser;
}

/** It may have been in flight for long. */
export function sentAt(call: ServiceCall): number {
  return call.sentAt ?? call.at;
}

/** Answered with something other than a refusal, or not at all. */
function mayHaveWorked({ status }: ServiceCall): boolean {
  return status === null || status >= 500 || status === 200;
}

/** It was refused, and no process had heard that as the same was sent again. */
function wasUnheard(seen: Case, call: ServiceCall, next: ServiceCall | undefined): boolean {
  const { heardAt } = call;
  if (next === undefined || heardAt === undefined || !isSameAs(call, next)) return false;
  const [from, until] = [sentAt(call), sentAt(next)];
  // The store may have forgotten that it was sent.
  if (from >= until || wentBackBetween(seen, from, until)) return false;
  return heardAt === null || heardAt > until;
}

/** If a clock is set forward, a call counts as one that ended long ago, as the docs say. */
function clockMoved({ run }: Case, from: number, until: number): boolean {
  return run.interruptions.some(
    (each) => each.what.startsWith('clock') && each.from <= until && each.to >= from,
  );
}

/** Whether the press led to the effective action, for this person. */
export function isCarriedOut(seen: Case, person: string, action: 'approve' | 'reject'): boolean {
  const { approval, run, audit } = seen;
  const isTheirs = approval.effects.some(
    ({ status, how, serviceUser }) =>
      how === 'interface' &&
      status === STATUS_OF[action] &&
      serviceUser !== null &&
      accountsOf(run, serviceUser).includes(person),
  );
  const isNoted = audit?.some(
    (each) =>
      each.action === 'approvals.outcome' &&
      each.facts.status === STATUS_OF[action] &&
      each.actor.split(',').includes(person),
  );
  return isTheirs || isNoted === true;
}
