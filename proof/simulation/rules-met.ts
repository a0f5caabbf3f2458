import {
  acceptedBallots,
  giverIn,
  giversTo,
  isSurelyAway,
  mayStandIn,
  surelyStandsIn,
} from './absent.ts';
import { acceptedIn, type Case, effectBy, postOf, rightsOf } from './case.ts';
import { casesIn } from './checker.ts';
import { hinders, missedIn, STOPPED, UNDONE } from './checks/holds.ts';
import { sendsOf } from './checks/homes.ts';
import { SPENT } from './checks/spent.ts';
import { EARLIER, TAKEN_BACK } from './checks/taking-back.ts';
import { claimsOf } from './claims.ts';
import type {
  AuditSeen,
  Evidence,
  MessageSeen,
  NeedSeen,
  Press,
  ReportSeen,
  TakeBack,
  Version,
} from './evidence.ts';
import type { Newer } from './newer.ts';
import { canFillAll } from './places.ts';
import { routeNamed } from './settings.ts';

/** Which rules about who may decide a run has met, as far as an outside observer can tell. */
interface RuleMet {
  readonly rule: string;
  /** Whom, which moment or which fault it meets. */
  readonly meets: string;
  /** Only worlds whose store goes back can meet it. */
  readonly isOfLapses?: true;
  /** How often, in all that was seen of one approval. */
  readonly count: (seen: Case) => number;
}

