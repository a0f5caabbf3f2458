import {
  type Case,
  couldDecide,
  personFor,
  pressesBy,
  STATUS_OF,
  violation,
  wentBackBetween,
} from '../case.ts';
import type { Effect, ServiceCall, Violation } from '../evidence.ts';

/** One effective action per approval, by people who pressed it and could, sent as is promised. */
export function decisions(seen: Case): Violation[] {
  return [
    ...once(seen),
    ...seen.approval.effects.flatMap((each) => backed(seen, each)),
    ...sent(seen),
  ];
}

function once(seen: Case): Violation[] {
  const { effects } = seen.approval;
  if (effects.length < 2) return [];
  const what = `${effects.length} actions took effect: ${effects.map(({ status }) => status).join(', ')}`;
  return [violation(seen, 'double', what, { at: effects[1]?.at ?? null })];
}

/** Whoever the service was told decided did press that and could decide, with as many others as it needs. */
function backed(seen: Case, { how, status, serviceUser, at }: Effect): Violation[] {
  const action = status === 'APPROVED' ? 'approve' : 'reject';
  if (how !== 'interface' || status === 'TIMED_OUT') return [];
  const { approval, run } = seen;
  const person = serviceUser === null ? null : personFor(run, serviceUser);
  const wrong: Violation[] = [];
  if (serviceUser !== null && person === null) {
    wrong.push(
      violation(seen, 'false', `the service was told of ${serviceUser}, who is nobody`, { at }),
    );
  }
  const pressed = person === null ? seen.presses.map((each) => each.person) : [person];
  if (!pressed.some((each) => pressesBy(seen, each, action, at).length > 0)) {
    const what = `it was ${status} through Gatepost, and nobody who is named pressed ${action}`;
    return [...wrong, violation(seen, 'false', what, { person, at })];
  }
  if (!pressed.some((each) => couldDecide(seen, each, action, at))) {
    const what = `${action} was carried out for somebody who could not decide since the press`;
    wrong.push(violation(seen, 'false', what, { person, at }));
  }
  const needed = action === 'approve' ? approval.quorum : 1;
  const able = approval.reviewers.filter((each) => couldDecide(seen, each, action, at));
  if (able.length < needed && wrong.length === 0) {
    const what = `it was approved with ${able.length} of ${needed} approvals`;
    wrong.push(violation(seen, 'false', what, { person, at }));
  }
  return wrong;
}

/** Each call is one that somebody pressed for; none is repeated early, unseen, more than once, or reversed. */
function sent(seen: Case): Violation[] {
  const responds = seen.approval.calls.filter(({ operation }) => operation === 'respond');
  return responds.flatMap((call, place) => {
    const before = responds.slice(0, place);
    return [...unasked(seen, call), ...repeated(seen, call, before)];
  });
}

function unasked(seen: Case, { action, serviceUser, at }: ServiceCall): Violation[] {
  const person = serviceUser === null ? null : personFor(seen.run, serviceUser);
  const isAsked = seen.presses.some(
    (press) =>
      press.at <= at && press.action === action && (person === null || press.person === person),
  );
  if (isAsked) return [];
  return [violation(seen, 'false', `${action} was sent, which nobody pressed`, { person, at })];
}

function repeated(seen: Case, call: ServiceCall, before: readonly ServiceCall[]): Violation[] {
  const last = before.at(-1);
  // What was refused was not done: pressing again sends it again.
  if (last === undefined || !mayHaveWorked(last)) return [];
  const { at } = call;
  // What was sent before the other one and arrives behind it was forgotten in between.
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
  const lost = before.filter((each) => mayHaveWorked(each) && isSameAs(last, each));
  if (!isSameAs(last, call))
    return isReleased(seen, last, lost.length, at) ? [] : wrong(reversed(last, call));
  const person = call.serviceUser === null ? null : personFor(seen.run, call.serviceUser);
  const presses = seen.presses.filter(
    (each) =>
      each.at <= at && each.action === call.action && (person === null || each.person === person),
  );
  if (lost.length < 2 * Math.max(1, presses.length)) return [];
  return wrong(`${call.action} was sent ${lost.length + 1} times for ${presses.length} presses`);
}

function reversed(last: ServiceCall, call: ServiceCall): string {
  return `${call.action} was sent although it was not known what became of ${last.action}`;
}

/**
 * Others can decide once it was sent twice in vain, or its person was told how it ended. That it is in doubt
 * may arrive after the next answer was sent: Slack may have been away.
 */
function isReleased(seen: Case, last: ServiceCall, lost: number, until: number): boolean {
  const person = last.serviceUser === null ? null : personFor(seen.run, last.serviceUser);
  const isTold = seen.told.some(
    ({ at, person: whom, text }) =>
      at >= last.at && (at <= until || IN_DOUBT.test(text)) && (person === null || whom === person),
  );
  return lost >= 2 || isTold;
}

const IN_DOUBT = /The decision may not have reached the service/;

function isSameAs(one: ServiceCall, other: ServiceCall): boolean {
  return one.action === other.action && one.serviceUser === other.serviceUser;
}

/** It may have been long on its way. */
function sentAt(call: ServiceCall): number {
  return call.sentAt ?? call.at;
}

/** Answered with what is no refusal, or not at all. */
function mayHaveWorked({ status }: ServiceCall): boolean {
  return status === null || status >= 500 || status === 200;
}

/** A clock that is set forward makes a call one that ended long ago, as the docs say. */
function clockMoved({ run }: Case, from: number, until: number): boolean {
  return run.interruptions.some(
    (each) => each.what.startsWith('clock') && each.from <= until && each.to >= from,
  );
}

/** Whether the press led to what took effect, for this person. */
export function isCarriedOut(seen: Case, person: string, action: 'approve' | 'reject'): boolean {
  const { approval, run, audit } = seen;
  const isTheirs = approval.effects.some(
    ({ status, how, serviceUser }) =>
      how === 'interface' &&
      status === STATUS_OF[action] &&
      serviceUser !== null &&
      personFor(run, serviceUser) === person,
  );
  const isNoted = audit?.some(
    (each) =>
      each.action === 'approvals.outcome' &&
      each.facts.status === STATUS_OF[action] &&
      each.actor.split(',').includes(person),
  );
  return isTheirs || isNoted === true;
}
