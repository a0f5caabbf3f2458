import { cleanLine } from '../../../core/lib/clean-line.ts';
import type { FailureClass } from '../../../core/lib/failure.ts';
import { code, dateSecondsText, secondsText, timeText } from '../../../core/slack/text.ts';
import { type Approval, type HistoryEvent, KEPT_REQUEST } from '../../approval.ts';
import { EARLIER_PRESS } from '../../decision/press-order.ts';
import { REOPENED_SINCE } from '../../decision/transitions.ts';
import { requesterText } from '../../electorate/requester.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { troubleOf } from '../../failure.ts';
import { featurePost, NOT_COUNTED, notes } from './feature-words.ts';
import { outcomeWords } from './outcome-line.ts';
import { sourceText } from './overflow.ts';
import { refusedBecause } from './refusals.ts';
import { isEscalation, isOpening, isReminder } from './reminder.ts';
import { decisionOf, mention, REQUEST, timeOf, troubleText } from './sentences.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

/** Who reads it. */
interface Viewer {
  readonly user: string;
  readonly isAdministrator?: boolean;
}

/**
 * The history of a request, one line each, oldest first. Why a press was not counted is shown only to the person who
 * pressed, and to administrators.
 */
export function timeLine(
  approval: Approval,
  viewer: Viewer,
  terms: Pick<RouteTerms, 'route'>,
): string[] {
  const { history, createdAt } = approval;
  const events = (history?.events ?? []).flatMap((event): Line[] => {
    const text = eventText(event, viewer, approval);
    return text === undefined ? [] : [{ at: createdAt + event.after, text }];
  });
  // Events of the same time keep their order.
  const all = [...posted(approval, terms), ...events, ...ended(approval)];
  all.sort((a, b) => a.at - b.at);
  const lines = [{ at: createdAt, text: byText('Asked', askerText(approval)) }, ...all];
  const [first = '', ...rest] = lines.map(({ at, text }, index) => {
    const before = lines[index - 1]?.at;
    const isClose = [before, lines[index + 1]?.at].some((other) => isSameMinute(at, other));
    return `${timeAfter(at, before, isClose)} · ${text.replace(/\.$/u, '')}`;
  });
  const left = history?.left ?? 0;
  const isOne = left === 1;
  const more = `${left.toLocaleString('en')} more ${isOne ? 'entry is' : 'entries are'} not listed`;
  return [first, ...(left > 0 ? [`_${more}_`] : []), ...rest];
}

const HALF_DAY_MS = 12 * 60 * 60_000;

function isSameMinute(at: number, other: number | undefined): boolean {
  return other !== undefined && Math.floor(at / MINUTE_MS) === Math.floor(other / MINUTE_MS);
}

const MINUTE_MS = 60_000;

/** With the date if it may differ from the previous line's, and with seconds if the minute does not tell them apart. */
function timeAfter(at: number, before: number | undefined, isClose: boolean): string {
  const isNear = before !== undefined && at - before < HALF_DAY_MS;
  if (!isNear) return isClose ? dateSecondsText(at) : timeOf(at);
  return isClose ? secondsText(at) : timeText(at);
}

function byText(what: string, whom: string | undefined): string {
  return whom === undefined ? what : `${what} by ${whom}`;
}

/** The name is other people's text. */
function askerText(approval: Approval): string | undefined {
  const { requester } = approval;
  if (requester?.user !== undefined) return mention(requester.user);
  const called = cleanLine(requester === undefined ? '' : requesterText(requester));
  return called === '' ? sourceText(approval) : code(called);
}

/** The message and reminders, and one line for where the outcome was announced. */
function posted(approval: Approval, { route }: Pick<RouteTerms, 'route'>): Line[] {
  const { createdAt, outcome } = approval;
  const shared: { at: number; place: string }[] = [];
  const lines = approval.posts.flatMap(({ name, channel, ts, gone = [] }): Line[] => {
    const from = (name.startsWith('outcome-') ? outcome?.learnedAt : undefined) ?? createdAt;
    // Slack's clock may be behind.
    const times = [...gone, ...(ts === undefined ? [] : [ts])].map((each) =>
      Math.max(from, Number(each) * 1_000),
    );
    const isOutcome = name !== KEPT_REQUEST || route?.outcomes.thread !== false;
    const place = isOutcome ? placeOf(name, channel, approval) : undefined;
    const text = place === undefined ? postText(name) : `Outcome shared ${place}`;
    if (text === undefined) return [];
    const [first, ...again] = times.map((at, index) => ({
      at,
      text: index === 0 ? text : `${text} again`,
    }));
    if (first === undefined) return [];
    if (place === undefined) return [first, ...again];
    shared.push({ at: first.at, place });
    return again;
  });
  if (shared.length === 0) return lines;
  const places = shared.map(({ place }) => place);
  const all = [places.slice(0, -1).join(', '), places.at(-1)].filter(Boolean).join(' and ');
  return [{ at: Math.min(...shared.map(({ at }) => at)), text: `Outcome shared ${all}` }, ...lines];
}

/** Where a post announces the outcome. */
function placeOf(
  name: string,
  channel: string | undefined,
  { requester }: Approval,
): string | undefined {
  if (name === 'outcome-thread' || name === KEPT_REQUEST) return 'in the thread';
  if (name === 'outcome-channel') return `in <#${channel}>`;
  const user = name === 'outcome-requester' ? requester?.user : undefined;
  return user === undefined ? undefined : `with ${mention(user)}`;
}

