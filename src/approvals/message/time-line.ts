import type { FailureClass } from '../../core/lib/failure.ts';
import { code, dateText, oneLine } from '../../core/slack/text.ts';
import { type Approval, type HistoryEvent, isOwnGate } from '../approval.ts';
import { troubleOf } from '../failure.ts';
import type { RefusalCode, RouteTerms } from '../policy.ts';
import { KEPT_REQUEST } from './message-state.ts';
import { sourceText } from './overflow.ts';
import { refusalSentence } from './refusals.ts';
import { isReminder } from './reminder.ts';
import { mention, outcomeSentence, REQUEST, troubleText } from './sentences.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

/**
 * What happened to a request, a line each, oldest first. Nobody reads whose press was not counted, but they
 * themselves, who also read why.
 */
export function timeLine(approval: Approval, viewer: string, terms: RouteTerms): string[] {
  const { history, createdAt } = approval;
  const events = (history?.events ?? []).flatMap((event): Line[] => {
    const text = eventText(event, approval, viewer, terms);
    return text === undefined ? [] : [{ at: createdAt + event.after, text }];
  });
  // What was noted at the same time stays in its order.
  const all = [...posted(approval), ...events, ...ended(approval)].sort((a, b) => a.at - b.at);
  const left = history?.left ?? 0;
  return [
    lineOf({ at: createdAt, text: `Asked by ${askerText(approval)}` }),
    ...(left > 0 ? [`_${left.toLocaleString('en')} more entries are not listed_`] : []),
    ...all.map(lineOf),
  ];
}

function lineOf({ at, text }: Line): string {
  return `${dateText(at, new Date(at).toISOString())} · ${text}`;
}

function askerText(approval: Approval): string {
  const { user, name, email } = approval.requester ?? {};
  if (user !== undefined) return mention(user);
  const called = name ?? email;
  return called === undefined ? sourceText(approval) : oneLine(called, ASKER_MAX);
}

const ASKER_MAX = 200;

/** The message, reminders, and where the outcome was told. */
function posted(approval: Approval): Line[] {
  const { createdAt, outcome } = approval;
  return approval.posts.flatMap(({ name, channel, ts, gone = [] }): Line[] => {
    const text = postText(name, channel, approval);
    if (text === undefined) return [];
    // Slack's clock may be behind.
    const from = (name.startsWith('outcome-') ? outcome?.learnedAt : undefined) ?? createdAt;
    return [...gone, ...(ts === undefined ? [] : [ts])].map((each, at) => ({
      at: Math.max(from, Number(each) * 1_000),
      text: at === 0 ? text : `${text} again`,
    }));
  });
}

/** What it says that a post was made; undefined: it continues another one. */
function postText(
  name: string,
  channel: string | undefined,
  { requester }: Approval,
): string | undefined {
  if (name === 'message') return 'Posted';
  if (name === 'outcome-thread' || name === KEPT_REQUEST) return 'Outcome posted in the thread';
  if (name === 'outcome-channel') return `Outcome posted in <#${channel}>`;
  if (name === 'outcome-requester' && requester?.user !== undefined) {
    return `Outcome sent to ${mention(requester.user)}`;
  }
  return isReminder(name) ? 'Reminder posted in the thread' : undefined;
}

function ended(approval: Approval): Line[] {
  const { withdrawnAt, outcome } = approval;
  const what = isOwnGate(approval)
    ? 'Gatepost recorded the outcome'
    : 'Gatepost learned the outcome';
  return [
    ...(withdrawnAt === undefined
      ? []
      : [{ at: withdrawnAt, text: `Withdrawn by ${sourceText(approval)}` }]),
    ...(outcome === undefined
      ? []
      : [{ at: outcome.learnedAt, text: `${what}: ${thisRequest(outcomeSentence(outcome))}` }]),
  ];
}

function thisRequest(sentence: string): string {
  return sentence.replaceAll(REQUEST, 'this request');
}

/** undefined: another version noted it, and this one does not know it. */
function eventText(
  event: HistoryEvent,
  approval: Approval,
  viewer: string,
  terms: RouteTerms,
): string | undefined {
  switch (event.kind) {
    case 'counted':
      return `${mention(event.by)} pressed ${event.action === 'approve' ? 'Approve' : 'Reject'}`;
    case 'not-counted':
      if (event.by !== viewer) return 'One press was not counted';
      return `Your press was not counted: ${whyNotCounted(event, approval, terms)}`;
    case 'dropped':
      return event.by === viewer
        ? `Your ${nounOf(event)} no longer counts: you could no longer decide this request when you were checked again.`
        : 'One press no longer counts';
    case 'sending':
      return `Gatepost started to send ${whose(event)} to the service`;
    case 'answered':
      return answerText(event);
    case 'closed': {
      const { failure } = event;
      const why = failure === undefined ? '' : ` ${troubleText(troubleOf(failure), TROUBLE)}`;
      return event.unsure === true
        ? `It is not known whether the service accepted ${whose(event)}.${why}`
        : `The ${nounOf(event)} of ${mention(event.by)} was not accepted and no longer counts.${why}`;
    }
    case 'callback':
      return event.isTaken
        ? `The source confirmed ${code(event.event)}`
        : `The source never confirmed ${code(event.event)}. Gatepost stopped trying.`;
  }
}

const TROUBLE = {
  silent: 'The service did not answer',
  failing: 'The service answered with an error',
} as const;

type Cast = Pick<Extract<HistoryEvent, { kind: 'counted' }>, 'by' | 'action'>;

function nounOf({ action }: Pick<Cast, 'action'>): string {
  return action === 'approve' ? 'approval' : 'rejection';
}

function whose(cast: Cast): string {
  return `the ${nounOf(cast)} of ${mention(cast.by)}`;
}

function whyNotCounted(
  { why }: Extract<HistoryEvent, { kind: 'not-counted' }>,
  approval: Approval,
  terms: RouteTerms,
): string {
  if (why === 'late') return 'no decision was needed any more.';
  if (why === 'unchecked') return 'Gatepost could not check whether you can decide.';
  // as: a later version may have others, which have no sentence here
  const sentence: string | undefined = refusalSentence(why as RefusalCode, approval, terms);
  return thisRequest(sentence ?? `you could not decide ${REQUEST}.`);
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
