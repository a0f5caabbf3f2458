import {
  acceptedBallots,
  giverIn,
  giversTo,
  isSurelyAway,
  mayBeAway,
  mayStandIn,
  substitutesOf,
  surelyStandsIn,
  turnsOf,
  wasSurelyAway,
} from '../absent.ts';
import {
  acceptedIn,
  type Case,
  hadRightFor,
  isForgotten,
  isSurelyMember,
  knownFrom,
  postOf,
  pressesBy,
  recordOf,
  rightsOf,
  violation,
  wasInterrupted,
  wasReviewer,
  wentBackBetween,
} from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import { clockShowsBy } from '../closed-then.ts';
import type {
  AuditSeen,
  Evidence,
  Interruption,
  MessageSeen,
  Press,
  Told,
  Version,
  Violation,
} from '../evidence.ts';

/**
 * People who are away are not mentioned, and others are; nobody decides in the place of somebody who did not name them,
 * or could not decide; people who are away are told what was decided in their place.
 */
export function absences(seen: Case): Violation[] {
  const away = seen.run.absences ?? [];
  if (away.length === 0) return [];
  return [
    ...seen.messages.flatMap((each) => asked(seen, each)),
    ...seen.messages.flatMap((each) => askedFirst(seen, each)),
    ...seen.messages.flatMap((each) => called(seen, each)),
    ...acceptedBallots(seen).flatMap((each) => standsIn(seen, each)),
    ...misnamed(seen),
    ...told(seen),
  ];
}

/**
 * How long after somebody read that they are away, or back, every message has to say so: a process may have to be
 * replaced.
 */
const KNOWN_MS = 30_000;
/** How much longer if the store did not say who is away: it is asked again after 15 seconds. */
const UNREAD_MS = 16_000;

type Asks = NonNullable<Claims['asks']>;

/** What a message says, for how long, and until somebody presses. */
interface Shown {
  readonly asks: Asks;
  readonly from: number;
  readonly until: number;
}

/** Who the message of a request asks, in each state that it shows. */
function asked(seen: Case, message: MessageSeen): Violation[] {
  if (postOf(message)?.startsWith('message') !== true) return [];
  if (recordOf(message) !== seen.records.at(-1) || isForgotten(seen)) return [];
  const over = endOf(seen, message);
  return message.versions.flatMap((version, place) => {
    const { asks, waitsForService, undecided } = claimsOf(version);
    if (asks === null || waitsForService || undecided.length > 0) return [];
    const next = message.versions[place + 1]?.at ?? over;
    const until = Math.min(next, over, rulesChangedIn(seen.run, version.at));
    const shown = { asks, from: version.at, until };
    return RULES.flatMap(({ what, isSo }) => {
      const at = heldAt(seen, shown, (moment) => isSo(seen, shown, moment));
      return at === undefined ? [] : [violation(seen, 'false', what, { at })];
    });
  });
}

/**
 * Absences are read before the message is posted, unless the store does not answer: it says from the start what was
 * certain when it was asked for.
 */
function askedFirst(seen: Case, message: MessageSeen): Violation[] {
  const { approval, run } = seen;
  const [first] = message.versions;
  if (first === undefined || postOf(message) !== 'message') return [];
  const { asks } = claimsOf(first);
  const { madeAt: from } = approval;
  const isChanged =
    turnsOf(run).some((at) => at > from && at <= first.at) ||
    rulesChangedIn(run, from) <= first.at ||
    wentBackBetween(seen, from, first.at);
  const isUnread = run.unlisted?.some((each) => each.from <= first.at && each.to >= from);
  if (asks === null || isChanged || isUnread !== false) return [];
  const shown = { asks, from, until: first.at };
  const wrong = [
    ...(isAwayAsked(seen, shown, first.at) ? [AWAY_ASKED] : []),
    ...(isNotEscalated(seen, shown, first.at) ? [NOT_ESCALATED] : []),
  ];
  return wrong.map((what) => violation(seen, 'false', `from the start ${what}`, { at: first.at }));
}

/** A message shows the rules of before until something else changes it. */
function rulesChangedIn({ reloads = [] }: Case['run'], since: number): number {
  return reloads.find((at) => at >= since) ?? Number.POSITIVE_INFINITY;
}

