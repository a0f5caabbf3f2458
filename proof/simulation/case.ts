import { giversOf, mayStandIn } from './absent.ts';
import { clockShowsBy } from './closed-then.ts';
import type {
  Action,
  ApprovalSeen,
  AuditSeen,
  Broken,
  CallbackSeen,
  Effect,
  Evidence,
  HomeRow,
  HomeSeen,
  MessageSeen,
  Press,
  RightsChange,
  ServiceCall,
  Status,
  TakeBack,
  Told,
  Violation,
} from './evidence.ts';
import { groupBy } from './group-by.ts';
import type { Newer } from './newer.ts';

/** All evidence of one approval, and the facts of the run that are needed to check it. */
export interface Case {
  readonly approval: ApprovalSeen;
  /** Gatepost's ids of it, oldest first: one, unless the store forgot it. */
  readonly records: readonly string[];
  readonly messages: readonly MessageSeen[];
  readonly told: readonly Told[];
  /** Replies that name no request, by person: those of a failed listener. */
  readonly unnamed: ReadonlyMap<string, readonly Told[]>;
  /** Oldest first. */
  readonly presses: readonly Press[];
  /** Oldest first. */
  readonly takeBacks: readonly TakeBack[];
  /** Presses on *Reviewed*, oldest first. */
  readonly reviews: readonly TakeBack[];
  /** In the order of arrival; null: there is no callback. */
  readonly callbacks: readonly CallbackSeen[] | null;
  /** null: the log was not read. */
  readonly audit: readonly AuditSeen[] | null;
  /** Its rows on Home tabs. */
  readonly homes: readonly (HomeRow & { readonly on: HomeSeen })[];
  /** What may have replaced it. */
  readonly newer: readonly Newer[];
  readonly run: Run;
}

/** Facts about all approvals of a run. */
export type Run = Pick<
  Evidence,
  | 'rights'
  | 'memberships'
  | 'absences'
  | 'closings'
  | 'lapses'
  | 'interruptions'
  | 'closures'
  | 'unlisted'
  | 'putOff'
  | 'delays'
  | 'doubts'
  | 'hidden'
  | 'lists'
  | 'homes'
  | 'limits'
  | 'reloads'
>;

/** Finds violations in a case. */
export type Check = (seen: Case) => readonly Violation[];

export const STATUS_OF: Readonly<Record<Action, Status>> = {
  approve: 'APPROVED',
  reject: 'REJECTED',
};
const ACTION_OF: Readonly<Record<Status, Action | null>> = {
  APPROVED: 'approve',
  REJECTED: 'reject',
  TIMED_OUT: null,
};

export function violation(
  { approval }: Pick<Case, 'approval'>,
  kind: Broken,
  what: string,
  {
    person = null,
    at = null,
  }: { readonly person?: string | null; readonly at?: number | null } = {},
): Violation {
  return { kind, subject: approval.name, person, at, what };
}

/** The status was read, and the bot could use the answer. */
export function isReadWell({ operation, status, readable, heard }: ServiceCall): boolean {
  return operation === 'read' && status === 200 && readable && heard === true;
}

/** How long after a process has heard something nothing else may happen, for it to be noted. */
export const NOTED_MS = 3_000;

/** The process that heard it then may not have noted it, or the store may have forgotten the note. */
export function mayBeUnnoted({ run, records }: Case, heardAt: number): boolean {
  const until = heardAt + NOTED_MS;
  const isUnsaved = run.delays?.some(
    ({ record, at }) => records.includes(record) && at >= heardAt && at <= until,
  );
  return (
    isUnsaved === true ||
    run.lapses.some(({ from, at }) => from <= until && at >= heardAt) ||
    run.interruptions.some(
      ({ from, to, what }) => from <= until && to >= heardAt && !what.startsWith('clock'),
    )
  );
}

/** A process whose last note the store forgot may have read it so soon after that, and cannot note what it read. */
const STALE_MS = 2_000;

/** The same, from the moment at which the store went back. */
export function wasReadSince(seen: Case, wentBackAt: number, until: number): boolean {
  return seen.approval.calls.some((call) => {
    const { at, sentAt = at } = call;
    const heardAt = call.heardAt ?? at;
    const isInTime = sentAt >= wentBackAt + STALE_MS && heardAt <= until;
    return isReadWell(call) && isInTime && !mayBeUnnoted(seen, heardAt);
  });
}