/** Every run of 300 approvals meets each of them. */
const ROWS: readonly RuleMet[] = [
  row(
    'hold',
    'ends at the deadline',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) => {
        const latest = (seen.approval.deadlineAt ?? Number.POSITIVE_INFINITY) - 2_000;
        return (
          until < from + (seen.approval.holdMs ?? 0) - 1_500 && Math.abs(until - latest) < 1_500
        );
      }).length,
  ),
  row('hold', 'undone', (seen) => (isHeld(seen) ? told(seen, TAKEN_BACK) : 0)),
  row('hold', 'undone by another', (seen) => told(seen, UNDONE)),
  row('hold', 'rejected by another', (seen) => told(seen, STOPPED)),
  row('hold', 'whoever approved leaves meanwhile', leftWhileHeld),
  row('hold', 'escalated meanwhile', (seen) => {
    const at = acceptedIn(seen)?.answeredAt ?? Number.POSITIVE_INFINITY;
    const { escalates = [] } = seen.approval;
    return holdsIn(seen).filter(({ from, until }) =>
      escalates.some(({ afterMs }) => from < at + afterMs && at + afterMs < until),
    ).length;
  }),
  row(
    'hold',
    'rules reloaded meanwhile',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) =>
        (seen.run.reloads ?? []).some((at) => from < at && at < until),
      ).length,
  ),

  row('quorum', 'raised by the request', (seen) =>
    adds(seen, 'quorum') ? logged(seen, BALLOT, ({ facts }) => facts.refused === undefined) : 0,
  ),
  row('quorum', 'one person with two accounts', (seen) => told(seen, /^You already approved /)),
  row('quorum', 'two accounts, and one person', (seen) =>
    seen.approval.quorum === 2 && (seen.approval.needs ?? []).length === 0
      ? told(seen, / as <@\w+>\. A person counts once/)
      : 0,
  ),
  row('quorum', 'counted again before it is sent', (seen) =>
    (seen.approval.holdMs ?? 0) === 0 && hasFailed(seen)
      ? told(seen, /no longer counts?: they can no longer decide this request\.$/)
      : 0,
  ),
  row('needs', 'people of several groups', (seen) =>
    (seen.approval.needs ?? []).length > 1 ? approved(seen) : 0,
  ),
  row('needs', 'added by the request', (seen) => (adds(seen, 'need') ? approved(seen) : 0)),
  row('needs', 'more than one of a need', (seen) =>
    (seen.approval.needs ?? []).some(({ count }) => count > 1) ? approved(seen) : 0,
  ),
  row('needs', 'enough people, and a place is open', (seen) => (hasOpenPlace(seen) ? 1 : 0)),
  row('needs', 'somebody changes places', (seen) => (isReseated(seen) ? approved(seen) : 0)),
  row('needs', 'of a group that Slack does not show', (seen) => (isHidden(seen) ? 1 : 0)),
  row('needs', 'filled by somebody it was escalated to', filledLater),
  row('reviewers', 'left out by the request, and pressed', (seen) =>
    adds(seen, 'reviewers') ? told(seen, /^You are not a reviewer of /) : 0,
  ),
  row('reviewers', 'gone after they approved', (seen) => told(seen, /no longer counts: /)),
  row('reviewers', 'taken off the route, and pressed', (seen) =>
    wasReloaded(seen) && !adds(seen, 'reviewers')
      ? told(
          seen,
          /^You are not a reviewer of |reviewers of (?:this request|its route) were changed/,
        )
      : 0,
  ),
  row('reviewers', 'taken off while the status is read', takenOffMeanwhile),
  row('reviewers', 'rejected what may be rejected already', (seen) =>
    Math.max(0, rejectedBy(seen).size - 1),
  ),
  row('decision', 'given up after its answer was lost', (seen) => (isGivenUp(seen) ? 1 : 0)),
  row('decision', 'given up after two answers were lost', (seen) => (lostIn(seen) === 2 ? 1 : 0)),
  row(
    'message',
    'changed by a process that stood still',
    ({ messages }) => messages.filter(wasChangedBack).length,
  ),
  row('message', 'said late that a decision is sent', (seen) =>
    seen.approval.message === seen.approval.title
      ? seen.messages.filter(saidLateThatItIsSent).length
      : 0,
  ),
  row('decision', 'refused, and told those who approved', (seen) => told(seen, SPENT)),
  row('answers', 'two to one person at once', twoAtOnce),
  row('withdrawal', 'before a refusal is read', (seen) => (isWithdrawnFirst(seen) ? 1 : 0)),
  { ...row('own gate', 'its decision is forgotten', forgottenDecisions), isOfLapses: true },
  row('closed', 'pressed meanwhile', (seen) =>
    told(seen, /Your approval does not count\. Press again/),
  ),
  row('closed', 'an approval not sent', (seen) => told(seen, /was not sent and no longer counts/)),
  row(
    'closed',
    'opened again',
    ({ messages }) => messages.filter((each) => postOf(each)?.startsWith('opened-')).length,
  ),
  row('escalation', 'after a while', (seen) => escalated(seen, false)),
  row('escalation', 'because too few are left', (seen) => escalated(seen, true)),

  row('requester', 'pressed', (seen) => told(seen, /^You asked for /)),
  row('requester', 'proved, and pressed', (seen) =>
    seen.approval.isProved === true ? told(seen, /^You asked for /) : 0,
  ),
  row('requester', 'known by an address alone', (seen) =>
    isKnownByAddress(seen)
      ? told(seen, /^You asked for |could not check whether you asked for /)
      : 0,
  ),
  row('requester', 'by an address that Slack does not know', (seen) =>
    isKnownByAddress(seen) && seen.approval.askers?.includes('U0CLEO') === true
      ? told(seen, /^You asked for /)
      : 0,
  ),
  row('requester', 'the only one who could decide', (seen) =>
    seen.approval.isCalledBack === false
      ? 0
      : logged(seen, 'approvals.blocked', ({ facts }) => facts.code === 'only-requester'),
  ),

  row(
    'absence',
    'begins while a message asks them',
    (seen) => seen.messages.filter((each) => isAwayMeanwhile(seen, each)).length,
  ),
  row('substitute', 'decided', (seen) => logged(seen, BALLOT, (each) => giverIn(each) !== null)),
  row(
    'substitute',
    'of two people',
    (seen) => seen.presses.filter((each) => hasTwo(seen, each)).length,
  ),
  row('substitute', 'is a guest', (seen) =>
    ofSubstitutes(seen, /Guests cannot decide |you are now a guest/),
  ),
  row('substitute', 'is a guest where guests can decide', (seen) => (isGuestFirst(seen) ? 1 : 0)),
  row('substitute', 'cannot decide anything', (seen) =>
    ofSubstitutes(seen, /account in the service|Slack account is deactivated|Several accounts/),
  ),
  row('substitute', 'declined', declined),
  row('substitute', 'of somebody who cannot', (seen) =>
    told(seen, /you stand in for can(?:not| no longer) decide/),
  ),
  row('substitute', 'of somebody who left since', (seen) =>
    told(seen, /no longer counts: the person you stand in for can no longer decide/),
  ),
  row('substitute', 'of somebody who is back', (seen) =>
    told(seen, /You no longer stand in for|is back, or you no longer stand in/),
  ),
  row('substitute', 'of somebody who voted', (seen) =>
    told(seen, /the vote of the person you stand in for|you stand in for voted/),
  ),
  row('substitute', 'could fill a place of their own', couldFillOwn),

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

  row('what was shown', 'changed since, on the Home tab', (seen) => outdated(seen, false)),
  row('what was shown', 'changed since, in a form for several', (seen) => outdated(seen, true)),

  row('Home tab', 'published while a decision is in doubt', publishedInDoubt),

  row('newer request', 'replaces an older one', (seen) => (isReplaced(seen) ? 1 : 0)),
  row('newer request', 'is one of several', (seen) =>
    isReplaced(seen) && seen.newer.length > 1 ? 1 : 0,
  ),
  row(
    'newer request',
    'posted before an older one looks for others',
    (seen) => seen.newer.filter((each) => isPostedMeanwhile(seen, each)).length,
  ),
  row('newer request', 'comes while somebody presses', (seen) =>
    told(seen, /was replaced by a newer request/),
  ),

  row('result', 'before the approval', (seen) => reported(seen, ({ detail }) => is(detail, EARLY))),
  row('result', 'claimed', (seen) =>
    reported(seen, (each) => each.claim !== null && isTaken(each)),
  ),
  row('result', 'claimed by another run', (seen) =>
    reported(seen, ({ detail }) => is(detail, BEGUN)),
  ),
  row('result', 'claimed again by the same run', (seen) =>
    reported(
      seen,
      (each, before) =>
        each.claim !== null &&
        isTaken(each) &&
        before.some((other) => other.claim === each.claim && isTaken(other)),
    ),
  ),
  row('result', 'running after its end', (seen) =>
    reported(
      seen,
      (each, before) =>
        each.state === 'running' && isTaken(each) && before.some((other) => isEnd(other)),
    ),
  ),
  row('result', 'succeeded', (seen) =>
    reported(seen, (each) => each.state === 'succeeded' && isTaken(each)),
  ),
  row('result', 'failed', (seen) =>
    reported(seen, (each) => each.state === 'failed' && isTaken(each)),
  ),

  row(
    'hold',
    'over while the store is away',
    (seen) =>
      missedIn(seen).filter(({ to }) =>
        holdsIn(seen).some(({ from, until }) => from > to && from < to + SOON_MS && until > to),
      ).length,
  ),
  row(
    'hold',
    'rejected, and checked after its end',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) =>
        seen.presses.some(
          ({ person, action, at }) =>
            action === 'reject' &&
            from < at &&
            at < until - 5_500 &&
            !wasHindered(seen, at, until) &&
            logged(seen, BALLOT, (each) => each.actor === person && (each.at ?? 0) > until) > 0,
        ),
      ).length,
  ),
  row('press order', 'before a newer one of the same person', rejectedEarlier),
  row('press order', 'before somebody else undid it', pressedBeforeUndo),
  row('press order', 'undone before it was looked at', (seen) =>
    isHeld(seen) ? told(seen, /\. It is being decided without yours\.$/) : 0,
  ),
  row('press order', 'undone when it was over', (seen) =>
    isHeld(seen) ? seen.takeBacks.filter((each) => isAtNote(seen, each)).length : 0,
  ),
  row('press order', 'on a deleted message, before the next one is there', pressedOnDeleted),
  row('self-approval', 'pressed without a reason', (seen) =>
    seen.approval.isLoud === true ? told(seen, / needs a reason, so your decision /) : 0,
  ),
];

