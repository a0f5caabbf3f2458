import type { Route } from '../../../core/config/config.ts';
import { section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { type Approval, messagePost } from '../../approval.ts';
import { titleOf } from '../../digest.ts';
import { barEndedAt } from '../../electorate/bar-seen.ts';
import type { Addition } from '../../electorate/clause.ts';
import { type Electorate, electorateOf } from '../../electorate/electorate.ts';
import {
  LAST_CALL,
  REMINDER,
  type Reminder,
  remindersOf,
} from '../../electorate/reminder-times.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { DEADLINE, requestLink, timeOf } from './sentences.ts';
import { remindedOf } from './waited-for.ts';

const ESCALATION = 'escalation-';
const OPENING = 'opened-';

/** The reminder that is due now, by its post's name, and when the next one is. */
export function reminderAt(
  approval: Approval,
  remind: Route['remind'] | undefined,
  now: number,
): { readonly name?: string; readonly nextAt?: number } {
  const { expiresAt } = approval;
  const open = remindersOf(approval, remind).filter(
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

function latest(reminders: readonly Reminder[]): Reminder | undefined {
  return reminders.reduce<Reminder | undefined>(
    (last, each) => (last === undefined || each.at >= last.at ? each : last),
    undefined,
  );
}

export function isReminder(name: string): boolean {
  return name === LAST_CALL || name.startsWith(REMINDER) || isEscalation(name) || isOpening(name);
}

export function isEscalation(name: string): boolean {
  return name.startsWith(ESCALATION);
}

/** Approvals count again. */
export function isOpening(name: string): boolean {
  return name.startsWith(OPENING);
}

function signOf(name: string): string {
  if (isOpening(name)) return ':unlock: *Open again*';
  if (isEscalation(name)) return ':arrow_up: *Escalated*';
  return name === LAST_CALL ? ':rotating_light: *Last call*' : ':bell: *Reminder*';
}

/** Whom the post of this name escalates to. */
function escalationOf(name: string, { begun }: Electorate): Addition | undefined {
  return isEscalation(name) ? begun[Number(name.slice(ESCALATION.length)) - 1] : undefined;
}

/**
 * The escalation that the thread has not announced yet, as its post's name. A message posted after it already mentions
 * those people.
 */
export function escalationName(approval: Approval, electorate: Electorate): string | undefined {
  const { ts = '0' } = messagePost(approval);
  const isTold = (name: string) =>
    approval.posts.some((post) => post.name === name && (post.ts ?? post.failed) !== undefined);
  const postedAt = Number(ts) * 1_000 - POSTING_MS;
  const begun = electorate.begun.map((to, index) => ({
    name: `${ESCALATION}${index + 1}`,
    to,
  }));
  return begun.find(
    ({ name, to }) =>
      // An escalation from the start is in the message.
      approval.createdAt < to.at &&
      postedAt < to.at &&
      !isTold(name) &&
      remindedOf(approval, electorate, to) !== undefined,
  )?.name;
}

/** The opening that the thread has not announced yet, as its post's name. A message posted after it mentions people. */
export function openingName(approval: Approval): string | undefined {
  const { ts = '0' } = messagePost(approval);
  const at = barEndedAt(approval);
  if (at === undefined || Number(ts) * 1_000 - POSTING_MS >= at) return undefined;
  const name = `${OPENING}${at}`;
  const isTold = approval.posts.some(
    (post) => post.name === name && (post.ts ?? post.failed) !== undefined,
  );
  return isTold ? undefined : name;
}

/**
 * Slack's time of a message may be this much later than its content: better to mention people twice than not at all.
 */
const POSTING_MS = 10_000;

/** A reply in the thread that mentions people who can still decide, or can from now on. */
export function reminderMessage(
  name: string,
  approval: Approval,
  { links, ...terms }: RouteTerms & { readonly links: SlackLinks },
): SlackMessage {
  const { channel, expiresAt } = approval;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(channel, ts);
  const until = expiresAt === undefined ? '' : ` ${DEADLINE} ${timeOf(expiresAt)}`;
  const electorate = electorateOf(approval, terms);
  const escalation = escalationOf(name, electorate);
  const also = escalation === undefined ? '' : ' You can now decide it too.';
  const what = `${requestLink(titleOf(approval), link)} still needs a decision.${also}${until}`;
  const asked = escalation === undefined ? electorateAt(name, approval, terms) : electorate;
  const who = remindedOf(approval, asked, escalation) ?? 'anyone who can decide';
  const text = `${signOf(name)} · ${who}: ${what}`;
  return { text, blocks: [section(text)] };
}

/** For reminders: people the request is escalated to later are mentioned by the escalation itself. */
function electorateAt(name: string, approval: Approval, terms: RouteTerms): Electorate {
  const reminders = remindersOf(approval, terms.route?.remind);
  const { at = Number.POSITIVE_INFINITY } = reminders.find((each) => each.name === name) ?? {};
  return electorateOf(approval, { ...terms, asOf: Math.min(terms.asOf, at - 1) });
}
