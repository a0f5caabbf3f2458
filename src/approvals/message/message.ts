import type { KnownBlock } from '@slack/types';
import type { ReasonRule } from '../../config/config.ts';
import { actions, button, context, fields, header, section } from '../../slack/blocks.ts';
import { bold, dateText, escapeMrkdwn } from '../../slack/text.ts';
import type { Action, Approval, Outcome } from '../approval.ts';
import type { Terms } from '../policy.ts';
import type { MessageState } from './message-state.ts';
import { outcomeLine, reasonBlocks } from './outcome-line.ts';
import { type Excerpt, excerptOf, overflowCount, overflowSections } from './overflow.ts';
import { people, reviewersText, troubleText, UNKNOWN } from './sentences.ts';

/** Ids of the message's buttons. Their value is the record's id and nothing else. */
export const ACTIONS = {
  approve: 'approvals.ballot.approve',
  reject: 'approvals.ballot.reject',
  check: 'approvals.check',
} as const;

/** What the button knows already: it opens the form before anything is looked up. */
export type AskedReason = Exclude<ReasonRule, 'none'>;

/** The button's id where a reason is asked for: it says all that is needed to ask at once. */
export function reasonAction(action: Action, rule: AskedReason): string {
  return `approvals.reason.${rule}.${action}`;
}

function ballotAction(action: Action, rule: ReasonRule | undefined): string {
  return rule === undefined || rule === 'none' ? ACTIONS[action] : reasonAction(action, rule);
}

