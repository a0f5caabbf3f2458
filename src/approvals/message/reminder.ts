import type { Route } from '../../core/config/config.ts';
import { section } from '../../core/slack/blocks.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { dateText } from '../../core/slack/text.ts';
import { type Approval, messagePost } from '../approval.ts';
import { titleOf } from './overflow.ts';
import { DEADLINE, requestLink } from './sentences.ts';
import { remindedOf } from './waited-for.ts';

/** The last call comes this long before a known deadline, or at three quarters of a shorter time. */
const LAST_CALL_MS = 15 * 60_000;
const LAST_CALL = 'last-call';
const REMINDER = 'reminder-';

/** Which reminder is due by now, as the name of its post, and when the next one is. */
export function reminderAt(
  { createdAt, expiresAt }: Approval,
  remind: Route['remind'] | undefined,
  now: number,
): { readonly name?: string; readonly nextAt?: number } {
  if (remind === undefined || remind.afterMs === null) return {};
  const { afterMs, times } = remind;
  const calls = Array.from({ length: times }, (_, index) => ({
    name: `${REMINDER}${index + 1}`,
    // Each wait is twice the one before.
    at: createdAt + afterMs * (2 ** (index + 1) - 1),
  }));
  if (expiresAt !== undefined) {
    const leadMs = Math.min(LAST_CALL_MS, (expiresAt - createdAt) / 4);
    calls.push({ name: LAST_CALL, at: Math.round(expiresAt - leadMs) });
  }
  const open = calls.filter(({ at }) => expiresAt === undefined || at < expiresAt);
  const isOver = expiresAt !== undefined && now >= expiresAt;
  // After a long absence one reminder is enough: the latest.
  const due = isOver ? undefined : latest(open.filter(({ at }) => at <= now));
  const next = open.map(({ at }) => at).filter((at) => at > now);
  return {
    ...(due !== undefined && { name: due.name }),
    ...(next.length > 0 && { nextAt: Math.min(...next) }),
  };
}

function latest<Call extends { readonly at: number }>(calls: readonly Call[]): Call | undefined {
  return calls.reduce<Call | undefined>(
    (last, call) => (last === undefined || call.at >= last.at ? call : last),
    undefined,
  );
}

export function isReminder(name: string): boolean {
  return name === LAST_CALL || name.startsWith(REMINDER);
}

/** A reply in the thread that mentions who can still decide. */
export function reminderMessage(
  name: string,
  approval: Approval,
  { route, links }: { readonly route: Route | undefined; readonly links: SlackLinks },
): SlackMessage {
  const { channel, expiresAt } = approval;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(channel, ts);
  const until =
    expiresAt === undefined
      ? ''
      : ` ${DEADLINE} ${dateText(expiresAt, new Date(expiresAt).toISOString())}`;
  const what = `${requestLink(titleOf(approval), link)} still needs a decision.${until}`;
  const sign = name === LAST_CALL ? ':rotating_light: *Last call*' : ':bell: *Reminder*';
  const text = `${sign} · ${remindedOf(approval, route) ?? 'anyone who can decide'}: ${what}`;
  return { text, blocks: [section(text)] };
}
