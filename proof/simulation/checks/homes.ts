import {
  accountsOf,
  type Case,
  mayBeForgotten,
  mayReviewFor,
  postOf,
  pressesBy,
  recordOf,
  rightsOf,
  violation,
  wasReviewer,
  wentBackBetween,
} from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Evidence, HomeRow, Press, Violation } from '../evidence.ts';
import { isOfGone, untrue } from './messages.ts';

/** Facts about people in a list may be a minute old, and another minute while Slack does not answer. */
const OLD_MS = 120_000;

type Row = Case['homes'][number];

/**
 * Each row of a Home tab was true at a moment at which it was read: see `HomeRow.reads`. A waiting request was pending,
 * fully posted, and theirs to decide as far as Slack shows; a decided one ended as stated, by these people.
 */
export function homes(seen: Case): Violation[] {
  const wrong = seen.homes.flatMap((row) => {
    const { person, at } = row.on;
    return wrongIn(seen, row).map((what) =>
      violation(seen, 'false', `Home, ${row.section}: ${what}`, { person, at }),
    );
  });
  return [...wrong, ...withoutResult(seen)];
}

/** Until when a Home tab is refreshed, also if Slack is too busy at first, or answers of the store are lost. */
const REFRESHED_MS = 60_000;

/** Whoever approved it on their Home tab sees there how the work ended. */
function withoutResult(seen: Case): Violation[] {
  const { run, approval } = seen;
  const ends = (approval.reports ?? []).filter(
    ({ state, status }) => state !== 'running' && status !== 409,
  );
  const taken = ends.flatMap(({ status, answeredAt }) => (status === 200 ? [answeredAt ?? 0] : []));
  if (taken.length === 0) return [];
  // One whose answer was lost may have been taken first.
  const since = Math.min(...ends.map(({ at }) => at));
  const until = Math.min(...taken) + REFRESHED_MS;
  return approvedAtHome(seen).flatMap(({ person, at }) => {
    const isShown = run.homes?.some(
      (each) => each.person === person && each.at >= since && each.at <= until,
    );
    const isGone = rightsOf(run, person).some((each) => each.gone === true && each.at <= until);
    if (isShown || isGone || wentBackBetween(seen, at, until)) return [];
    if (isHindered(seen, since, until)) return [];
    const what = 'the Home tab on which it was approved was not published after its result';
    return [violation(seen, 'false', what, { person, at: since })];
  });
}

/** The first presses of those who certainly decided it, if they pressed nothing else. */
function approvedAtHome(seen: Case): readonly Press[] {
  const end = seen.audit?.find(({ action }) => action === 'approvals.outcome');
  if (end?.facts.status !== 'APPROVED' || end.facts.credit !== 'certain') return [];
  return end.actor.split(',').flatMap((person) => {
    const own = seen.presses.filter((each) => each.person === person);
    const isAtHome = own.every(
      ({ action, isElsewhere }) => action === 'approve' && isElsewhere === true,
    );
    const isTakenBack = seen.takeBacks.some((each) => each.person === person);
    return isAtHome && !isTakenBack ? own.slice(0, 1) : [];
  });
}

/** Nothing could be saved or published for a while. */
function isHindered({ run }: Case, from: number, until: number): boolean {
  return run.interruptions.some(
    (each) =>
      !/^clock |^the receiver|^the service|line to (?:callbacks|intake|service|deliveries)/.test(
        each.what,
      ) &&
      each.from <= until &&
      each.to + run.limits.resumeMs >= from,
  );
}

/** Only administrators see what waits for others. */
export function headings({ homes = [] }: Evidence): Violation[] {
  return homes
    .filter(({ sections, isAdministrator }) => sections.includes('all') && !isAdministrator)
    .map(({ person, at }) => ({
      kind: 'false',
      subject: `Home of ${person}`,
      person,
      at,
      what: 'who is no administrator saw everything that waits',
    }));
}

function wrongIn(seen: Case, row: Row): string[] {
  const { section, reads, on } = row;
  const moments = reads ?? [on.from];
  const last = moments.at(-1);
  if (last === undefined) return ['it was shown, and had not been read for that'];
  const claims = claimsIn(row);
  // A store that went back after the read no longer knows how an own gate ended, and nothing in Slack shows it.
  const isForgotten =
    seen.approval.authority === 'gatepost' && moments.some((at) => mayBeForgotten(seen, at));
  const isUntold = isForgotten || isOfGone(seen, row.record);
  // A row without buttons does not say which record it is, nor when that was read.
  const saidAt = reads === null ? on.at : last;
  const lies = untrue(seen, isUntold ? { ...claims, status: null } : claims, saidAt);
  const wrongAt = (at: number) => RULES[section](seen, row, at).filter((each) => each !== false);
  // It was true at one of them: usually at the last.
  const reasons = wrongAt(last);
  const isSo = reasons.length === 0 || moments.some((at) => wrongAt(at).length === 0);
  return [
    ...lies.map((what) => `it said ${what}`),
    ...shownWrongly(seen, row),
    ...(isSo ? [] : reasons),
  ];
}

type Wrong = (seen: Case, row: Row, at: number) => readonly (string | false)[];

/** What is wrong with a row that was read at this moment. */
const RULES: Readonly<Record<HomeRow['section'], Wrong>> = {
  waiting: (seen, row, at) => [
    isOver(seen, row, at) && 'it was over',
    !isPosted(seen, row, at) && 'it was not posted whole',
    isOnItsWay(seen, row, at) && 'a decision on it was on its way',
    !seesAs(seen, row, 'waitsFor') && 'it was not theirs to decide',
  ],
  asked: (seen, row, at) => [
    isOver(seen, row, at) && 'it was over',
    !hasAsked(seen, row) && 'they had not asked for it',
  ],
  decided: (seen, row) => [
    claimsIn(row).status === null && 'it did not say how it ended',
    isCredited(seen, row) && 'it did not leave open who decided',
    !hasAsked(seen, row) && !seesAs(seen, row, 'concerns') && 'it was none of theirs',
  ],
  all: (seen, row, at) => [
    isOver(seen, row, at) && 'it was over',
    !row.on.isAdministrator && 'they were no administrator',
  ],
};