/** From then on it need not say whom it asks: it has ended, or is about to. */
function endOf(seen: Case, { deletedAt }: MessageSeen): number {
  const { effects, withdrawals, deadlineAt, refusals = [] } = seen.approval;
  // A refused press changed nothing, unless the log has lost that it was accepted.
  const voters = acceptedBallots(seen).map(({ actor }) => actor);
  const isVote = ({ person }: Press) =>
    seen.audit === null || seen.run.lapses.length > 0 || voters.includes(person);
  const presses = seen.presses.filter((each) => each.action !== 'check' && isVote(each));
  const moments = [...effects, ...withdrawals, ...presses, ...refusals].map(({ at }) => at);
  return Math.min(
    ...moments,
    deadlineAt ?? Number.POSITIVE_INFINITY,
    deletedAt ?? Number.POSITIVE_INFINITY,
  );
}

/** When a condition had held for too long without anything that prevented a reaction; undefined: never. */
function heldAt(
  seen: Case,
  { from, until }: Shown,
  isSo: (at: number) => boolean,
): number | undefined {
  const { run } = seen;
  const closed = run.closures?.filter(({ channel }) => channel === seen.approval.channel) ?? [];
  const putOff = run.putOff?.map((each) => ({ ...each, to: each.to + TRIED_AGAIN_MS })) ?? [];
  const broken = run.interruptions.filter(hinders).map(untilTakenOver);
  const hindered = [...broken, ...closed, ...putOff];
  const turns = [
    ...turnsOf(run),
    ...hindered.flatMap((each) => [each.from, each.to]),
    ...run.lapses.map(({ at }) => at),
  ];
  const within = turns.filter((at) => at > from && at < until).toSorted((a, b) => a - b);
  const edges = [from, ...within, until];
  let heldMs = 0;
  for (const [place, start] of edges.slice(0, -1).entries()) {
    const end = edges[place + 1] ?? start;
    const middle = (start + end) / 2;
    if (!isSo(middle) || run.lapses.some(({ at }) => at === start)) heldMs = 0;
    if (!isSo(middle)) continue;
    const isHindered = hindered.some((each) => each.from <= middle && middle <= each.to);
    if (!isHindered) heldMs += end - start;
    const isUnread = run.unlisted?.some((each) => each.from <= end && each.to >= end - heldMs);
    if (heldMs > KNOWN_MS + (isUnread ? UNREAD_MS : 0)) return end;
  }
  return undefined;
}

/** How long after Slack's rate limit a change that was refused is tried again. */
const TRIED_AGAIN_MS = 15_000;

/** How long after the end of a process another one takes over its records. */
const TAKEN_OVER_MS = 13_000;

function untilTakenOver(each: Interruption): Interruption {
  return / is killed$| stands still$/.test(each.what)
    ? { ...each, to: Math.max(each.to, each.from + TAKEN_OVER_MS) }
    : each;
}

/** It prevents a reaction in any channel. Faults of other connections do not count. */
function hinders({ what }: Interruption): boolean {
  return /^the store is away|line to (?:slack|store)|is killed|stands still/.test(what);
}

interface Rule {
  readonly what: string;
  readonly isSo: (seen: Case, shown: Shown, at: number) => boolean;
}

const AWAY_ASKED = 'its message asked somebody who is away, and did not say so';
const NOT_ESCALATED = 'too few were left to ask, and it was not escalated';

const RULES: readonly Rule[] = [
  {
    what: AWAY_ASKED,
    isSo: isAwayAsked,
  },
  {
    what: 'its message did not mention somebody who is there and can decide',
    isSo: (seen, { asks, from }, at) =>
      presentIn(seen, from, at).some((each) => !asks.people.includes(each)),
  },
  {
    what: NOT_ESCALATED,
    isSo: isNotEscalated,
  },
  {
    what: 'its message asked nobody who is there, and did not say who is away',
    isSo: (seen, { asks }, at) =>
      isShort(seen, at) && asks.people.length + mentionsOf(asks).length === 0,
  },
];

function isAwayAsked({ run }: Case, { asks }: Shown, at: number): boolean {
  return asks.people.some((each) => isSurelyAway(run, each, at));
}

function isNotEscalated(seen: Case, shown: Shown, at: number): boolean {
  return isShort(seen, at) && !isEscalated(seen, shown, at);
}

function mentionsOf({ noted, groups, notedGroups }: Asks): readonly string[] {
  return [...noted, ...groups, ...notedGroups];
}