/** The accepted intake call that made Gatepost responsible for it; undefined: there is none. */
export function acceptedIn({ approval }: Pick<Case, 'approval'>) {
  return approval.intake.find(({ status }) => status !== null && status >= 200 && status < 300);
}

export function recordOf(message: MessageSeen): string | null {
  return textIn(message, 'record');
}

/** `message`, `message-again-1`, `outcome-thread`, … */
export function postOf(message: MessageSeen): string | null {
  return textIn(message, 'post');
}

function textIn({ versions }: MessageSeen, member: string): string | null {
  const value = versions.find(({ metadata }) => metadata !== null)?.metadata?.[member];
  return typeof value === 'string' ? value : null;
}

/** The end of an approval as people had to know it by then: for an own gate the log only says whether there was one. */
export function effectBy({ approval, audit }: Case, at: number): readonly Known[] {
  if (approval.authority === 'service') return approval.effects.filter((each) => each.at <= at);
  const entries = audit?.filter(({ action }) => action === 'approvals.outcome') ?? [];
  return entries.flatMap(({ facts, actor }): Known[] => {
    const status = STATUSES.find((each) => each === facts.status);
    const how = actor === 'gatepost' ? 'deadline' : 'interface';
    return status === undefined ? [] : [{ status, how, people: actor.split(',') }];
  });
}

const STATUSES: readonly Status[] = ['APPROVED', 'REJECTED', 'TIMED_OUT'];

type Known = Pick<Effect, 'status' | 'how'> & {
  readonly serviceUser?: string | null;
  /** For an own gate. */
  readonly people?: readonly string[];
};

export function actionOf(status: Status): Action | null {
  return ACTION_OF[status];
}

/** A person's presses for an action that may have had an effect by this moment. */
export function pressesBy(
  { presses }: Case,
  person: string,
  action: Press['action'] | null,
  until: number,
): readonly Press[] {
  return presses.filter(
    (each) =>
      each.person === person && each.at <= until && (action === null || each.action === action),
  );
}

/**
 * Whether somebody pressed that, and could decide at some moment since: authorization happens after the press and
 * before anything is done with it.
 */
export function couldDecide(
  seen: Case,
  person: string,
  action: Action | null,
  until: number,
): boolean {
  return pressesBy(seen, person, action, until).some(({ at }) => mayCount(seen, person, at, until));
}

/**
 * A command or press about an absence is applied by the process that holds its lease: if that process dies, or its
 * answer from the store is lost, by the next one.
 */
const HANDED_OVER_MS = 15_000;

/** From when on everybody knows what was true of an absence at this time. */
export function knownFrom(seen: Case, at: number): number {
  const since = at - HANDED_OVER_MS;
  return wasInterrupted(seen, since, at) ? since : at;
}

/**
 * By their own right, or by that of the person in whose place their ballot was cast, according to the log, and in whose
 * place they still stood.
 */
export function mayCount(seen: Case, person: string, from: number, until: number): boolean {
  const { approval, run } = seen;
  const known = giversOf(seen, person).some((giver) =>
    giver === null
      ? hadRight(seen, person, from, until)
      : mayStandIn(run, person, giver, knownFrom(seen, from), until) &&
        hadRightFor(seen, { person, giver }, from, until),
  );
  // If a store forgot a ballot, the log does not say in whose place it was cast.
  const isForgotten = run.lapses.length > 0;
  return (
    known ||
    (isForgotten &&
      approval.reviewers.some(
        (giver) =>
          mayStandIn(run, person, giver, from, until) &&
          hadRightFor(seen, { person, giver }, from, until),
      ))
  );
}

/** Whether somebody could decide in another person's place: each of them had the right at some moment. */
export function hadRightFor(
  seen: Case,
  { person, giver }: { readonly person: string; readonly giver: string },
  from: number,
  until: number,
): boolean {
  const { approval, run } = seen;
  const { substitutes = false, askers = [] } = approval;
  const hasAsked = askers.includes(person) || askers.includes(giver);
  return (
    substitutes &&
    !hasAsked &&
    hadAccount(run, person, from, until) &&
    hadRight(seen, giver, from, until)
  );
}

