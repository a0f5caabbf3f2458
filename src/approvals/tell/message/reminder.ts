import type { Route, RouteEscalation } from '../../../core/config/config.ts';
import { section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { dateText } from '../../../core/slack/text.ts';
import { type Approval, messagePost } from '../../approval.ts';
import { titleOf } from '../../digest.ts';
import type { PresentRoute } from '../../electorate/reviewers.ts';
import { DEADLINE, requestLink } from './sentences.ts';
import { remindedOf } from './waited-for.ts';

/** The last call comes this long before a deadline, or after three quarters of a shorter time. */
const LAST_CALL_MS = 15 * 60_000;
const LAST_CALL = 'last-call';
const REMINDER = 'reminder-';
const ESCALATION = 'escalation-';

interface Call {
  readonly name: string;
  readonly at: number;
}

/** The reminder that is due now, by its post's name, and when the next one is. */
export function reminderAt(
  approval: Approval,
  remind: Route['remind'] | undefined,
  now: number,
): { readonly name?: string; readonly nextAt?: number } {
  const { expiresAt } = approval;
  const open = callsOf(approval, remind).filter(
    ({ at }) => expiresAt === undefined || at < expiresAt,
  );
  const isOver = expiresAt !== undefined && now >= expiresAt;
  // After an outage one reminder is enough: the latest.
  const due = isOver ? undefined : latest(open.filter(({ at }) => at <= now));
  const next = open.map(({ at }) => at).filter((at) => at > now);
  return {
    ...(due !== undefined && { name: due.name }),
    ...(next.length > 0 && { nextAt: Math.min(...next) }),
  };
}

/** When a reminder or an escalation was last due; 0: not yet. */
export function lastCallAt(
  approval: Approval,
  route: PresentRoute | undefined,
  now: number,
): number {
  const begun = [...callsOf(approval, route?.remind), ...(route?.escalatedTo ?? [])];
  return Math.max(0, ...begun.map(({ at }) => at).filter((at) => at <= now));
}

function callsOf({ createdAt, expiresAt }: Approval, remind: Route['remind'] | undefined): Call[] {
  if (remind === undefined || remind.afterMs === null) return [];
  const { afterMs, times } = remind;
  const calls = Array.from({ length: times }, (_, index) => ({
    name: `${REMINDER}${index + 1}`,
    // Each wait is twice the previous one.
    at: createdAt + afterMs * (2 ** (index + 1) - 1),
  }));
  if (expiresAt === undefined) return calls;
  const leadMs = Math.min(LAST_CALL_MS, (expiresAt - createdAt) / 4);
  return [...calls, { name: LAST_CALL, at: Math.round(expiresAt - leadMs) }];
}

function latest(calls: readonly Call[]): Call | undefined {
  return calls.reduce<Call | undefined>(
    (last, call) => (last === undefined || call.at >= last.at ? call : last),
    undefined,
  );
}

export function isReminder(name: string): boolean {
  return name === LAST_CALL || name.startsWith(REMINDER) || isEscalation(name);
}

export function isEscalation(name: string): boolean {
  return name.startsWith(ESCALATION);
}

function signOf(name: string): string {
  if (isEscalation(name)) return ':arrow_up: *Escalated*';
  return name === LAST_CALL ? ':rotating_light: *Last call*' : ':bell: *Reminder*';
}

/** Whom the post of this name escalates to. */
function escalationOf(
  name: string,
  route: PresentRoute | undefined,
): RouteEscalation['to'] | undefined {
  if (!isEscalation(name)) return undefined;
  return route?.escalatedTo?.[Number(name.slice(ESCALATION.length)) - 1];
}

/**
 * The escalation that the thread has not announced yet, as its post's name. A message posted after it already mentions
 * those people.
 */
export function escalationName(
  approval: Approval,
  route: PresentRoute | undefined,
): string | undefined {
  const { ts = '0' } = messagePost(approval);
  const isTold = (name: string) =>
    approval.posts.some((post) => post.name === name && (post.ts ?? post.failed) !== undefined);
  const postedAt = Number(ts) * 1_000 - POSTING_MS;
  const begun = (route?.escalatedTo ?? []).map((to, index) => ({
    name: `${ESCALATION}${index + 1}`,
    to,
  }));
  return begun.find(
    ({ name, to }) =>
      // An escalation from the start is in the message.
      approval.createdAt < to.at &&
      postedAt < to.at &&
      !isTold(name) &&
      remindedOf(approval, route, to) !== undefined,
  )?.name;
}

/**
 * Slack's time of a message may be this much later than its content: better to mention people twice than not at all.
 */
const POSTING_MS = 10_000;

/** A reply in the thread that mentions people who can still decide, or can from now on. */
export function reminderMessage(
  name: string,
  approval: Approval,
  { route, links }: { readonly route: PresentRoute | undefined; readonly links: SlackLinks },
): SlackMessage {
  const { channel, expiresAt } = approval;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(channel, ts);
  const until =
    expiresAt === undefined
      ? ''
      : ` ${DEADLINE} ${dateText(expiresAt, new Date(expiresAt).toISOString())}`;
  const escalation = escalationOf(name, route);
  const also = escalation === undefined ? '' : ' You can now decide it too.';
  const what = `${requestLink(titleOf(approval), link)} still needs a decision.${also}${until}`;
  const asked = escalation === undefined ? routeBefore(name, approval, route) : route;
  const who = remindedOf(approval, asked, escalation) ?? 'anyone who can decide';
  const text = `${signOf(name)} · ${who}: ${what}`;
  return { text, blocks: [section(text)] };
}

/** For reminders: people the request is escalated to later are mentioned by the escalation itself. */
function routeBefore(
  name: string,
  approval: Approval,
  route: PresentRoute | undefined,
): PresentRoute | undefined {
  const { at } = callsOf(approval, route?.remind).find((call) => call.name === name) ?? {};
  if (route?.escalatedTo === undefined || at === undefined) return route;
  return { ...route, escalatedTo: route.escalatedTo.filter((to) => to.at < at) };
}