/** What another post was; undefined: a continuation. */
function postText(name: string): string | undefined {
  if (name === 'message') return 'Posted';
  if (name === KEPT_REQUEST) return 'Request kept in the thread';
  if (isEscalation(name))
    return 'Escalated: more people can decide, and a reply in the thread mentions them';
  if (isOpening(name)) return 'Opened again: a reply in the thread mentions those who can decide';
  return isReminder(name) ? 'Reminder posted in the thread' : featurePost(name)?.said;
}

function ended(approval: Approval): Line[] {
  const { withdrawnAt, withdrawnBy, outcome } = approval;
  const who = withdrawnBy === undefined ? sourceText(approval) : mention(withdrawnBy);
  const why = notes('withdrawnFor')
    .map((each) => each(approval))
    .join('');
  return [
    ...(withdrawnAt === undefined
      ? []
      : [{ at: withdrawnAt, text: `${byText('Withdrawn', who)}${why}` }]),
    ...(outcome === undefined
      ? []
      : [{ at: outcome.learnedAt, text: `Outcome: ${lowerFirst(outcomeWords(outcome))}` }]),
    ...(outcome?.self?.reviewed === undefined
      ? []
      : [
          {
            at: outcome.self.reviewed.at,
            text: byText('Reviewed', mention(outcome.self.reviewed.by)),
          },
        ]),
    ...notes('times').flatMap((each) => each(approval, byText('Reported', sourceText(approval)))),
  ];
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** undefined: another version's event. */
function eventText(event: HistoryEvent, viewer: Viewer, approval: Approval): string | undefined {
  switch (event.kind) {
    case 'counted': {
      const place = event.for === undefined ? '' : ` for ${mention(event.for)}`;
      const pressed = event.action === 'approve' ? 'Approve' : 'Reject';
      const unused = isUnused(event, approval) ? ' (covered none of what was needed)' : '';
      return `${mention(event.by)} pressed ${pressed}${place}${unused}`;
    }
    case 'not-counted':
      if (event.by === viewer.user) return `Your press was not counted: ${whyNotCounted(event)}`;
      if (viewer.isAdministrator !== true) return 'One press was not counted';
      return `A press of ${mention(event.by)} was not counted. They read: “${whyNotCounted(event)}”`;
    case 'taken-back':
      return `${mention(event.by)} took back their approval`;
    case 'dropped': {
      if (event.by !== viewer.user) return 'One press no longer counts';
      const ofFeature = event.why === undefined ? undefined : NOT_COUNTED[event.why];
      return `Your ${nounOf(event)} no longer counts: ${ofFeature ?? DROPPED}`;
    }
    case 'sending':
      return `Gatepost started to send ${decisionOf(event)} to the service`;
    case 'answered':
      return answerText(event);
    case 'closed': {
      const { failure } = event;
      const why = failure === undefined ? '' : ` ${troubleText(troubleOf(failure), TROUBLE)}`;
      return event.unsure === true
        ? `It is not known whether the service accepted ${decisionOf(event)}.${why}`
        : `${decisionOf(event)} was not accepted and no longer counts.${why}`;
    }
    case 'callback':
      return event.isTaken
        ? `The source confirmed ${code(event.event)}`
        : `The source never confirmed ${code(event.event)}. Gatepost stopped trying.`;
  }
}

/** An approval that was there, and that the outcome did not need. */
function isUnused({ by, action }: Cast, { outcome, ballots }: Approval): boolean {
  if (outcome?.status !== 'APPROVED' || outcome.credit !== 'certain') return false;
  const isThere = ballots.some((each) => each.user === by && each.action === 'approve');
  return action === 'approve' && isThere && !outcome.by.includes(by);
}

const TROUBLE = {
  silent: 'The service did not answer',
  failing: 'The service answered with an error',
} as const;

type Cast = Pick<Extract<HistoryEvent, { kind: 'counted' }>, 'by' | 'action'>;

function nounOf({ action }: Pick<Cast, 'action'>): string {
  return action === 'approve' ? 'approval' : 'rejection';
}

const DROPPED = 'you could no longer decide this request when you were checked again.';

/** A sentence for the person who pressed. */
export function whyNotCounted({ why }: Extract<HistoryEvent, { kind: 'not-counted' }>): string {
  if (why === 'late') return 'no decision was needed any more.';
  if (why === EARLIER_PRESS) return 'you have decided since.';
  if (why === REOPENED_SINCE) return 'it was reopened after that.';
  const ofFeature = NOT_COUNTED[why];
  if (ofFeature !== undefined) return ofFeature;
  if (why === 'changed') return 'it has changed since you opened it.';
  if (why === 'unchecked') return 'Gatepost could not check whether you can decide.';
  // Later versions may have codes without a sentence here.
  const sentence = refusedBecause(why) ?? `you could not decide ${REQUEST}.`;
  return sentence.replaceAll(REQUEST, 'this request');
}

function answerText({ answer, class: kind }: Extract<HistoryEvent, { kind: 'answered' }>): string {
  return `${kind === undefined ? 'The service answered' : ANSWERS[kind]} (${code(answer)})`;
}

const ANSWERS = {
  'not-sent': 'The service could not be reached, and nothing was sent',
  refused: 'The service refused the decision',
  ambiguous: 'The service did not confirm the decision',
  unreadable: "Gatepost could not read the service's response",
} as const satisfies Record<FailureClass, string>;
