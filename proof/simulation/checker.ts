import type { Case } from './case.ts';
import { postOf, recordOf } from './case.ts';
import { absences, notices } from './checks/absences.ts';
import { ballots } from './checks/ballots.ts';
import { blocked } from './checks/blocked.ts';
import { callbacks } from './checks/callbacks.ts';
import { closings } from './checks/closings.ts';
import { credit } from './checks/credit.ts';
import { decisions } from './checks/decisions.ts';
import { holds } from './checks/holds.ts';
import { headings, homes } from './checks/homes.ts';
import { lastWords } from './checks/last-words.ts';
import { lists } from './checks/lists.ts';
import { log } from './checks/log.ts';
import { messages } from './checks/messages.ts';
import { needs } from './checks/needs.ts';
import { noLongerCounts, sentWithout } from './checks/no-longer-counts.ts';
import { commands, operations } from './checks/operations.ts';
import { outdated } from './checks/outdated.ts';
import { people } from './checks/people.ts';
import { pressOrder } from './checks/press-order.ts';
import { results } from './checks/results.ts';
import { selfApprovals } from './checks/self-approvals.ts';
import { spent } from './checks/spent.ts';
import { superseded } from './checks/superseded.ts';
import { takingBack } from './checks/taking-back.ts';
import { tooFew } from './checks/too-few.ts';
import { withdrawals } from './checks/withdrawals.ts';
import type { ApprovalSeen, Broken, Evidence, MessageSeen, Told, Violation } from './evidence.ts';
import { groupBy } from './group-by.ts';
import { newerThan } from './newer.ts';

/**
 * Checks the evidence of a run that has come to rest: returns every broken promise, and where. Of the product it knows
 * only what people see, what the docs promise, and the names in the audit log.
 */
export function check(evidence: Evidence): Violation[] {
  const cases = casesIn(evidence);
  return [
    ...cases.flatMap((seen) => CHECKS.flatMap((each) => each(seen))),
    ...operations(evidence),
    ...commands(evidence),
    ...headings(evidence),
    ...notices(evidence),
  ];
}

const CHECKS = [
  decisions,
  messages,
  people,
  log,
  callbacks,
  withdrawals,
  ballots,
  lastWords,
  blocked,
  lists,
  homes,
  needs,
  takingBack,
  pressOrder,
  absences,
  closings,
  holds,
  selfApprovals,
  results,
  superseded,
  outdated,
  credit,
  noLongerCounts,
  sentWithout,
  spent,
  tooFew,
];

/** The number of violations of each kind. */
export function tally(violations: readonly Violation[]): Record<Broken, number> {
  const count = (kind: Broken) => violations.filter((each) => each.kind === kind).length;
  return {
    lost: count('lost'),
    double: count('double'),
    false: count('false'),
    unanswered: count('unanswered'),
  };
}

/**
 * What belongs to each approval: messages and log entries by their record, replies by the message or title they name.
 */
