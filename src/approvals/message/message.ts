import type { ActionsBlock, KnownBlock, PlainTextElement, RichTextElement } from '@slack/types';
import type { ReasonRule } from '../../core/config/config.ts';
import { instantOf } from '../../core/lib/iso-time.ts';
import type { FinalStatus } from '../../core/service/approval-status.ts';
import {
  actions,
  type ButtonOptions,
  button,
  confirm,
  context,
  overflowMenu,
  section,
  titleHeader,
} from '../../core/slack/blocks.ts';
import { roomBeside } from '../../core/slack/limits.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import { labelled, quotedWords, type Run } from '../../core/slack/rich-text.ts';
import {
  bold,
  cutPlain,
  dateText,
  escapeMrkdwn,
  literal,
  oneLine,
  timeText,
} from '../../core/slack/text.ts';
import { type Action, type Approval, isOwnGate, messagePost, type Outcome } from '../approval.ts';
import { quorumOf, type RouteTerms, slackIdsOf } from '../policy.ts';
import type { MessageState, UndecidedState } from './message-state.ts';
import {
  outcomeLine,
  outcomeReply,
  REASONS_MAX,
  reasonBlocks,
  STATUS_WORDS,
} from './outcome-line.ts';
import {
  addressOf,
  DIGEST_SHOWN,
  digestOf,
  type Excerpt,
  excerptOf,
  overflowCount,
  overflowSections,
  repliesFor,
  SOURCE_MAX,
  shortIdOf,
  sourceText,
  titleOf,
} from './overflow.ts';
import { mention, people, requestLink, troubleText, unknownStatus } from './sentences.ts';

/** Ids of the message's buttons, whose value is the record's id and nothing else, and of its menu. */
export const ACTIONS = {
  approve: 'approvals.ballot.approve',
  reject: 'approvals.ballot.reject',
  check: 'approvals.check',
  menu: 'approvals.menu',
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
  terms: RouteTerms,
): SlackMessage {
  const excerpt = excerptOf(approval);
  const above: KnownBlock[] = [
    titleHeader(excerpt.title),
    ...wordsBlocks(excerpt),
    ...cutBlocks(approval, state),
    ...(state.name === 'waiting' ? [reviewersBlock(approval, state, terms)] : []),
    context(...smallPrint(id, approval, excerpt, state)),
  ];
  const menu = menuOf(id, { request: state.name === 'decided' });
  const own = stateBlocks(id, approval, state, terms, [...above, menu]);
  const blocks = [...above, ...withMenu(own, menu)];
  const title = bold(escapeMrkdwn(excerpt.title));
  const asker = state.name === 'waiting' ? askerText(approval, excerpt) : '';
  return { text: `${headline(state)}: ${title}${asker}`, blocks };
}

/** What can be looked at. An option has no action id of its own: its value says which it is. */
function menuOf(id: string, { request }: { readonly request: boolean }): ActionsBlock {
  return actions('approvals.menu', [
    overflowMenu(ACTIONS.menu, [
      ['Details…', `details:${id}`],
      ...(request ? [['Show request', `request:${id}`] as const] : []),
    ]),
  ]);
}

/** Behind the buttons, where there are any. */
function withMenu(blocks: readonly KnownBlock[], menu: ActionsBlock): KnownBlock[] {
  const last = blocks.at(-1);
  if (last?.type !== 'actions') return [...blocks, menu];
  return [...blocks.slice(0, -1), { ...last, elements: [...last.elements, ...menu.elements] }];
}

/** In the notification: a mention would notify whoever asked. */
function askerText(approval: Approval, { requester }: Excerpt): string {
  if (approval.requester?.user !== undefined) return '';
  const name = requester === undefined ? undefined : oneLine(requester, SOURCE_MAX);
  return `, asked by ${name ?? sourceText(approval)}`;
}

/** Whether a message with this text, for notifications, says that it ended so. */
export function states(text: string, status: FinalStatus): boolean {
  return text.startsWith(`${STATUS_WORDS[status]}: `);
}

/** All that others wrote, in one block. */
export function wordsBlocks(excerpt: Excerpt): KnownBlock[] {
  const runs = wordsIn(excerpt);
  return runs.length === 0 ? [] : [quotedWords(runs)];
}