/**
 * Whether Slack showed somebody as a reviewer in whose place the person may have decided. Slack does not show if a
 * reviewer's other account is the requester's.
 */
export function mayReviewFor(seen: Case, person: string, from: number, until: number): boolean {
  const { reviewers, substitutes, askers = [], home } = seen.approval;
  const { waitsFor, asked } = home ?? { waitsFor: reviewers, asked: askers };
  if (substitutes !== true || asked.includes(person)) return false;
  return waitsFor.some(
    (giver) =>
      mayStandIn(seen.run, person, giver, from, until) && wasReviewer(seen, giver, from, until),
  );
}

/** Whether they could decide anything at some moment. */
function hadAccount({ rights }: Run, person: string, from: number, until: number): boolean {
  const own = rightsOf({ rights }, person).filter((each) => each.approval === undefined);
  return own.some(
    ({ at, can }, place) =>
      can && at <= until && (own[place + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
  );
}

/** Everybody who may have cast a ballot that counts: reviewers, and people who pressed in a reviewer's place. */
export function votersOf({ approval, presses }: Case): readonly string[] {
  return [...new Set([...approval.reviewers, ...presses.map(({ person }) => person)])];
}

/**
 * From when on a reviewer can decide, at the earliest and for certain: by escalation, or earlier if too few others are
 * left.
 */
export function reviewsFrom({ approval, audit, run }: Case, person: string) {
  const { escalates = [], asked, madeAt, deadlineAt, route } = approval;
  const step = escalates.findIndex(({ users }) => users.includes(person));
  if (step < 0 || asked?.includes(person) !== false)
    return { least: Number.NEGATIVE_INFINITY, surely: Number.NEGATIVE_INFINITY };
  const begun = Math.max(
    0,
    ...(audit ?? []).map(({ action, facts }) =>
      action === 'approvals.escalated' ? Number(facts.steps) : 0,
    ),
  );
  const { afterMs = 0 } = escalates[step] ?? {};
  const { answeredAt } = acceptedIn({ approval }) ?? {};
  // If the log may have lost the escalation, or was not read, it may have happened.
  const isEarly = begun > step || audit === null || run.lapses.length > 0;
  const dueAt = (answeredAt ?? Number.POSITIVE_INFINITY) + afterMs;
  const surely = clockShowsBy(run, route, dueAt) + BEGUN_MS;
  // Nothing is escalated after the deadline.
  const isOver = deadlineAt !== null && surely >= deadlineAt - SET_MS;
  return {
    least: isEarly ? madeAt : madeAt + afterMs,
    surely: isOver ? Number.POSITIVE_INFINITY : surely,
  };
}

/** The most that the step is planned later. */
const BEGUN_MS = 1_000;
/** The most by which clocks are set at once. */
const SET_MS = 60_000;

/** Whether the person could decide at some moment of the span. */
export function hadRight(seen: Case, person: string, from: number, until: number): boolean {
  const { approval, run } = seen;
  const since = Math.max(from, reviewsFrom(seen, person).least);
  return (
    approval.reviewers.includes(person) &&
    since <= until &&
    spans(run, approval.name, person).some(
      (span) => span.can && span.from <= until && span.to >= since,
    )
  );
}

/** Whether the person could decide at every moment of the span. */
export function hadRightThroughout(
  seen: Case,
  person: string,
  from: number,
  until: number,
): boolean {
  const { approval, run } = seen;
  return (
    approval.reviewers.includes(person) &&
    from >= reviewsFrom(seen, person).surely &&
    spans(run, approval.name, person).every(
      (span) => span.can || span.from > until || span.to < from,
    )
  );
}

/** Whether Slack showed the person as a reviewer of such a request at some moment of the span. */
export function wasReviewer(
  { approval, run }: Case,
  person: string,
  from: number,
  until: number,
): boolean {
  return spans(run, approval.name, person).some(
    (span) => span.inSlack && span.from <= until && span.to >= from,
  );
}

/** Gatepost looks before it posts, and what it then knows is up to a minute old. */
const LOOKED_BEFORE_MS = 70_000;

/** Whether Slack has shown the person as a full member since somebody may have looked, and never denied to know them. */
export function isSurelyMember({ approval, run }: Case, person: string, until: number): boolean {
  const from = approval.madeAt - LOOKED_BEFORE_MS;
  if (run.doubts?.some((each) => each.from <= until && each.to >= from)) return false;
  const own = rightsOf(run, person).filter(
    (each) => each.approval === undefined || each.approval === approval.name,
  );
  return own.every(
    ({ at, can, inSlack = can }, place) =>
      inSlack || at > until || (own[place + 1]?.at ?? Number.POSITIVE_INFINITY) < from,
  );
}

function spans({ rights }: Run, approval: string, person: string) {
  const own = rightsOf({ rights }, person).filter(
    (each) => each.approval === undefined || each.approval === approval,
  );
  return own.map((each, place) => ({
    can: each.can,
    inSlack: each.inSlack ?? each.can,
    from: each.at,
    to: own[place + 1]?.at ?? Number.POSITIVE_INFINITY,
  }));
}

/** What changed for a person, oldest first. */
export function rightsOf(run: Pick<Run, 'rights'>, person: string): readonly RightsChange[] {
  return rightsIn(run).get(person) ?? [];
}

/** Everybody who ever could decide something, or not. */
export function everybodyIn(run: Pick<Run, 'rights'>): readonly string[] {
  return [...rightsIn(run).keys()];
}

function rightsIn({ rights }: Pick<Run, 'rights'>): ReadonlyMap<string, readonly RightsChange[]> {
  const known = byPerson.get(rights) ?? groupBy(rights, ({ person }) => person);
  byPerson.set(rights, known);
  return known;
}

/** Once a run is at rest: each rule asks for each approval. */
const byPerson = new WeakMap<Run['rights'], ReadonlyMap<string, readonly RightsChange[]>>();

/** All Slack accounts of the person with this id in the service. */
export function accountsOf({ rights }: Run, serviceUser: string): readonly string[] {
  const known = byUser.get(rights) ?? accountsIn(rights);
  byUser.set(rights, known);
  return known.get(serviceUser) ?? [];
}

function accountsIn(rights: Run['rights']): ReadonlyMap<string, readonly string[]> {
  const all = groupBy(rights, (each) => each.serviceUser ?? undefined);
  const named = [...all].map(([user, own]) => {
    return [user, [...new Set(own.map(({ person }) => person))]] as const;
  });
  return new Map(named);
}

const byUser = new WeakMap<Run['rights'], ReadonlyMap<string, readonly string[]>>();

/** One id per person, as far as that could be known at a moment, or `rightMs` before it. */
export function peopleIn(run: Run, ids: readonly string[], at: number): readonly string[] {
  return [...new Map(ids.map((id) => [userIn(run, id, at), id])).values()];
}

/** Whether both ids are one person's, as `peopleIn` knows it. */
export function areOne(run: Run, one: string, other: string, at: number): boolean {
  return one === other || userIn(run, one, at) === userIn(run, other, at);
}

function userIn(run: Run, id: string, at: number): string {
  const own = rightsOf(run, id);
  const known = own.findLast((each) => each.at <= at - run.limits.rightMs) ?? own[0];
  return known?.serviceUser ?? id;
}

/** What was written at this moment may be gone. */
export function mayBeForgotten({ run }: Case, at: number): boolean {
  return run.lapses.some((lapse) => lapse.from <= at && at <= lapse.at);
}

/**
 * The same for a click or a token that was acknowledged at this moment, and may have been stored from `since` on: the
 * acknowledgement itself can be in flight while the store goes back.
 */
export function mayBeLost({ run }: Pick<Case, 'run'>, at: number, since = at): boolean {
  return run.lapses.some(
    (lapse) => !lapse.keptAcknowledged && lapse.from <= at && since <= lapse.at,
  );
}

/** The store may have lost the request: nobody updates its message. */
export function isForgotten(seen: Case): boolean {
  const accepted = acceptedIn(seen);
  return accepted !== undefined && mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at);
}

/** The store went back in between: what was done before may be done again. */
export function wentBackBetween({ run }: Case, from: number, until: number): boolean {
  return run.lapses.some((lapse) => lapse.from <= until && lapse.at >= from);
}

/** A process ended, stood still or had no store in between, or just before. */
export function wasInterrupted({ run }: Case, from: number, until: number): boolean {
  const { resumeMs } = run.limits;
  return run.interruptions.some((each) => each.from <= until && each.to + resumeMs >= from);
}