/** People asked by name who are certainly present and can decide, and those who certainly substitute for others. */
function presentIn(seen: Case, from: number, at: number): readonly string[] {
  const { approval, run } = seen;
  const { needs = [], substitutes = false, askers = [] } = approval;
  if (needs.length > 0) return [];
  const people = askedAt(seen, from);
  const isThere = (person: string) =>
    !askers.includes(person) && !mayBeAway(run, person, at) && isSurelyMember(seen, person, at);
  const standing = people.filter((each) => !askers.includes(each) && isSurelyAway(run, each, at));
  const theirs = standing.flatMap((giver) =>
    substitutesOf(run, giver).filter((each) => surelyStandsIn(run, each, giver, at)),
  );
  return [...people, ...(substitutes ? theirs : [])].filter(isThere);
}

/** The people its message names: from the beginning, and once their escalation has certainly happened. */
function askedAt({ approval, run }: Case, at: number): readonly string[] {
  const { asked: first = [], escalates = [], route } = approval;
  const since = askedSince(approval);
  const begun = escalates.filter(
    ({ afterMs }) => clockShowsBy(run, route, since + afterMs) + KNOWN_MS <= at,
  );
  return [...new Set([...first, ...begun.flatMap(({ users }) => users)])];
}

/** When it was received, at the latest: an earlier call of its automation may have been lost. */
function askedSince(approval: Case['approval']): number {
  return acceptedIn({ approval })?.answeredAt ?? Number.POSITIVE_INFINITY;
}

/** Because people are away, fewer are left than have to approve; people who may be present or may substitute count. */
function isShort(seen: Case, at: number): boolean {
  const { approval, run } = seen;
  const { needs = [], substitutes = false, askers = [], asked: first, quorum } = approval;
  if (first === undefined || needs.length > 0) return false;
  const wereMembers = first.filter((each) => wasReviewer(seen, each, 0, at));
  const people = wereMembers.filter((each) => !askers.includes(each));
  if (!people.every((each) => isSurelyMember(seen, each, at))) return false;
  const standing = people.flatMap((giver) =>
    substitutesOf(run, giver).filter((each) => mayStandIn(run, each, giver, at, at)),
  );
  const all = [...new Set([...people, ...(substitutes ? standing : [])])];
  const left = all.filter((each) => !isSurelyAway(run, each, at));
  // Without the absences it would be as short if substitutes are there for all.
  return left.length < quorum && left.length < people.length;
}

/** Everybody whose escalation is due before its end is asked, or enough of those who may be present. */
function isEscalated(seen: Case, { asks }: Shown, at: number): boolean {
  const { approval, run } = seen;
  const { escalates = [], askers = [], deadlineAt, quorum, route } = approval;
  const all = [...asks.people, ...asks.noted];
  const left = asks.people.filter((each) => !isSurelyAway(run, each, at));
  if (left.length >= quorum) return true;
  const since = askedSince(approval);
  return escalates.every(({ afterMs, users }) => {
    const dueBy = clockShowsBy(run, route, since + afterMs);
    const isTooLate = deadlineAt !== null && dueBy >= deadlineAt - AROUND_MS;
    const wanted = users.filter((each) => !askers.includes(each) && isSurelyMember(seen, each, at));
    const isAway = wanted.every((each) => isSurelyAway(run, each, at));
    return isTooLate || isAway || wanted.some((each) => all.includes(each));
  });
}

/** Gatepost's deadline may be a little later. */
const AROUND_MS = 2_000;

/** How long a reply may be in flight after absences were read. */
const WRITTEN_MS = 60_000;
const CALLS = /^(?:reminder-|last-call$|escalation-)/;

/** A reminder mentions nobody who had been away long before. */
function called(seen: Case, message: MessageSeen): Violation[] {
  const post = postOf(message) ?? '';
  const [first] = message.versions;
  if (first === undefined || recordOf(message) !== seen.records.at(-1)) return [];
  const from = first.at - WRITTEN_MS;
  if (!CALLS.test(post) || isHindered(seen, from, first.at)) return [];
  // Without them it mentions everybody.
  const isUnread = seen.run.unlisted?.some(
    (each) => each.from <= first.at && each.to >= first.at - UNREAD_MS,
  );
  if (isUnread) return [];
  // Absences were read for those who reviewed then.
  if (seen.run.reloads?.some((at) => at >= from && at <= first.at)) return [];
  return mentionedIn(first).flatMap((person) => {
    if (!wasSurelyAway(seen.run, person, from, first.at)) return [];
    const what = `${post} mentioned ${person}, who was away`;
    return [violation(seen, 'false', what, { person, at: first.at })];
  });
}