/** That the change is not all of what its source has, and how to know the rest again. */
export function cutBlocks({ cutFrom }: Approval, state: MessageState): KnownBlock[] {
  if (cutFrom === undefined) return [];
  const { shown, lines, sha256 } = cutFrom;
  const isOne = shown === 1;
  const which = isOne ? 'Line 1' : `Lines 1 to ${shown.toLocaleString('en')}`;
  const verb = isOne ? 'is' : 'are';
  const what = isOpen(state) ? `${verb} what you approve` : `${isOne ? 'was' : 'were'} shown`;
  const of = bold(`${which} of ${lines.toLocaleString('en')} ${what}`);
  return [section(`:scissors: ${of} · SHA-256 of the whole file: \`${sha256}\``)];
}

function isOpen({ name }: MessageState): boolean {
  return name !== 'decided' && name !== 'withdrawn';
}

function wordsIn({ links, prompt, change, fields }: Excerpt): Run[] {
  const lines = [
    ...links.map((link) => [link]),
    ...(prompt.length > 0 ? [prompt] : []),
    ...(change.length > 0 ? [change] : []),
    ...fields,
  ];
  return lines.flatMap((runs, at) => {
    // What is preformatted begins and ends a block by itself.
    const isJoined = lines[at - 1]?.at(-1)?.kind !== 'pre' && runs[0]?.kind !== 'pre';
    return at > 0 && isJoined ? [{ kind: 'text', text: '\n' } as const, ...runs] : runs;
  });
}

/** Who is asked, mentioned so that they are notified: not who asked, and not who approved. */
function reviewersBlock(
  approval: Approval,
  { approvedBy }: Extract<MessageState, { name: 'waiting' }>,
  { route }: RouteTerms,
): KnownBlock {
  const words = (text: string) => labelled('Reviewers:', [{ type: 'text', text }]);
  if (route === undefined) return words('nobody: the route is not configured');
  const { reviewers, selfApproval } = route;
  const named = approval.narrowedTo ?? (reviewers.channel ? undefined : reviewers);
  if (named === undefined) return words('anyone in this channel');
  const asker = selfApproval ? undefined : approval.requester?.user;
  const cast = approval.ballots.filter(({ user }) => approvedBy.includes(user));
  const done = [asker, ...approvedBy, ...cast.flatMap(slackIdsOf)];
  const users = named.users.filter((user) => !done.includes(user));
  const all: RichTextElement[] = [
    ...users.map((user_id) => ({ type: 'user', user_id }) as const),
    ...named.groups.map((usergroup_id) => ({ type: 'usergroup', usergroup_id }) as const),
  ];
  if (all.length === 0) {
    const isNobody = named.users.length === 0;
    return words(isNobody ? 'nobody: no reviewers are configured' : 'nobody else');
  }
  const shown = all.slice(0, MENTIONS_MAX);
  const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : '';
  const isConditional = approval.narrowedTo !== undefined && reviewers.groups.length > 0;
  const end = `${more}${isConditional ? ', if they review this route' : ''}`;
  return labelled('Reviewers:', [
    ...shown.flatMap((each, at) => (at === 0 ? [each] : [comma, each])),
    ...(end === '' ? [] : [{ type: 'text', text: end } as const]),
  ]);
}

const comma = { type: 'text', text: ', ' } as const;
const MENTIONS_MAX = 40;

/** Where the request comes from, until when it can be decided, and what it is known by. */
export function smallPrint(
  id: string,
  approval: Approval,
  excerpt: Excerpt,
  state: MessageState,
): (string | PlainTextElement)[] {
  const { requester, expiresAt } = approval;
  const mentioned = requester?.user === undefined ? undefined : `<@${requester.user}>`;
  const isNamed = mentioned === undefined && excerpt.requester !== undefined;
  const facts = [
    ...(isNamed ? [] : [`Asked by ${mentioned ?? sourceText(approval)}`]),
    ...(isOpen(state) && expiresAt !== undefined
      ? [`Deadline: ${dateText(expiresAt, new Date(expiresAt).toISOString())}`]
      : []),
    ...(excerpt.link === undefined ? [] : [`<${addressOf(excerpt.link)}|Details>`]),
    ...restText(approval, excerpt),
    ...invisibleText(excerpt),
    ...(isOwnGate(approval) ? ['Recorded by Gatepost'] : []),
    `Request \`${shortIdOf(id)}\``,
    `Digest \`${digestOf(approval).slice(0, DIGEST_SHOWN)}\``,
  ];
  return [...(isNamed ? [literal(`Asked by ${excerpt.requester}`)] : []), facts.join(' · ')];
}

