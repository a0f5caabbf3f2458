import type { KnownBlock } from '@slack/types';
import { instantOf } from '../../../core/lib/iso-time.ts';
import { section } from '../../../core/slack/blocks.ts';
import { remainingCharacters } from '../../../core/slack/limits.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { type Approval, KEPT_REQUEST, messagePost, type Outcome } from '../../approval.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import type { MessageTerms } from './message.ts';
import { outcomeLine, outcomeReply, REASONS_MAX, reasonBlocks } from './outcome-line.ts';
import { excerptOf } from './overflow.ts';
import { requestBlocks } from './request-words.ts';
import { runLink } from './run-link.ts';
import { requestLink } from './sentences.ts';

/**
 * `outcome-request` keeps the request as decided, which a folded message no longer shows. It replaces `outcome-thread`,
 * and starts with the outcome if the route announces that in the thread.
 */
export type AnnouncementName =
  | 'outcome-thread'
  | typeof KEPT_REQUEST
  | 'outcome-channel'
  | 'outcome-requester'
  | `outcome-giver-${string}`;

/** The prefix of a direct message to somebody who was represented by a substitute; their user id follows. */
export const OUTCOME_GIVER = 'outcome-giver-';

type AnnouncementTerms = MessageTerms & { readonly links: SlackLinks };

/**
 * The outcome for the thread, the outcome channel and the requester. People are shown as links to their profiles, so
 * nobody is notified of what they did themselves.
 */
export function announcement(
  name: AnnouncementName,
  approval: Approval,
  outcome: Outcome,
  terms: AnnouncementTerms,
): SlackMessage {
  const { links } = terms;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const { title, link: run } = excerptOf(approval);
  const request = requestLink(title, link);
  if (name === 'outcome-thread' || name === KEPT_REQUEST) {
    return threadReply(name, approval, outcome, terms, request);
  }
  const line = outcomeLine(stated(outcome), (user) => links.person(user));
  const what = `${request} in <#${approval.channel}>`;
  const lines =
    name === 'outcome-channel'
      ? [line, what]
      : [
          line,
          `${name === 'outcome-requester' ? 'Your request' : 'Decided in your place:'} ${what}`,
          ...(run === undefined ? [] : [runLink(run, terms.usualHosts)]),
        ];
  const told = lines.join('\n');
  const reasons = reasonBlocks(outcome, REASONS_MAX, links.personElement);
  return { text: told, blocks: [section(told), ...reasons] };
}

/** The reply below the message that keeps the request. */
function threadReply(
  name: AnnouncementName,
  approval: Approval,
  outcome: Outcome,
  { links, ...terms }: AnnouncementTerms,
  title: string,
): SlackMessage {
  const facts = { needed: electorateOf(approval, terms).needed, tookMs: tookMs(approval, outcome) };
  const reply = outcomeReply(stated(outcome), facts, (user) => links.person(user));
  const isTold = terms.route?.outcomes.thread !== false;
  const request = name === KEPT_REQUEST ? keptRequest(approval) : [];
  if (!isTold) return { text: `The request as it was decided: ${title}`, blocks: request };
  // The thread has more room than the message.
  const room = remainingCharacters([section(reply), ...request]);
  const reasons = reasonBlocks(outcome, room, links.personElement);
  return { text: `${reply} · ${title}`, blocks: [section(reply), ...reasons, ...request] };
}

function keptRequest(approval: Approval): KnownBlock[] {
  return [section('*The request*'), ...requestBlocks(approval, excerptOf(approval), false)];
}

function stated(outcome: Outcome) {
  return { ...outcome, resolvedAt: outcome.resolvedAt ?? null };
}

/** By the service's own time, if it has a time zone; undefined: not known. */
function tookMs({ createdAt }: Approval, outcome: Outcome): number | undefined {
  const resolvedAt = instantOf(outcome.resolvedAt ?? '');
  const at = resolvedAt ?? outcome.learnedAt;
  const isKnown = outcome.credit !== 'none' || resolvedAt !== null;
  return isKnown && at >= createdAt ? at - createdAt : undefined;
}