export const RULE_NAMES = ROWS.map(({ rule, meets }) => `${rule}: ${meets}`);

/** How often each row was met, in the order of the rows. */
export function rulesMet(evidence: Evidence): number[] {
  const cases = casesIn(evidence);
  return ROWS.map(({ count }) => cases.reduce((sum, seen) => sum + count(seen), 0));
}

export function added(one: readonly number[], other: readonly number[]): number[] {
  return ROWS.map((_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}

/** Names of the rows that were never met. `hasLapses`: some store went back. */
export function unmetIn(counts: readonly number[], hasLapses = true): string[] {
  const isOwed = (at: number) => hasLapses || ROWS[at]?.isOfLapses !== true;
  return RULE_NAMES.filter((_, at) => !counts[at] && isOwed(at));
}

/** Names of the rows that were met. */
export function metIn(counts: readonly number[]): string[] {
  return RULE_NAMES.filter((_, at) => counts[at]);
}

/** As text: how often each rule was met. */
export function metTable(counts: readonly number[]): string {
  return ROWS.map(({ rule, meets }, at) => {
    const count = counts[at] ?? 0;
    return `${rule.padEnd(16)} ${meets.padEnd(38)} ${count === 0 ? 'NEVER MET' : count}\n`;
  }).join('');
}

function row(rule: string, meets: string, count: RuleMet['count']): RuleMet {
  return { rule, meets, count };
}

const BALLOT = 'approvals.ballot';
const EARLY = /not approved yet/;
const BEGUN = /^This approval was started before/;

function is(text: string | null, pattern: RegExp): boolean {
  return pattern.test(text ?? '');
}

/** A decision was noted, and its connection failed. */
function hasFailed(seen: Case): boolean {
  return logged(seen, 'approvals.answered', ({ facts }) => facts.class === 'not-sent') > 0;
}

/** How many people read about each of two presses that it was decided elsewhere after both. */
function twoAtOnce({ told: all, presses, approval }: Case): number {
  const [{ at: decidedAt } = { at: 0 }] = approval.effects;
  const heard = (action: Press['action'], pattern: RegExp) =>
    all
      .filter(({ text }) => pattern.test(text))
      .map(({ person }) => person)
      .filter((person) =>
        presses.some(
          ({ acknowledgedAt, ...each }) =>
            each.person === person &&
            each.action === action &&
            acknowledgedAt !== null &&
            acknowledgedAt < decidedAt,
        ),
      );
  const approvers = heard('approve', / elsewhere\. Your approval was not counted\.$/);
  const rejecters = heard('reject', / elsewhere\. Your rejection was not counted\.$/);
  return approvers.filter((each) => rejecters.includes(each)).length;
}

/** How many people read that their reject does not count, because they approved it since. */
function rejectedEarlier({ told: all, presses }: Case): number {
  const first = (person: string, action: Press['action']) =>
    presses.find((each) => each.person === person && each.action === action)?.at ?? Number.NaN;
  return all.filter(
    ({ text, person }) => EARLIER.test(text) && first(person, 'reject') < first(person, 'approve'),
  ).length;
}

/** It came before the note that it is about to be sent, was applied after it, and nothing was sent in between. */
function isAtNote({ audit, approval }: Case, { person, at: from }: TakeBack): boolean {
  const own = audit ?? [];
  const noted = own.findIndex(({ action, at = 0 }) => action === 'approvals.respond' && at >= from);
  const undone = own
    .slice(noted + 1)
    .find(({ action, actor }) => action === 'approvals.taken-back' && actor === person);
  const until = undone?.at ?? 0;
  return (
    noted >= 0 &&
    undone !== undefined &&
    !approval.tries?.some(
      ({ operation, at }) => operation === 'respond' && at >= from && at <= until,
    )
  );
}

/**
 * How many people read that their approval does not count, because somebody undid it after they had pressed, and that
 * was applied before the press arrived.
 */
function pressedBeforeUndo({ told: all, presses, takeBacks, audit }: Case): number {
  const undone = takeBacks.flatMap(({ person, at }) => {
    const entry = audit?.find(
      (each) =>
        each.action === 'approvals.taken-back' && each.actor === person && (each.at ?? 0) >= at,
    );
    return entry?.at === undefined ? [] : [{ person, from: at, at: entry.at }];
  });
  return all.filter(
    ({ text, person }) =>
      /\* was reopened after this press, so it was not counted\./.test(text) &&
      undone.some(
        (undo) =>
          undo.person !== person &&
          presses.some(
            (each) =>
              each.person === person && each.at < undo.from && (each.arrivedAt ?? 0) > undo.at,
          ),
      ),
  ).length;
}

/**
 * How many people approved on its first message just before that was deleted, so that it arrived after the bot had heard
 * so, and before the next one was there; and it counted.
 */
function pressedOnDeleted(seen: Case): number {
  const { messages, presses } = seen;
  const [first, next] = messages.filter((each) => postOf(each)?.startsWith('message') === true);
  const { deletedAt = null, missed } = first ?? {};
  const heardAt = missed?.at ?? null;
  if (deletedAt === null || heardAt === null) return 0;
  const nextAt = next?.versions[0]?.at ?? Number.POSITIVE_INFINITY;
  return presses.filter(
    ({ person, action, at, arrivedAt = 0 }) =>
      action === 'approve' &&
      at < deletedAt &&
      acceptedBallots(seen).some(({ actor }) => actor === person) &&
      arrivedAt > heardAt + HEARD_MS &&
      arrivedAt + HEARD_MS < nextAt,
  ).length;
}

/** From an answer or a press until it is noted. */
const HEARD_MS = 300;

/** After it showed the end, a process changed it that had stood still since before that, and nothing else was due. */
function wasChangedBack({ versions }: MessageSeen): boolean {
  const isEnd = (version: Version) => {
    const { status, withdrawn } = claimsOf(version);
    return withdrawn || status !== null;
  };
  const endAt = versions.find(isEnd)?.at ?? Number.POSITIVE_INFINITY;
  return versions.some((each, place) => {
    const { at, sentAt = at } = each;
    const next = versions[place + 1]?.at ?? Number.POSITIVE_INFINITY;
    return at > endAt && at > sentAt + 38_000 && !isEnd(each) && next > at + 29_000;
  });
}

/** It showed the end, and then what was sent before that: that a decision is being sent. */
function saidLateThatItIsSent({ versions }: MessageSeen): boolean {
  const end = versions.find((each) => claimsOf(each).status !== null);
  return versions.some((each) => {
    const { at, sentAt = at, text } = each;
    const isEarlier = end !== undefined && sentAt < (end.sentAt ?? end.at) && at > end.at;
    return isEarlier && /^Sending a decision: /.test(text);
  });
}

const IN_DOUBT = /The decision may not have reached the service/;

/**
 * How often the service failed at the decision of the only person who had pressed, when they read that it may not have
 * reached it: after the second time that is as soon as nothing can be in flight any more.
 */
function lostIn({ approval: { calls }, presses, told: all }: Case): number {
  const until = all.find(({ text }) => IN_DOUBT.test(text))?.at ?? 0;
  const responds = calls.filter((each) => each.operation === 'respond' && each.at <= until);
  const isSo =
    presses.filter(({ at }) => at <= until).length === 1 &&
    responds.every(({ status }) => status !== null && status >= 500);
  const isSoon = until < (responds[1]?.at ?? until) + IN_FLIGHT_MS;
  return isSo && isSoon ? responds.length : 0;
}

/** After one such answer nothing but tries of the decision followed: nobody looked what had become of it. */
function isGivenUp(seen: Case): boolean {
  const until = seen.told.find(({ text }) => IN_DOUBT.test(text))?.at ?? 0;
  const last = seen.approval.tries?.findLast(({ at }) => at <= until);
  return lostIn(seen) === 1 && last?.operation === 'respond';
}

/** How long a decision may be in flight, and a read after that. */
const IN_FLIGHT_MS = 19_000;

/** That the service was too busy was noted after its withdrawal, and nobody had read the status in between. */
function isWithdrawnFirst({ approval, audit }: Case): boolean {
  const own = audit ?? [];
  const withdrawn = own.findIndex(({ action }) => action === 'approvals.withdrawn');
  const begun = own.slice(0, withdrawn).findLast(({ action }) => action === 'approvals.respond');
  const noted = own.slice(withdrawn).find(({ action }) => action === 'approvals.answered');
  if (withdrawn < 0 || begun === undefined || noted?.facts.answer !== 'http_429') return false;
  const { at: from = 0 } = begun;
  const { at: until = 0 } = noted;
  return (
    approval.tries?.some(
      (each) => each.operation === 'read' && from < each.at && each.at < until,
    ) !== true
  );
}

/** How often the message of an own gate, which waits on, said who decided when the store went back to before that. */
function forgottenDecisions({ approval, messages, presses, run }: Case): number {
  if (approval.authority !== 'gatepost') return 0;
  const versions = messages.flatMap((each) => (postOf(each) === 'message' ? each.versions : []));
  const said = versions.find((each) => claimsOf(each).by.length > 0)?.at ?? Number.NaN;
  return run.lapses.filter(
    ({ from, at }) =>
      said < at &&
      at + SOON_MS < (approval.deadlineAt ?? 0) &&
      presses.every((press) => from < press.at && press.at < said),
  ).length;
}

/** Whose reject was accepted. */
function rejectedBy({ audit }: Case): ReadonlySet<string> {
  const own = (audit ?? []).filter(
    ({ action, facts }) =>
      action === BALLOT && facts.action === 'reject' && facts.refused === undefined,
  );
  return new Set(own.map(({ actor }) => actor));
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

/** A process stood still as soon as the older one was posted, until the newer one had looked for older ones. */
function isPostedMeanwhile(
  { messages, run }: Case,
  { isSurelyNewer, postedAt: until }: Newer,
): boolean {
  const [{ versions } = { versions: [] }] = messages;
  const postedAt = versions[0]?.at ?? Number.NaN;
  return run.interruptions.some(
    ({ what, from, to }) =>
      isSurelyNewer &&
      what.endsWith(' stands still') &&
      postedAt <= from &&
      from < postedAt + LOOKS_MS &&
      from < until &&
      until + LOOKS_MS < to,
  );
}

/** How long after its message is posted a request has looked for older ones. */
const LOOKS_MS = 3_000;

/** A press was looked at without disturbance. */
const SOON_MS = 10_000;

/** Those who approved, as far as a need names people; null: one names groups. */
function castFor(seen: Case): readonly string[] | null {
  const { needs = [] } = seen.approval;
  if (needs.length < 2 || needs.some(({ of }) => of.groups.length > 0)) return null;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  return [...new Set(cast.map(({ actor }) => actor))];
}

const isNamedBy = (person: string, { of }: NeedSeen) => of.users.includes(person);

function hasOpenPlace(seen: Case): boolean {
  const { needs = [], quorum } = seen.approval;
  const cast = castFor(seen);
  return cast !== null && cast.length >= quorum && !canFillAll(needs, cast, isNamedBy);
}

/** All places are filled, and would not be if everybody kept the first one that was free. */
function isReseated(seen: Case): boolean {
  const { needs = [] } = seen.approval;
  const cast = castFor(seen);
  if (cast === null || !canFillAll(needs, cast, isNamedBy)) return false;
  const free = needs.map(({ count }) => count);
  for (const person of cast) {
    const place = needs.findIndex((each, at) => isNamedBy(person, each) && free[at] !== 0);
    if (place >= 0) free[place] = (free[place] ?? 0) - 1;
  }
  return free.some((count) => count > 0);
}

/** Only somebody to whom it was escalated approved it, soon after they pressed first, and no need names them. */
function filledLater(seen: Case): number {
  const { asked = [], escalates = [], needs = [] } = seen.approval;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  const isLater = (person: string) =>
    !asked.includes(person) &&
    escalates.some(({ users }) => users.includes(person)) &&
    needs.every(({ of }) => !of.users.includes(person));
  const isSoon = ({ actor, at = 0 }: AuditSeen) =>
    at - (seen.presses.find(({ person }) => person === actor)?.at ?? 0) < SOON_MS;
  const isSo = cast.every((each) => isLater(each.actor) && isSoon(each));
  return needs.length > 0 && cast.length > 0 && isSo ? 1 : 0;
}

/** Only somebody whom a need names approved it, in the place of somebody whom it does not. */
function couldFillOwn(seen: Case): number {
  const { needs = [] } = seen.approval;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  const isSo = (each: AuditSeen) =>
    needs.some(
      ({ of: { users, groups } }) =>
        groups.length === 0 && users.includes(each.actor) && !users.includes(giverIn(each) ?? ''),
    );
  return cast.length > 0 && cast.every((each) => giverIn(each) !== null && isSo(each)) ? 1 : 0;
}

/** How many people read such a sentence. */
function told({ told: all }: Case, pattern: RegExp): number {
  return all.filter(({ text }) => pattern.test(text)).length;
}

/** The same for people whom somebody named as substitute. */
function ofSubstitutes({ told: all, run }: Case, pattern: RegExp): number {
  const isNamed = (person: string) => giversTo(run, person).length > 0;
  return all.filter(({ text, person }) => pattern.test(text) && isNamed(person)).length;
}

/** Once its message was there, and nobody had pressed: when it is counted who can approve it. */
function isHidden({ approval: { needs = [] }, messages, presses, run }: Case): boolean {
  const postedAt = messages.find((each) => postOf(each) === 'message')?.versions[0]?.at;
  const groups = needs.flatMap(({ of }) => of.groups);
  return (
    presses.length === 0 &&
    run.hidden?.some(({ group, at }) => groups.includes(group) && at >= (postedAt ?? at + 1)) ===
      true
  );
}

/** Before anybody's ballot was accepted: of somebody whose ballot was, nobody asks again. */
function isGuestFirst(seen: Case): boolean {
  const castAt = acceptedBallots(seen)[0]?.at ?? Number.POSITIVE_INFINITY;
  const before = seen.told.filter(({ at }) => at < castAt);
  return (
    routeNamed(seen.approval.route ?? '')?.guests === true &&
    ofSubstitutes({ ...seen, told: before }, /^Guests cannot decide /) > 0
  );
}

function logged(
  { audit }: Case,
  action: string,
  isSo: (entry: AuditSeen) => boolean = () => true,
): number {
  return (audit ?? []).filter((each) => each.action === action && isSo(each)).length;
}

function escalated(seen: Case, isEarly: boolean): number {
  if (isEarly) return logged(seen, 'approvals.escalated', ({ facts }) => facts.why === 'away');
  return seen.messages.filter((each) => postOf(each)?.startsWith('escalation')).length;
}

function approved(seen: Case): number {
  return effectBy(seen, Number.POSITIVE_INFINITY).filter(
    ({ status, how }) => status === 'APPROVED' && how === 'interface',
  ).length;
}

function adds({ approval }: Case, what: NonNullable<Case['approval']['adds']>[number]): boolean {
  return approval.adds?.includes(what) === true;
}

/** Each hold that its message showed: from then until it said it ends. */
function holdsIn(seen: Case) {
  const versions = seen.messages.flatMap((each) => each.versions);
  return versions.flatMap((version) => {
    const { held } = claimsOf(version);
    return held === null ? [] : [{ from: version.at, until: held.until }];
  });
}

/** Something else may have kept processes from checking a press. */
function wasHindered({ run }: Case, since: number, until: number): boolean {
  return run.interruptions.some((each) => hinders(each) && each.from <= until && each.to >= since);
}

/** How long somebody who was authorized is not authorized again. */
const AUTHORIZED_MS = 6_000;

/**
 * How many holds ended with the news for somebody that they can no longer decide, since a moment in it. Where rules have
 * changed for this gate, everybody is authorized again for that reason.
 */
function leftWhileHeld(seen: Case): number {
  const { run, approval } = seen;
  if (run.rights.some((each) => each.approval === approval.name)) return 0;
  return holdsIn(seen).filter(({ from, until }) =>
    seen.told.some(
      ({ person, at: toldAt, text }) =>
        /does not count\. While it was waiting, /.test(text) &&
        toldAt < until + AUTHORIZED_MS &&
        rightsOf(run, person).some(({ at, can }) => !can && from < at && at < until),
    ),
  ).length;
}

function isHeld(seen: Case): boolean {
  return holdsIn(seen).length > 0;
}

function wasReloaded({ approval, run }: Case): boolean {
  const until = approval.deadlineAt ?? Number.POSITIVE_INFINITY;
  return (run.reloads ?? []).some((at) => approval.madeAt <= at && at <= until);
}

/** How often the first read after an approval was answered once its author had been taken off the route. */
function takenOffMeanwhile({ approval: { calls, name }, presses, run }: Case): number {
  const isTakenOff = (person: string, from: number, until: number) =>
    rightsOf(run, person).some(
      ({ approval, can, at }) =>
        approval === name && !can && from < at && at < until && run.reloads?.includes(at),
    );
  return presses.filter(({ action, person, at: pressedAt }) => {
    const next = calls.find(({ at }) => at > pressedAt);
    if (action !== 'approve' || next?.operation !== 'read' || next.heard !== true) return false;
    return isTakenOff(person, next.at, next.heardAt ?? next.at);
  }).length;
}

function isKnownByAddress({ approval: { askers = [], home } }: Case): boolean {
  return askers.length > 0 && home?.asked.length === 0;
}

/** Two reviewers of it had surely named the person who pressed. */
function hasTwo({ approval, run }: Case, { person, at }: Press): boolean {
  const { reviewers, substitutes } = approval;
  const givers = reviewers.filter((giver) => surelyStandsIn(run, person, giver, at));
  return substitutes === true && givers.length > 1;
}

/** It asked somebody, and then says that they are away; no press and no escalation has made it look. */
function isAwayMeanwhile({ presses, approval }: Case, { versions }: MessageSeen): boolean {
  if (presses.length + (approval.escalates ?? []).length > 0) return false;
  const asks = versions.map((each) => claimsOf(each).asks);
  return asks.some((each, place) =>
    each?.noted.some((person) => asks[place - 1]?.people.includes(person)),
  );
}

/** How many people read that they do not review it, who were the substitute of a reviewer who is still away. */
function declined({ told: all, approval, run }: Case): number {
  return all.filter(
    ({ text, person, at }) =>
      /^You are not a reviewer of /.test(text) &&
      giversTo(run, person).some(
        (giver) =>
          approval.reviewers.includes(giver) &&
          isSurelyAway(run, giver, at) &&
          !mayStandIn(run, person, giver, at - SOON_MS, at),
      ),
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

function isReplaced(seen: Case): boolean {
  if (seen.newer.length === 0) return false;
  return seen.messages.some(({ versions }) =>
    versions.some(({ blocks }) => JSON.stringify(blocks).includes('replaced by')),
  );
}

function isTaken({ status }: ReportSeen): boolean {
  return status === 200;
}

function isEnd(report: ReportSeen): boolean {
  return report.state !== 'running' && isTaken(report);
}

function reported(
  { approval: { reports = [] } }: Case,
  isSo: (report: ReportSeen, before: readonly ReportSeen[]) => boolean,
): number {
  return reports.filter((each, place) => isSo(each, reports.slice(0, place))).length;
}