export function casesIn(evidence: Evidence): Case[] {
  const { approvals, rights, lapses, interruptions, limits, absences: away = [] } = evidence;
  const { closures = [], unlisted, doubts = [], lists: listed = [], memberships = [] } = evidence;
  const { delays = [], putOff = [] } = evidence;
  const { takeBacks = [], reviews = [], reloads = [], closings: closed = [] } = evidence;
  const run = {
    ...{ rights, memberships, absences: away, lapses, interruptions, closures, doubts, limits },
    ...(unlisted && { unlisted }),
    hidden: evidence.hidden ?? [],
    lists: listed,
    homes: evidence.homes ?? [],
    closings: closed,
    reloads,
    delays,
    putOff,
  };
  const byTitle = new Map(approvals.map((each) => [each.title, each.name]));
  const byRecord = new Map(
    approvals.flatMap(({ name, intake }) =>
      intake.flatMap(({ record }) => (record === null ? [] : [[record, name] as const])),
    ),
  );
  const messageOwner = (message: MessageSeen): string | undefined => {
    const record = recordOf(message);
    if (record === null) return undefined;
    const known = byRecord.get(record);
    if (known !== undefined || postOf(message) !== 'message') return known;
    // The intake's answer was lost: the message's title says which approval it is.
    const owner = titlesIn(message.versions[0]?.text ?? '').flatMap(
      (each) => byTitle.get(each) ?? [],
    );
    if (owner[0] !== undefined) byRecord.set(record, owner[0]);
    return owner[0];
  };
  const owned = evidence.messages.map((each) => [messageOwner(each), each] as const);
  const byPlace = new Map(owned.map(([owner, each]) => [placeOf(each), owner]));
  const toldOwner = ({ text }: Told): string | undefined => {
    const linked = placesIn(text).flatMap((place) => byPlace.get(place) ?? []);
    return linked[0] ?? titlesIn(text).flatMap((title) => byTitle.get(title) ?? [])[0];
  };
  const toldOf = groupBy(evidence.told, toldOwner);
  const unnamed = groupBy(evidence.told, (told) =>
    toldOwner(told) === undefined ? told.person : undefined,
  );
  // Replies in a thread come after the message, which makes an unknown record known.
  const messagesOf = groupBy(evidence.messages, (each) => byRecord.get(recordOf(each) ?? ''));
  const pressesOf = groupBy(evidence.presses, ({ approval }) => approval);
  const takeBacksOf = groupBy(takeBacks, ({ approval }) => approval);
  const reviewsOf = groupBy(reviews, ({ approval }) => approval);
  const auditOf = groupBy(evidence.audit ?? [], ({ record }) => byRecord.get(record ?? ''));
  const callbacksOf = groupBy(evidence.callbacks ?? [], ({ record }) => byRecord.get(record));
  const rows = (evidence.homes ?? []).flatMap((on) => on.rows.map((row) => ({ ...row, on })));
  const homesOf = groupBy(rows, ({ title }) => byTitle.get(title));
  const recordsOf = groupBy([...byRecord], ([, name]) => name);
  const askedIn = ({ name }: ApprovalSeen) =>
    (messagesOf.get(name) ?? []).filter((each) => postOf(each)?.startsWith('message') === true);
  return approvals.map((asked) => {
    const newer = newerThan(asked, approvals, askedIn);
    // A newer request withdraws it as its automation would.
    const replaced = newer.map(({ postedAt }) => ({ at: postedAt, answeredAt: null }));
    const approval = { ...asked, withdrawals: [...asked.withdrawals, ...replaced] };
    return {
      approval,
      newer,
      records: recordsInOrder(
        approval,
        (recordsOf.get(approval.name) ?? []).map(([record]) => record),
        messagesOf.get(approval.name) ?? [],
      ),
      messages: byMoment(
        messagesOf.get(approval.name) ?? [],
        ({ versions }) => versions[0]?.at ?? 0,
      ),
      told: byMoment(toldOf.get(approval.name) ?? [], ({ at }) => at),
      unnamed,
      presses: byMoment(pressesOf.get(approval.name) ?? [], ({ at }) => at),
      takeBacks: byMoment(takeBacksOf.get(approval.name) ?? [], ({ at }) => at),
      reviews: byMoment(reviewsOf.get(approval.name) ?? [], ({ at }) => at),
      callbacks: evidence.callbacks === null ? null : (callbacksOf.get(approval.name) ?? []),
      audit: evidence.audit === null ? null : (auditOf.get(approval.name) ?? []),
      homes: homesOf.get(approval.name) ?? [],
      run,
    };
  });
}

/** The record that the intake named last is the one that counts, unless one was posted later whose answer was lost. */
function recordsInOrder(
  { intake }: ApprovalSeen,
  records: readonly string[],
  messages: readonly MessageSeen[],
): string[] {
  const namedAt = (record: string) => {
    const named = intake.findLast((each) => each.record === record);
    return named?.answeredAt ?? named?.at;
  };
  const postedAt = (record: string) =>
    messages.find((each) => recordOf(each) === record)?.versions[0]?.at;
  const at = (record: string) => namedAt(record) ?? postedAt(record) ?? Number.NEGATIVE_INFINITY;
  return records.toSorted((one, other) => at(one) - at(other));
}

function byMoment<Seen>(seen: readonly Seen[], at: (each: Seen) => number): Seen[] {
  return seen.toSorted((one, other) => at(one) - at(other));
}

function placeOf({ channel, ts }: Pick<MessageSeen, 'channel' | 'ts'>): string {
  return `${channel}/p${ts.replace('.', '')}`;
}

/** Messages that a text links to. */
function placesIn(text: string): string[] {
  return [...text.matchAll(/\/archives\/(\w+\/p\d+)/g)].map(([, place]) => String(place));
}

/** Possible titles of a request: text in bold, and in a notification the text after a state. */
function titlesIn(text: string): string[] {
  const bold = [...text.matchAll(/\*(?:<[^|>]*\|)?([^*>]+)>?\*/g)].map(([, title]) => title);
  const [, after] = /^[^:]+: (.+?)(?: · |$)/m.exec(text) ?? [];
  return [...bold, after].filter((each) => each !== undefined);
}
