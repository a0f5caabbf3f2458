import { type Case, isForgotten, postOf, recordOf, violation } from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import { mayBeClosed, type Sure, surelyClosedIn } from '../closed-then.ts';
import { needsOf } from '../enough.ts';
import type { Interruption, MessageSeen, Violation } from '../evidence.ts';
import { sentAt } from './decisions.ts';

/**
 * While a route is closed no approval is sent or recorded, nobody is asked, and whoever approves is told so, once; each
 * opening asks once. A request is never said to be closed if its route was open from the start.
 */
export function closings(seen: Case): Violation[] {
  const { run, approval } = seen;
  const sure = surelyClosedIn(run, approval.route);
  return [
    ...openings(seen),
    ...lies(seen),
    ...shownClosed(seen),
    ...leftEnough(seen),
    ...sure.flatMap((span) => [...decided(seen, span), ...asked(seen, span)]),
  ];
}

/** Sent to the service; for an own gate, recorded. */
function decided(seen: Case, { from, until }: Sure): Violation[] {
  const { approval, audit } = seen;
  const sent = approval.calls.filter(({ action }) => action === 'approve').map(sentAt);
  const recorded = (audit ?? []).flatMap(({ action, facts, at }) => {
    const isOwn = approval.authority === 'gatepost' && action === 'approvals.outcome';
    return isOwn && facts.status === 'APPROVED' && at !== undefined ? [at] : [];
  });
  return [...sent, ...recorded]
    .filter((at) => from <= at && at <= until)
    .map((at) => violation(seen, 'false', 'it was approved while its route was closed', { at }));
}

/**
 * How soon its message has to say it: every request of the route is signalled, and a process may have to be replaced, or
 * leave a record to the next one because the store did not answer.
 */
export const KNOWN_MS = 28_000;
/** How long what hinders a process is noticed. */
const HINDERED_MS = 15_000;
const CALLS = /^(?:reminder-|last-call$|escalation-|opened-)/;

function asked(seen: Case, { from, until }: Sure): Violation[] {
  if (isForgotten(seen)) return [];
  const since = from + KNOWN_MS;
  return seen.messages.flatMap((message) => {
    if (recordOf(message) !== seen.records.at(-1)) return [];
    const post = postOf(message) ?? '';
    const [first] = message.versions;
    if (first === undefined) return [];
    if (CALLS.test(post)) {
      const isInside = first.at >= since && first.at <= until;
      if (!isInside || isHindered(seen, from, first.at)) return [];
      return [violation(seen, 'false', `${post} was posted while it was closed`, { at: first.at })];
    }
    if (!post.startsWith('message')) return [];
    return message.versions.flatMap((version, place) => {
      const shownUntil = message.versions[place + 1]?.at ?? message.deletedAt;
      const to = Math.min(shownUntil ?? Number.POSITIVE_INFINITY, until);
      const shownFor = to - Math.max(version.at, from);
      if (!isAsking(claimsOf(version)) || shownFor < KNOWN_MS) return [];
      if (isHindered(seen, Math.max(version.at, from), to)) return [];
      const what = 'its message asked people while it was closed';
      return [violation(seen, 'false', what, { at: to })];
    });
  });
}

/** It mentions somebody, which notifies them. */
function isAsking({ asks, waitsForService }: Claims): boolean {
  if (asks === null || waitsForService) return false;
  return [...asks.people, ...asks.noted, ...asks.groups, ...asks.notedGroups].length > 0;
}

/** Nothing could be saved or shown for a while. */
function isHindered({ run, approval }: Case, from: number, until: number): boolean {
  const closed = run.closures?.filter(({ channel }) => channel === approval.channel) ?? [];
  const hinders = ({ what }: Interruption) =>
    /store is away|line to (?:slack|store)|is killed|stands still/.test(what);
  return [...run.interruptions.filter(hinders), ...closed].some(
    (each) => each.from <= until && each.to + HINDERED_MS >= from,
  );
}

/** Each opening asks once. */
function openings(seen: Case): Violation[] {
  const { run, approval, messages } = seen;
  const posts = messages.filter(isOpening);
  const closed = (run.closings ?? []).filter(({ route }) => route === approval.route);
  if (posts.length <= closed.length || run.lapses.length > 0) return [];
  const what = `it was said ${posts.length} times that it is open again, after ${closed.length} closings`;
  return [violation(seen, 'double', what)];
}

function isOpening(message: MessageSeen): boolean {
  return postOf(message)?.startsWith('opened-') === true;
}

const TOLD_CLOSED = /\* is closed until <!date|^It was not sent again: the route is closed/;
/** How long an answer may take. */
const ANSWER_MS = 120_000;

/** That it is closed is said to people who pressed while it was, once for each press. */
function lies(seen: Case): Violation[] {
  const told = seen.told.filter(({ text }) => TOLD_CLOSED.test(text));
  const untrue = told
    .filter(({ at }) => !mayBeClosedBetween(seen, at - ANSWER_MS, at))
    .map(({ person, at }) =>
      violation(seen, 'false', `${person} was told that it is closed, and it was open`, {
        person,
        at,
      }),
    );
  const people = [...new Set(told.map(({ person }) => person))];
  const twice = people.flatMap((person) => {
    const own = told.filter((each) => each.person === person && each.answered);
    // A press may be answered twice: once as it comes, and once when its decision is not sent.
    const presses = seen.presses.filter(
      (each) => each.person === person && each.action === 'approve',
    );
    const doubled = presses.filter((each) => each.doubled);
    const isRepeated = seen.run.lapses.length > 0 || seen.run.interruptions.length > 0;
    if (own.length <= presses.length + doubled.length || isRepeated) return [];
    const what = `${person} was told ${own.length} times that it is closed, and pressed ${presses.length} times`;
    return [violation(seen, 'double', what, { person })];
  });
  return [...untrue, ...twice];
}

/** The message of a request that came while its route was open, and was not closed since. */
function shownClosed(seen: Case): Violation[] {
  return seen.messages.flatMap((message) => {
    const said = message.versions.find(
      (version) => claimsOf(version).closed && !mayBeClosedBetween(seen, 0, version.at),
    );
    if (said === undefined) return [];
    const what = `${postOf(message)} said that it is closed, and it was open`;
    return [violation(seen, 'false', what, { at: said.at })];
  });
}

/** If an approval has to be given again, those that are left are not enough: otherwise they would wait for nothing. */
function leftEnough(seen: Case): Violation[] {
  const { quorum } = seen.approval;
  // Enough people need not fill all places.
  if (needsOf(seen).length > 0) return [];
  return seen.messages.flatMap((message) => {
    const said = message.versions.find(
      (version) => (claimsOf(version).countsStill ?? []).length >= quorum,
    );
    if (said === undefined) return [];
    const left = claimsOf(said).countsStill?.join(', ');
    const what = `${postOf(message)} said that Approve has to be pressed again, and ${left} were enough`;
    return [violation(seen, 'false', what, { at: said.at })];
  });
}

/** Since then, and since there was the request. */
function mayBeClosedBetween({ run, approval }: Case, from: number, until: number): boolean {
  return mayBeClosed(run, approval.route, Math.max(from, approval.madeAt), until);
}