function mentionedIn({ blocks }: Version): readonly string[] {
  const said = JSON.stringify(blocks);
  return [...said.matchAll(/<@(\w+)>(?! \(away until )/g)].map(([, id]) => String(id));
}

/** Absences could not be read: the store did not answer. */
function isHindered({ run }: Case, from: number, until: number): boolean {
  return run.interruptions.some(
    (each) => /\bstore\b/.test(each.what) && each.from <= until && each.to >= from,
  );
}

/** How long a press may be worked on; longer after an interruption. */
const LOOKED_AT_MS = 45_000;

/** Whatever they pressed there, and when. */
function actsOf({ presses, takeBacks, reviews }: Case, person: string): readonly number[] {
  const all = [...presses, ...takeBacks, ...reviews].filter((each) => each.person === person);
  return all.map(({ at }) => at);
}

/** It was not known whether they had read that, so it was sent again. */
function isRepeated(seen: Case, { person, at, text }: Told): boolean {
  return seen.told.some(
    (each) => each.person === person && each.text === text && each.at < at && !each.answered,
  );
}

/** An answer to a press that is not in the log, or whose result is still to come. */
const NO_RESULT = new RegExp(
  [
    '\\bclick on [^\\n]* was (?:not )?recorded\\b',
    '^Your decision on [^\\n]* was recorded\\. The result will appear ',
    '^Gatepost is (?:checking|withdrawing|taking back) ',
  ].join('|'),
);

/**
 * For each ballot in another person's place: that person had named its author when it was pressed, and both could
 * decide.
 */
function standsIn(seen: Case, entry: AuditSeen): Violation[] {
  const { actor: person, facts } = entry;
  const giver = giverIn(entry);
  if (giver === null) return [];
  const { substitutes = false, askers = [] } = seen.approval;
  const wrong = (what: string) => [
    violation(seen, 'false', `${person} decided in the place of ${giver}, ${what}`, { person }),
  ];
  if (!substitutes) return wrong('where nobody can');
  const asker = [person, giver].find((each) => askers.includes(each));
  if (asker !== undefined) return wrong(`and ${asker} had asked for it`);
  const action = facts.action === 'approve' || facts.action === 'reject' ? facts.action : null;
  const spans = pressesBy(seen, person, action, Number.POSITIVE_INFINITY).map((press) => {
    const { at, acknowledgedAt } = press;
    const isLate = wasInterrupted(seen, at, at + LOOKED_AT_MS);
    const lastMs = isLate ? 3 * LOOKED_AT_MS : LOOKED_AT_MS;
    // If the store forgot the end of a press, it is processed again.
    const isForgotten = wentBackBetween(seen, at, at + lastMs);
    // A late press comes after the answer to another one, and the second of two deliveries after that to the first.
    const isIn = acknowledgedAt !== null && !isForgotten && press.doubled !== true;
    const told = seen.told.filter(
      (each) =>
        isIn &&
        each.person === person &&
        each.at >= at &&
        !NO_RESULT.test(each.text) &&
        !isRepeated(seen, each),
    );
    const others = actsOf(seen, person).filter((each) => each >= at - LOOKED_AT_MS);
    // The others, other than this press itself, may have been answered first.
    const answered = told.find(
      (each, place) => place + 1 >= others.filter((other) => other <= each.at).length,
    );
    return { from: at, until: Math.min(at + lastMs, answered?.at ?? Number.POSITIVE_INFINITY) };
  });
  const named = spans.filter(({ from, until }) =>
    mayStandIn(seen.run, person, giver, knownFrom(seen, from), until),
  );
  if (named.length === 0) return wrong('who had not named them then');
  const had = named.some(({ from, until }) => hadRightFor(seen, { person, giver }, from, until));
  return had ? [] : wrong('and one of them could not decide');
}

/** A message names the same people, in whose place it was decided, as the log. */
function misnamed(seen: Case): Violation[] {
  if (seen.run.lapses.length > 0) return [];
  const cast = acceptedBallots(seen).map((each) => `${each.actor} ${giverIn(each)}`);
  return seen.messages.flatMap(({ versions }) =>
    versions.flatMap((version) =>
      claimsOf(version)
        .inPlace.filter(({ person, giver }) => !cast.includes(`${person} ${giver}`))
        .map(({ person, giver }) =>
          violation(seen, 'false', `it said that ${person} decided for ${giver}, who did not`, {
            person,
            at: version.at,
          }),
        ),
    ),
  );
}

const TO_GIVER = 'outcome-giver-';

/** People who are away are told what was decided in their place, and nothing else. */
function told(seen: Case): Violation[] {
  if (seen.audit === null || seen.run.lapses.length > 0) return [];
  const posts = seen.messages.map(postOf).filter((each) => each?.startsWith(TO_GIVER));
  const givers = posts.map((each) => String(each).slice(TO_GIVER.length));
  const cast = acceptedBallots(seen);
  const wrong = givers
    .filter((giver) => !cast.some((each) => giverIn(each) === giver))
    .map((giver) => `${giver} was told of what was decided in their place, and it was not`);
  const missing = creditedGivers(seen)
    .filter((all) => !all.some((giver) => givers.includes(giver)))
    .flatMap((all) => all.slice(-1))
    .filter((giver) => !wasGone(seen.run, giver, seen.presses[0]?.at ?? 0))
    .map((giver) => `${giver} was never told of what was decided in their place`);
  return [
    ...wrong.map((what) => violation(seen, 'false', what)),
    ...missing.map((what) => violation(seen, 'lost', what)),
  ];
}

/**
 * In whose places it was decided, for each person, if it is certain who decided. While an approval is held another one
 * of the same person changes nothing, although it may be in somebody else's place: it can be any of them.
 */
function creditedGivers({ approval, audit, messages }: Case): readonly (readonly string[])[] {
  // If its message is gone, nothing is announced.
  if (messages.some(({ deletedAt }) => deletedAt !== null)) return [];
  const own = audit ?? [];
  return own.flatMap(({ action, actor, facts }, place) => {
    if (action !== 'approvals.outcome' || facts.credit !== 'certain') return [];
    const before = acceptedBallots({ audit: own.slice(0, place) });
    return actor.split(',').flatMap((person) => {
      const theirs = before.filter((each) => each.actor === person);
      const last = theirs.at(-1);
      if (last === undefined || giverIn(last) === null) return [];
      const used = (approval.holdMs ?? 0) > 0 ? theirs : [last];
      return [used.flatMap((each) => giverIn(each) ?? [])];
    });
  });
}

/** How soon people read of it, at most. */
const TOLD_MS = 120_000;

/** Nobody could tell them then: they had left Slack. */
function wasGone(run: Pick<Evidence, 'rights'>, person: string, since: number): boolean {
  const own = rightsOf(run, person).filter((each) => each.approval === undefined);
  const before = own.findLast(({ at }) => at <= since);
  return (
    before?.gone === true ||
    own.some(({ at, gone }) => gone === true && at >= since && at <= since + TOLD_MS)
  );
}

const NAMED = /named you as substitute/;

/** A person who is named as substitute is told, once each time. */
export function notices(evidence: Evidence): Violation[] {
  const { absences: all = [], messages, lapses, told: sentences } = evidence;
  if (lapses.length > 0) return [];
  const wrong = (kind: Violation['kind'], person: string, what: string, at: number): Violation => ({
    ...{ kind, subject: `Absence of ${person}`, person, at, what },
  });
  const unread = all.flatMap(({ person, substitute, from, surelyFrom, surelyTo }) => {
    if (substitute === null || surelyFrom === null || surelyTo - surelyFrom < KNOWN_MS) return [];
    const isRead = sentences.some(
      (each) => each.person === substitute && each.at >= from && NAMED.test(each.text),
    );
    // They may have been named before, and know it.
    const isKnown = giversTo({ absences: all, lapses }, substitute).length > 0 && isBefore(from);
    if (isRead || isKnown || wasGone(evidence, substitute, from)) return [];
    const what = `${substitute} was never told that they stand in`;
    return [wrong('lost', person, what, surelyFrom)];

    function isBefore(at: number): boolean {
      return all.some(
        (each) => each.person === person && each.substitute === substitute && each.from < at,
      );
    }
  });
  const seen = new Set<string>();
  const twice = messages.flatMap(({ versions: [first], channel }) => {
    const { post, record } = first?.metadata ?? {};
    if (!/^(?:named|back|replaced|declined|away)-\d/.test(String(post))) return [];
    const key = `${record} ${post} ${channel}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [wrong('double', channel, `${post} was posted twice`, first?.at ?? 0)];
  });
  return [...unread, ...twice];
}