/** So that nobody takes a spelled-out character for one that somebody typed, or two texts for the same. */
function invisibleText({ invisible, unspelled, isUnstyled }: Excerpt): string[] {
  const left = isUnstyled ? ['Terminal colors and links left out'] : [];
  if (invisible === 0) return left;
  const count = invisible.toLocaleString('en');
  const characters = invisible === 1 ? 'character' : 'characters';
  return [
    `Contains ${count} invisible ${characters}${unspelledText(invisible, unspelled)}`,
    ...left,
  ];
}

function unspelledText(invisible: number, unspelled: number): string {
  if (unspelled === 0) return '';
  if (unspelled === invisible) return ', shown as �';
  return `, ${unspelled.toLocaleString('en')} of them shown as �`;
}

/** How much stands in the thread. */
function restText(approval: Approval, excerpt: Excerpt): string[] {
  const count = repliesFor(excerpt);
  if (count === 0) return [];
  const replies = count === 1 ? '1 reply' : `${count} replies`;
  const more = excerpt.unshown === 0 ? '' : `. ${unshownText(approval, excerpt)}`;
  return [`Continued in ${replies} in the thread${more}`];
}

/** Where to read on, when even the thread does not hold it all. */
export function unshownText(approval: Approval, { unshown, link }: Excerpt): string {
  const more = `${unshown.toLocaleString('en')} more ${unshown === 1 ? 'character' : 'characters'}`;
  if (approval.link === undefined) return `${more} did not fit into Slack.`;
  const where = link === undefined ? 'the link in the thread' : `<${addressOf(link)}|the link>`;
  return `${more}: see ${where}.`;
}

/** A reply with what did not fit into the message. */
export function overflowMessage(approval: Approval, number: number): SlackMessage {
  const excerpt = excerptOf(approval);
  const blocks: KnownBlock[] = overflowSections(excerpt, number).map(quotedWords);
  const count = repliesFor(excerpt);
  if (number === count && excerpt.unshown > 0) blocks.push(context(unshownText(approval, excerpt)));
  const title = bold(escapeMrkdwn(excerpt.title));
  return { text: `${title}, continued (${number} of ${count})`, blocks };
}

export type AnnouncementName = 'outcome-thread' | 'outcome-channel' | 'outcome-requester';

/**
 * The outcome as it is told in the thread, in the outcome channel and to the requester. People are
 * named by a link to their profile: nobody is notified of what they did themselves.
 */
export function announcement(
  name: AnnouncementName,
  approval: Approval,
  outcome: Outcome,
  { route, links }: RouteTerms & { readonly links: SlackLinks },
): SlackMessage {
  const stated = { ...outcome, resolvedAt: outcome.resolvedAt ?? null };
  const nameOf = (user: string) => links.person(user);
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const request = requestLink(excerptOf(approval).title, link);
  if (name === 'outcome-thread') {
    const facts = { needed: quorumOf(approval, route), tookMs: tookMs(approval, outcome) };
    const reply = outcomeReply(stated, facts, nameOf);
    const run = runLink(approval).map((each) => context(each));
    // The thread has more room than the message.
    const room = roomBeside([section(reply), ...run]);
    const reasons = reasonBlocks(outcome, room, links.personElement);
    return { text: `${reply} · ${request}`, blocks: [section(reply), ...reasons, ...run] };
  }
  const line = outcomeLine(stated, nameOf);
  const reasons = reasonBlocks(outcome, REASONS_MAX, links.personElement);
  const where = name === 'outcome-channel' ? 'Asked in' : 'Your request in';
  const facts = [`${where} <#${approval.channel}>`, ...runLink(approval)].join(' · ');
  const blocks = [section(line), titleLine(excerptOf(approval).title, link), ...reasons];
  return { text: `${line}\n${request}`, blocks: [...blocks, context(facts)] };
}

/** Other people's words as they are: a link to the message that has them. */
function titleLine(title: string, url: string | undefined): KnownBlock {
  const style = { bold: true } as const;
  const word: RichTextElement =
    url === undefined
      ? { type: 'text', text: title, style }
      : { type: 'link', url, text: title, style };
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [word] }] };
}