export interface SlackMessage {
  /** For notifications and screen readers. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

/** The message of an approval, as its state says. */
export function approvalMessage(
  id: string,
  approval: Approval,
  state: MessageState,
  terms: Pick<Terms, 'route'>,
): SlackMessage {
  const excerpt = excerptOf(approval);
  const { title, prompt, fields: facts, rest } = excerpt;
  const details = detailsOf(approval, excerpt);
  const small = rest.length > 0 ? [restText(approval, excerpt)] : [];
  const blocks: KnownBlock[] = [header(title), section(prompt)];
  if (facts.length > 0)
    blocks.push(fields(facts.map(({ name, value }) => `${bold(name)}\n${value}`)));
  const smallPrint = [...details, ...small].join(' · ');
  if (smallPrint !== '') blocks.push(context(smallPrint));
  blocks.push(...stateBlocks(id, approval, state, terms));
  return { text: `${headline(state)}: ${escapeMrkdwn(title)}`, blocks };
}

/** A reply with what did not fit into the message. */
export function overflowMessage(approval: Approval, number: number): SlackMessage {
  const excerpt = excerptOf(approval);
  const blocks: KnownBlock[] = overflowSections(excerpt, number).map(section);
  const isLast = number === overflowCount(approval);
  if (isLast && excerpt.unshown > 0) blocks.push(context(unshownText(approval, excerpt)));
  return { text: 'The rest of the request', blocks };
}

export type AnnouncementName = 'outcome-thread' | 'outcome-channel' | 'outcome-requester';

/** The outcome as it is told in the thread, in the outcome channel and to the requester. */
export function announcement(
  name: AnnouncementName,
  approval: Approval,
  outcome: Outcome,
): SlackMessage {
  const line = outcomeLine({ ...outcome, resolvedAt: outcome.resolvedAt ?? null });
  const title = bold(escapeMrkdwn(excerptOf(approval).title));
  const text = {
    'outcome-thread': line,
    'outcome-channel': `${line}\n${title} · asked in <#${approval.channel}>`,
    'outcome-requester': `${line}\nYour request ${title} in <#${approval.channel}>`,
  }[name];
  return { text, blocks: [section(text), ...reasonBlocks(outcome.reasons)] };
}

function restText(approval: Approval, excerpt: Excerpt): string {
  if (excerpt.unshown === 0) return 'The rest is in the thread.';
  return `More is in the thread. ${unshownText(approval, excerpt)}`;
}

/** Where to read on, when even the thread does not hold it all. */
function unshownText(approval: Approval, { unshown, link }: Excerpt): string {
  const more = `${unshown.toLocaleString('en')} more ${unshown === 1 ? 'character' : 'characters'}`;
  if (approval.link === undefined) return `${more} did not fit into Slack.`;
  const where = link === undefined ? 'the link in the thread' : `<${link}|the link>`;
  return `${more}: see ${where}.`;
}

function detailsOf({ requester, expiresAt }: Approval, excerpt: Excerpt): string[] {
  const details: string[] = [];
  if (requester?.user !== undefined) details.push(`Asked by <@${requester.user}>`);
  else if (excerpt.requester !== undefined) details.push(`Asked by ${excerpt.requester}`);
  if (expiresAt !== undefined) {
    details.push(`Decide before ${dateText(expiresAt, new Date(expiresAt).toISOString())}`);
  }
  if (excerpt.link !== undefined) details.push(`<${excerpt.link}|Details>`);
  return details;
}

function stateBlocks(
  id: string,
  approval: Approval,
  state: MessageState,
  terms: Pick<Terms, 'route'>,
): KnownBlock[] {
  const rules = terms.route?.reason;
  switch (state.name) {
    case 'waiting':
      return [
        section(waitingText(approval, state, terms)),
        ...noteOf(state),
        actions('approvals.decide', [
          button(ballotAction('approve', rules?.approve), 'Approve', id, { style: 'primary' }),
          button(ballotAction('reject', rules?.reject), 'Reject', id, { style: 'danger' }),
          ...(state.unwatched ? [button(ACTIONS.check, 'Check now', id)] : []),
        ]),
      ];
    case 'deciding': {
      const doing = state.action === 'approve' ? 'approval' : 'rejection';
      return [
        section(
          `:hourglass_flowing_sand: *Deciding* · the ${doing} of <@${state.by}> is on its way`,
        ),
      ];
    }
    case 'decided':
      return [section(outcomeLine(state)), ...reasonBlocks(state.reasons), ...creditNote(state)];
    case 'withdrawn':
      return [section(':no_entry_sign: *Withdrawn* · nothing is decided here any more')];
    case 'unknown':
      return [
        section(`:grey_question: *Unknown* · ${unknownText(state)}`),
        actions('approvals.unknown', [button(ACTIONS.check, 'Check now', id)]),
      ];
  }
}

function waitingText(
  approval: Approval,
  state: Extract<MessageState, { name: 'waiting' }>,
  terms: Pick<Terms, 'route'>,
): string {
  const who = reviewersText(terms.route?.reviewers, approval.narrowedTo);
  const needed =
    state.needed > 1 ? ` · ${state.approvedBy.length} of ${state.needed} approvals` : '';
  const by = state.approvedBy.length > 0 ? ` (${people(state.approvedBy)})` : '';
  return `:hourglass: *Waiting* · ${who}${needed}${by}`;
}

const UNWATCHED = 'No longer watched: a decision made elsewhere shows after Check now.';

function noteOf(state: Extract<MessageState, { name: 'waiting' }>): KnownBlock[] {
  const { staleSince: since, trouble = { why: 'silent' }, unwatched } = state;
  if (since === undefined) return unwatched ? [context(UNWATCHED)] : [];
  const when = since === null ? '' : ` since ${dateText(since, new Date(since).toISOString())}`;
  const what = troubleText(trouble, `The service has not answered${when}.`);
  return [context(`:warning: ${what} ${unwatched ? UNWATCHED : 'Gatepost goes on asking.'}`)];
}

function creditNote(state: Extract<MessageState, { name: 'decided' }>): KnownBlock[] {
  if (state.credit !== 'sent') return [];
  const note = `The answer of ${people(state.by)} was sent; the service did not say whose it took.`;
  return [context(note)];
}

function unknownText(state: Extract<MessageState, { name: 'unknown' }>): string {
  const { unconfirmed } = state;
  if (unconfirmed === undefined) return UNKNOWN[state.why];
  const answer = unconfirmed.action === 'approve' ? 'approval' : 'rejection';
  const whose = `the ${answer} of <@${unconfirmed.by}>`;
  if (state.why === 'unsure') return `it is not known whether ${whose} reached the service.`;
  return `${UNKNOWN[state.why]} It is not known whether ${whose} was taken.`;
}

function headline(state: MessageState): string {
  switch (state.name) {
    case 'waiting':
      return 'Waiting for a decision';
    case 'deciding':
      return 'Being decided';
    case 'decided':
      return HEADLINES[state.status];
    case 'withdrawn':
      return 'Withdrawn';
    case 'unknown':
      return 'State unknown';
  }
}

const HEADLINES = { APPROVED: 'Approved', REJECTED: 'Rejected', TIMED_OUT: 'Timed out' } as const;