/** By the log, which never went back, nobody knows whose decision was accepted, or it was made elsewhere. */
function isCredited({ audit, run }: Case, row: Row): boolean {
  const { by, elsewhere, status } = claimsIn(row);
  const learned = (audit ?? []).filter(({ action }) => action === 'approvals.outcome');
  const isAlways = (credit: string) =>
    learned.length > 0 &&
    run.lapses.length === 0 &&
    learned.every(({ facts }) => facts.credit === credit);
  if (isAlways('sent')) return by.length > 0;
  return isAlways('none') && status !== 'TIMED_OUT' && !elsewhere;
}

const ENDS: ReadonlySet<string> = new Set(['APPROVED', 'REJECTED', 'TIMED_OUT', 'WITHDRAWN']);

/** Gatepost had told somebody so, and the store has not gone back since the request. */
function isOver(seen: Case, { on }: Row, at: number): boolean {
  const { approval, messages, callbacks } = seen;
  if (wentBackBetween(seen, approval.madeAt, on.at)) return false;
  const isEnd = ({ status, withdrawn }: Claims) => status !== null || withdrawn;
  return (
    messages.some(({ versions }) =>
      versions.some((version) => version.at < at && isEnd(claimsOf(version))),
    ) || callbacks?.some((each) => each.at < at && ENDS.has(each.status)) === true
  );
}

/** Its messages contained the whole request. */
function isPosted({ approval, messages }: Case, { record }: Row, at: number): boolean {
  const own = messages.filter((each) => recordOf(each) === record);
  const shown = own.flatMap((each) => each.versions.filter((version) => version.at <= at));
  const isThere = own.some(
    (each) =>
      postOf(each)?.startsWith('message') &&
      (each.versions[0]?.at ?? Number.POSITIVE_INFINITY) <= at,
  );
  return isThere && isWhole(approval.message, shown);
}

function isOnItsWay(seen: Case, { on }: Row, at: number): boolean {
  if (wentBackBetween(seen, seen.approval.madeAt, on.at)) return false;
  return sendsOf(seen).some(({ from, until }) => from < at && at < until);
}

/**
 * A send is noted before it happens, and stays noted until its answer is there. After one that leaves open whether it
 * was carried out, nobody else can decide for a while.
 */
export function sendsOf({ approval, run }: Case) {
  const sends = approval.calls.filter(({ operation }) => operation === 'respond');
  return sends.map(({ sentAt: from = Number.POSITIVE_INFINITY, at, status }) => {
    const isOpen = status === null || status >= 500;
    return { from, until: isOpen ? from + run.limits.quietMs : at };
  });
}

function hasAsked({ approval }: Case, { on }: Row): boolean {
  return approval.home?.asked.includes(on.person) === true;
}

function seesAs(seen: Case, { on }: Row, as: 'waitsFor' | 'concerns'): boolean {
  const { person, from, at } = on;
  const isNamed = seen.approval.home?.[as].includes(person) === true;
  const isTheirs = isNamed && wasReviewer(seen, person, from - OLD_MS, at);
  return isTheirs || mayReviewFor(seen, person, from - OLD_MS, at);
}

/** Whatever was read, and about whom. */
function shownWrongly(seen: Case, row: Row): string[] {
  const { approval } = seen;
  const { person, at } = row.on;
  const text = textIn(row.blocks);
  const saysApproved = /\bYou approved\b/.test(text);
  const hasApproved = () => {
    const users = rightsOf(seen.run, person);
    const ids = new Set(users.map(({ serviceUser }) => serviceUser));
    const accounts = [...ids].flatMap((id) => (id === null ? [person] : accountsOf(seen.run, id)));
    return accounts.some((each) => pressesBy(seen, each, 'approve', at).length > 0);
  };
  const isShownWhole =
    row.section === 'waiting' &&
    [approval.title, approval.message ?? ''].every((each) => text.includes(each));
  const wrong = [
    row.showsToken && 'its token could be read',
    row.decides && !isShownWhole && 'it could be decided where not all of it was shown',
    saysApproved && !hasApproved() && 'it said that they had approved',
  ];
  return wrong.filter((each) => each !== false);
}

function isWhole(
  message: string | undefined,
  shown: readonly { readonly blocks: readonly unknown[] }[],
): boolean {
  if (message === undefined) return true;
  const texts = shown.map(({ blocks }) => textIn(blocks)).filter((text) => text !== '');
  return texts.some((text) => text.includes(message)) || texts.join('\n').includes(message);
}

/** A row as if it were a message: its state is in its small text. */
function claimsIn(row: Row): Claims {
  const { blocks, on } = row;
  const known = claims.get(row) ?? claimsOf({ at: on.at, text: '', blocks, metadata: null });
  claims.set(row, known);
  return known;
}

const claims = new WeakMap<Row, Claims>();

/** All texts in some blocks, which are read for each row and each moment. */
function textIn(blocks: readonly unknown[]): string {
  const known = read.get(blocks) ?? collect(blocks, []).join('\n');
  read.set(blocks, known);
  return known;
}

const read = new WeakMap<readonly unknown[], string>();

function collect(value: unknown, into: string[]): string[] {
  if (typeof value === 'string') into.push(value);
  if (typeof value !== 'object' || value === null) return into;
  for (const each of Object.values(value)) collect(each, into);
  return into;
}