/** To the run of the automation that asked. */
function runLink(approval: Approval): string[] {
  const { link } = excerptOf(approval);
  return link === undefined ? [] : [`<${addressOf(link)}|Details>`];
}

/** By the service's own time where it gave one with its zone; undefined: it is not known when it was decided. */
function tookMs({ createdAt }: Approval, outcome: Outcome): number | undefined {
  const resolvedAt = instantOf(outcome.resolvedAt ?? '');
  const at = resolvedAt ?? outcome.learnedAt;
  const isKnown = outcome.credit !== 'none' || resolvedAt !== null;
  return isKnown && at >= createdAt ? at - createdAt : undefined;
}

export function stateBlocks(
  id: string,
  approval: Approval,
  state: MessageState,
  terms: RouteTerms,
  above: readonly KnownBlock[],
): KnownBlock[] {
  switch (state.name) {
    case 'waiting':
      return [
        section(waitingText(approval, state)),
        ...notesOf(state),
        ...buttonsOf(id, approval, state, terms),
      ];
    case 'unsent':
    case 'sending':
    case 'unconfirmed': {
      const { what, more } = undecidedText(approval, state);
      return [section(`:hourglass_flowing_sand: ${bold(what)} · ${more}`)];
    }
    case 'decided':
      return decidedBlocks(state, above);
    case 'withdrawn':
      return [section(':no_entry_sign: *Withdrawn* · no decision needed')];
    case 'unknown':
      return [
        section(`:grey_question: *Unknown* · ${unknownText(state)}`),
        actions('approvals.unknown', [buttonOf(id, approval)(ACTIONS.check, 'Check now')]),
      ];
  }
}

/** How a decision stands that is not known to be taken: the state, and more in the middle of a line. */
export function undecidedText(
  approval: Approval,
  state: UndecidedState,
): { readonly what: string; readonly more: string } {
  const whose = `the ${answerOf(state)}`;
  switch (state.name) {
    case 'unsent': {
      const unsent = `${whose} has not been ${isOwnGate(approval) ? 'recorded' : 'sent'} yet`;
      const until = `keeps trying until ${timeText(state.until)}`;
      if (state.waitsFor === undefined) {
        return { what: WAITING_FOR_SERVICE, more: `${unsent}. Gatepost ${until}` };
      }
      const why =
        state.waitsFor === 'earlier'
          ? 'Gatepost first checks what became of an earlier decision'
          : `Gatepost cannot check yet whether it counts, and ${until}`;
      return { what: 'Waiting', more: `${unsent}. ${why}` };
    }
    case 'sending':
      return { what: 'Sending', more: whose };
    case 'unconfirmed':
      return { what: WAITING_FOR_SERVICE, more: `it has not confirmed ${whose} yet` };
  }
}

export const WAITING_FOR_SERVICE = 'Waiting for the service';

function answerOf({ action, by }: { readonly action: Action; readonly by: string }): string {
  return `${action === 'approve' ? 'approval' : 'rejection'} of ${mention(by)}`;
}

/** Nobody can decide before all of the request is there to be read. */
function buttonsOf(
  id: string,
  approval: Approval,
  { posting, trouble, unwatched }: Extract<MessageState, { name: 'waiting' }>,
  { route }: RouteTerms,
): KnownBlock[] {
  if (posting) return [];
  const { approve, reject } = route?.reason ?? {};
  const asked = route?.confirm === true ? { confirm: confirmOf(approval) } : {};
  const named = buttonOf(id, approval);
  return [
    actions('approvals.decide', [
      named(ballotAction('approve', approve), 'Approve', { style: 'primary', ...asked }),
      named(ballotAction('reject', reject), 'Reject', { style: 'danger' }),
      ...(unwatched || trouble?.why === 'denied' ? [named(ACTIONS.check, 'Check now')] : []),
    ]),
  ];
}

/** A button that says which request it is of to those who do not see what it stands under. */
function buttonOf(id: string, approval: Approval) {
  return (action: string, label: string, options: ButtonOptions = {}) => {
    const [spoken] = cutPlain(`${label} ${titleOf(approval)}`, SPOKEN_MAX);
    return button(action, label, id, { ...options, accessibility_label: spoken });
  };
}

const SPOKEN_MAX = 75;

/** Slack's own dialog, before a press counts. */
function confirmOf(approval: Approval) {
  const [title] = cutPlain(excerptOf(approval).title, CONFIRM_MAX);
  return confirm('Approve this request?', title, 'Approve', 'Cancel', 'primary');
}

const CONFIRM_MAX = 300;

function waitingText(
  approval: Approval,
  state: Extract<MessageState, { name: 'waiting' }>,
): string {
  const { approvedBy, needed, posting, serviceUntil } = state;
  const by = approvedBy.length > 0 ? ` (${people(approvedBy)})` : '';
  const progress = needed > 1 ? ` · ${approvedBy.length} of ${needed} approvals${by}` : '';
  if (!posting && serviceUntil !== undefined) {
    return `:hourglass: ${bold(WAITING_FOR_SERVICE)} · Gatepost cannot check who pressed yet, and keeps trying until ${timeText(serviceUntil)}${progress}`;
  }
  if (!posting) return `:hourglass: *Waiting for a decision*${progress}`;
  const count = overflowCount(approval);
  const rest = count === 1 ? '1 reply is' : `${count} replies are`;
  return `:hourglass: *Waiting* · ${rest} still being posted below. The buttons will follow${progress}`;
}

const UNWATCHED = 'No longer watched: press Check now to see a decision made elsewhere.';

function notesOf(state: Extract<MessageState, { name: 'waiting' }>): KnownBlock[] {
  const { able, needed } = state;
  if (able === undefined) return noteOf(state);
  const approvals = needed === 1 ? '1 approval is' : `${needed} approvals are`;
  const reviewers =
    able === 0 ? 'no reviewer' : `only ${able === 1 ? '1 reviewer' : `${able} reviewers`}`;
  const what = `Cannot be approved: ${approvals} needed, and ${reviewers} can approve.`;
  return [context(`:warning: ${what} Add reviewers, or request it again.`), ...noteOf(state)];
}

function noteOf(state: Extract<MessageState, { name: 'waiting' }>): KnownBlock[] {
  const { staleSince: since, trouble = { why: 'silent' }, unwatched } = state;
  if (since === undefined) return unwatched ? [context(UNWATCHED)] : [];
  const when = since === null ? '' : ` since ${dateText(since, new Date(since).toISOString())}`;
  const what = troubleText(trouble, {
    silent: `The service has not answered${when}`,
    failing: `The service has been returning errors${when}`,
  });
  return [context(`:warning: ${what} ${unwatched ? UNWATCHED : 'Gatepost keeps trying.'}`)];
}

/** Reasons take no more than the request leaves: a message that is too long would never state its outcome. */
function decidedBlocks(
  state: Extract<MessageState, { name: 'decided' }>,
  above: readonly KnownBlock[],
): KnownBlock[] {
  const line = section(outcomeLine(state));
  const note = creditNote(state);
  const room = Math.min(REASONS_MAX, roomBeside([...above, line, ...note]));
  return [line, ...reasonBlocks(state, room), ...note];
}

function creditNote(state: Extract<MessageState, { name: 'decided' }>): KnownBlock[] {
  if (state.credit !== 'sent') return [];
  const note = `The decision of ${people(state.by)} was sent. The service did not say whose decision it accepted.`;
  return [context(note)];
}

function unknownText(state: Extract<MessageState, { name: 'unknown' }>): string {
  const { unconfirmed } = state;
  const status = unknownStatus(state.why, state.word);
  if (unconfirmed === undefined) return status;
  const whose = `the ${answerOf(unconfirmed)}`;
  if (state.why === 'unsure') return `${whose} may not have reached the service.`;
  return `${status} It is not known whether ${whose} was accepted.`;
}

function headline(state: MessageState): string {
  switch (state.name) {
    case 'waiting':
      return state.serviceUntil === undefined ? 'Waiting for a decision' : WAITING_FOR_SERVICE;
    case 'unsent':
      return state.waitsFor === undefined ? WAITING_FOR_SERVICE : 'Waiting';
    case 'unconfirmed':
      return WAITING_FOR_SERVICE;
    case 'sending':
      return 'Sending a decision';
    case 'decided':
      return STATUS_WORDS[state.status];
    case 'withdrawn':
      return 'Withdrawn';
    case 'unknown':
      return 'State unknown';
  }
}
