import type { Button, KnownBlock, Overflow, PlainTextElement, SectionBlock } from '@slack/types';
import type { ReasonRule } from '../../../core/config/config.ts';
import { cleanLine } from '../../../core/lib/clean-line.ts';
import type { FinalStatus } from '../../../core/service/approval-status.ts';
import {
  actions,
  type ButtonOptions,
  button,
  confirm,
  context,
  linkButton,
  overflowMenu,
  section,
  titleHeader,
} from '../../../core/slack/blocks.ts';
import { charactersIn, remainingCharacters } from '../../../core/slack/limits.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import {
  bold,
  clipText,
  code,
  cutPlain,
  inertText,
  joinSentences,
  literal,
  oneLine,
  timeText,
} from '../../../core/slack/text.ts';
import {
  type Action,
  type Approval,
  isOnCourse,
  isOwnGate,
  type WaitsFor,
} from '../../approval.ts';
import { titleOf } from '../../digest.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import { requesterText } from '../../electorate/requester.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { approvalOf } from '../../electorate/votes.ts';
import {
  ASKING_BUTTONS,
  barredWords,
  guardText,
  isGuarded,
  notes,
  WAITS,
} from './feature-words.ts';
import { goneNote } from './gone.ts';
import type { MessageState, UndecidedState } from './message-state.ts';
import {
  outcomeLine,
  placedBy,
  REASONS_MAX,
  reasonBlocks,
  resolvedText,
  STATUS_WORDS,
} from './outcome-line.ts';
import {
  type Excerpt,
  excerptOf,
  overflowCount,
  SOURCE_MAX,
  sourceNameOf,
  sourceText,
} from './overflow.ts';
import { unknownRequester } from './own-request.ts';
import { proofFacts } from './proof.ts';
import { requestBlocks } from './request-words.ts';
import { runLabel, runLink } from './run-link.ts';
import {
  anyOf,
  DEADLINE,
  decisionOf,
  mention,
  people,
  timeOf,
  troubleText,
  unknownStatus,
} from './sentences.ts';
import { waitedFor } from './waited-for.ts';

/** Ids of the message's menu and buttons; a button's value is only the record's id. */
export const ACTIONS = {
  approve: 'approvals.ballot.approve',
  reject: 'approvals.ballot.reject',
  check: 'approvals.check',
  openRun: 'approvals.open-run',
  menu: 'approvals.menu',
  review: 'approvals.review',
  takeBack: 'approvals.take-back',
  reviewed: 'approvals.reviewed',
} as const;

const ROW = 'approvals.decide';

/** The row of buttons carries the round: their values stay as earlier versions read them. */
function rowId({ round }: Approval): string {
  return round === undefined ? ROW : `${ROW}.${round}`;
}

/** '' for the first round; undefined: not in the row of a request's message. */
export function roundIn(blockId: string): string | undefined {
  if (blockId === ROW) return '';
  return blockId.startsWith(`${ROW}.`) ? blockId.slice(ROW.length + 1) : undefined;
}

/** Known from the button: the form opens before anything is read. */
export type AskedReason = Exclude<ReasonRule, 'none'>;

/** The id of a button that asks for a reason: contains everything needed to open the form at once. */
export function reasonAction(action: Action, rule: AskedReason): string {
  return `approvals.reason.${rule}.${action}`;
}

function ballotAction(action: Action, rule: ReasonRule | undefined): string {
  return rule === undefined || rule === 'none' ? ACTIONS[action] : reasonAction(action, rule);
}

function approveAction(approval: Approval, terms: RouteTerms): string {
  const rule = terms.route?.reason.approve;
  if (rule !== undefined && rule !== 'none') return reasonAction('approve', rule);
  const electorate = electorateOf(approval, terms);
  return ASKING_BUTTONS.find(({ isFor }) => isFor(electorate))?.action ?? ACTIONS.approve;
}

/** What rendering a message needs, in addition to the approval. */
export interface MessageTerms extends RouteTerms {
  /** Absent: people are mentioned. */
  readonly links?: SlackLinks;
  /** Hosts that its link usually leads to; any other is named on the button. */
  readonly usualHosts?: readonly string[];
}

/**
 * The message of an approval in a given state: the request, its status, and who asks. Once folded, the request is in
 * the thread.
 */
export function approvalMessage(
  id: string,
  approval: Approval,
  state: MessageState,
  terms: MessageTerms,
): SlackMessage {
  const excerpt = excerptOf(approval);
  const isFolded = state.name === 'decided' && state.folded === true;
  const title = titleHeader(excerpt.title);
  const small = smallPrint(approval, excerpt, state, terms);
  const request = isFolded ? [] : requestBlocks(approval, excerpt, isOpen(state));
  const menu = menuOf(id, state.name === 'decided');
  const own = ballotButtons(id, approval, state, terms);
  const run = isFolded ? [] : runButtons(approval, excerpt, terms);
  // A link with a long host starts a new line on phones: keep the menu beside the buttons.
  const row = actions(rowId(approval), own.length > 0 ? [...own, menu, ...run] : [...run, menu]);
  const room = remainingCharacters([title, ...small, ...request, row]);
  const [line, ...notes] = stateBlocks(approval, state, terms, room);
  const hasRow = row.elements.length > 1;
  return {
    text: notificationText(approval, excerpt, state, terms),
    blocks: [
      title,
      hasRow ? line : { ...line, accessory: menu },
      ...notes,
      ...small,
      ...request,
      ...(hasRow ? [row] : []),
    ],
  };
}

/** For lock screens: starts with Gatepost's own words, and nothing in other people's text takes effect. */
function notificationText(
  approval: Approval,
  excerpt: Excerpt,
  state: MessageState,
  terms: MessageTerms,
): string {
  const title = inertText(excerpt.title);
  if (state.name !== 'waiting' || state.serviceUntil !== undefined) {
    return `${headline(state, approval)}: ${title}`;
  }
  const barred = barredWords(state);
  if (barred !== undefined) return `${barred.headline}: ${title}`;
  const asker = askerName(approval, excerpt, terms);
  const asked = asker === undefined ? '' : ` · asked by ${oneLine(asker, SOURCE_MAX)}`;
  return `Decision needed: ${title}${asked}`;
}

/** Earlier versions started with the title while it was waiting, and ended like this. */
const EARLIER_END = ' · needs your decision';

/** Whether the notification text of an approval's message states this outcome, whatever its title contains. */
export function statesOutcome(text: string, status: FinalStatus): boolean {
  return text.startsWith(`${STATUS_WORDS[status]}: `) && !text.endsWith(EARLIER_END);
}

/** Not escaped, and not a mention, which would notify the requester; undefined: the name is not known. */
function askerName(
  approval: Approval,
  excerpt: Excerpt,
  { links }: MessageTerms,
): string | undefined {
  const { user } = approval.requester ?? {};
  if (user !== undefined) return links?.name(user) ?? excerpt.requester;
  return excerpt.requester ?? sourceNameOf(approval);
}

export function isOpen({ name }: MessageState): boolean {
  return name !== 'decided' && name !== 'withdrawn';
}

/** At most one line: who asks, invisible characters, and once it is over when it ended and its digest. */
export function smallPrint(
  approval: Approval,
  excerpt: Excerpt,
  state: MessageState,
  terms: MessageTerms,
): KnownBlock[] {
  const { user } = approval.requester ?? {};
  const named = user === undefined ? excerpt.requester : undefined;
  const asker = named === undefined ? askerText(approval, user, terms.links) : undefined;
  const unknown =
    isOpen(state) && isOwnGate(approval)
      ? unknownRequester(electorateOf(approval, terms))
      : undefined;
  const facts = [
    ...(asker === undefined ? [] : [`Asked by ${asker}`]),
    ...proofFacts(approval),
    ...alsoAskedText(approval, terms.links),
    ...(unknown === undefined ? [] : [unknown]),
    ...invisibleText(excerpt),
    ...(state.name === 'decided' ? decidedFacts(approval, excerpt, state, terms) : []),
  ];
  const texts: (string | PlainTextElement)[] = [
    ...(named === undefined ? [] : [literal(`Asked by ${named}`)]),
    ...(facts.length === 0 ? [] : [facts.join(' · ')]),
  ];
  return texts.length === 0 ? [] : [context(...texts)];
}

/** Who else asked for it. Names are other people's text. */
function alsoAskedText(
  { requester, alsoAskedBy = [] }: Approval,
  links: SlackLinks | undefined,
): string[] {
  const names = alsoAskedBy.flatMap((each) => {
    const { user } = each;
    if (user !== undefined)
      return links?.name(user) === undefined ? mention(user) : links.person(user);
    const name = cleanLine(requesterText(each));
    // Escapes can be five times as long.
    const [shown] = clipText(code(cutPlain(name, ALSO_MAX)[0]).slice(1, -1), ALSO_MAX);
    return name === '' ? [] : `\`${shown}\``;
  });
  const what = requester === undefined ? 'Asked for by' : 'Also asked for by';
  return names.length === 0 ? [] : [`${what} ${[...new Set(names)].join(', ')}`];
}

const ALSO_MAX = 40;

function askerText(
  approval: Approval,
  user: string | undefined,
  links: SlackLinks | undefined,
): string | undefined {
  if (user === undefined) return sourceText(approval);
  return links?.name(user) === undefined ? mention(user) : links.person(user);
}

function decidedFacts(
  approval: Approval,
  { link }: Excerpt,
  state: Extract<MessageState, { name: 'decided' }>,
  { usualHosts }: MessageTerms,
): string[] {
  const resolved = resolvedText(state);
  // Before folding it has a button, and a result may link to it too.
  const linked: readonly (string | undefined)[] = notes('links').flatMap((each) => each(state));
  const isLinked = state.folded === true && !linked.includes(link);
  return [
    ...(resolved === undefined ? [] : [resolved]),
    ...(isLinked && link !== undefined ? [runLink(link, usualHosts)] : []),
    ...(isOwnGate(approval) ? ['Recorded by Gatepost'] : []),
  ];
}

/** So that spelled-out characters are not mistaken for typed ones, or two texts for the same one. */
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

/** The status in one line, and notes about it. Reasons get the `room` that is left. */
export function stateBlocks(
  approval: Approval,
  state: MessageState,
  terms: MessageTerms,
  room: number,
): [SectionBlock, ...KnownBlock[]] {
  switch (state.name) {
    case 'waiting':
      return [section(waitingText(approval, state, terms)), ...notesOf(state)];
    case 'unsent':
    case 'sending':
    case 'unconfirmed': {
      const { what, more } = undecidedText(approval, state);
      const line = more === undefined ? bold(what) : `${bold(what)} · ${more}`;
      return [section(`:hourglass_flowing_sand: ${line}`)];
    }
    case 'decided':
      return decidedBlocks(state, room, terms);
    case 'withdrawn': {
      const why = notes('withdrawn').map((each) => each(state, terms.links));
      return [section(`:no_entry_sign: *Withdrawn*${why.join('')}`)];
    }
    case 'unknown':
      return [section(`:grey_question: *Unknown* · ${unknownText(state)}`)];
    default:
      return [section(`:hourglass_flowing_sand: ${guardText(state, approval).line}`)];
  }
}

/** Reasons get only the room that is left: a message that is too long could never state its outcome. */
function decidedBlocks(
  state: Extract<MessageState, { name: 'decided' }>,
  room: number,
  { usualHosts }: Pick<MessageTerms, 'usualHosts'>,
): [SectionBlock, ...KnownBlock[]] {
  const line = section(outcomeLine(state));
  const review = reviewNote(state);
  const after = [
    ...creditNote(state),
    ...notes('blocks').flatMap((each) => each(state, usualHosts)),
  ];
  const left = Math.min(REASONS_MAX, room - charactersIn([line, ...review, ...after]));
  return [line, ...review, ...reasonBlocks(state, left), ...after];
}

/** Whether another reviewer has reviewed a self-approval. */
function reviewNote({ self }: Extract<MessageState, { name: 'decided' }>): KnownBlock[] {
  if (self === undefined) return [];
  if (self.reviewed === undefined) {
    const what = 'Not reviewed yet: another reviewer has to press Reviewed on the message.';
    return [context(`:warning: ${what}`)];
  }
  const { by, at } = self.reviewed;
  return [context(`:eyes: Reviewed by ${mention(by)} ${timeOf(at)}`)];
}

/** Who is asked, how many have approved, and the deadline. */
function waitingText(
  approval: Approval,
  state: Extract<MessageState, { name: 'waiting' }>,
  terms: RouteTerms,
): string {
  const { posting, serviceUntil } = state;
  const progress = progressText(state);
  if (!posting && serviceUntil !== undefined) {
    return `:hourglass: ${bold(WAITING_FOR_SERVICE)} · Gatepost cannot check this press yet. It keeps trying until ${timeText(serviceUntil)}${progress}`;
  }
  const { expiresAt } = approval;
  const until = expiresAt === undefined ? '' : ` · ${DEADLINE} ${timeOf(expiresAt)}`;
  const who =
    barredWords(state)?.line(approval, state, progress) ??
    `:hourglass: ${waitedFor(approval, state, terms)}${progress}${until}`;
  if (!posting) return who;
  const count = overflowCount(approval);
  const rest = count === 1 ? '1 reply is' : `${count} replies are`;
  return `${who} · ${rest} still being posted below. The buttons will follow`;
}

/** Where needs are open, or enough people approved, a count would contradict that it still waits. */
function progressText(state: Extract<MessageState, { name: 'waiting' }>): string {
  const { approvedBy, needed, open = [] } = state;
  const who = people(approvedBy, placedBy(state));
  if (needed > 1 && open.length === 0 && approvedBy.length < needed) {
    return ` · ${approvedBy.length} of ${needed} approvals${who === '' ? '' : ` (${who})`}`;
  }
  return who === '' ? '' : ` · approved by ${who}`;
}

/**
 * `value`: of each button. Nobody can decide before the whole request is posted. With a `viewer` who has approved,
 * includes taking it back; the message itself is the same for everybody.
 */
export function ballotButtons(
  value: string,
  approval: Approval,
  state: MessageState,
  terms: RouteTerms,
  viewer?: string,
): Button[] {
  const named = buttonOf(value, approval);
  if (state.name === 'decided') {
    const isOpen = state.self !== undefined && state.self.reviewed === undefined;
    return isOpen ? [named(ACTIONS.reviewed, 'Reviewed')] : [];
  }
  if (state.name === 'unknown') return [named(ACTIONS.check, 'Check now')];
  const { route } = terms;
  const { reject } = route?.reason ?? {};
  const rejecting = named(ballotAction('reject', reject), 'Reject', { style: 'danger' });
  if (isGuarded(state)) return [named(ACTIONS.takeBack, 'Undo'), rejecting];
  if (state.name === 'unsent' && state.canUndo) return [named(ACTIONS.takeBack, 'Undo')];
  if (state.name !== 'waiting' || state.posting === true) return [];
  const asked = route?.confirm === true ? { confirm: confirmOf(approval) } : {};
  const isUnseen = state.unwatched === true || state.trouble?.why === 'denied';
  const mine = viewer === undefined ? [] : takeBackButtons(value, approval, viewer);
  // After a change of rules or groups, a repeated press may be enough.
  const isWanted = mine.length === 0 || state.approvedBy.length >= state.needed;
  return [
    ...(isWanted
      ? [named(approveAction(approval, terms), 'Approve', { style: 'primary', ...asked })]
      : []),
    ...mine,
    rejecting,
    ...(isUnseen ? [named(ACTIONS.check, 'Check now')] : []),
  ];
}

/** For somebody whose approval counts while more are needed. `value`: of each button. */
export function takeBackButtons(value: string, approval: Approval, viewer: string): Button[] {
  const { outcome, decision, withdrawnAt } = approval;
  const isHeld = decision !== undefined && !isOnCourse(decision.phase);
  const isDeciding = decision !== undefined && !isHeld;
  const isOver = outcome !== undefined || isDeciding || withdrawnAt !== undefined;
  if (isOver || approvalOf(approval, viewer) === undefined) return [];
  return [buttonOf(value, approval)(ACTIONS.takeBack, isHeld ? 'Undo' : 'Take back approval')];
}

/** A link to the automation's run, if it has one. */
function runButtons(approval: Approval, { link }: Excerpt, { usualHosts }: MessageTerms): Button[] {
  if (link === undefined) return [];
  const label = runLabel(link, usualHosts);
  const [spoken] = cutPlain(`${label}: ${titleOf(approval)}`, SPOKEN_MAX);
  return [linkButton(ACTIONS.openRun, `${label} ↗`, link, { accessibility_label: spoken })];
}

/** More views. Options have no action id: their value names the view and the record. */
function menuOf(id: string, isDecided: boolean): Overflow {
  return overflowMenu(ACTIONS.menu, [
    ['Details…', `details:${id}`],
    ...(isDecided ? [['Show request', `request:${id}`] as const] : []),
  ]);
}

/** The status of an unconfirmed decision, with more text for the middle of a line. */
export function undecidedText(
  approval: Approval,
  state: UndecidedState,
): { readonly what: string; readonly more?: string } {
  const whose = decisionOf(state);
  switch (state.name) {
    case 'unsent': {
      const unsent = `${whose} has not been ${isOwnGate(approval) ? 'recorded' : 'sent'} yet`;
      const until = timeText(state.until);
      if (state.waitsFor === undefined) {
        return {
          what: WAITING_FOR_SERVICE,
          more: `${unsent}. Gatepost keeps trying until ${until}`,
        };
      }
      return { what: 'Waiting', more: `${unsent}. ${WAITS_FOR[state.waitsFor](until)}` };
    }
    case 'sending':
      return { what: `Sending ${whose}` };
    case 'unconfirmed':
      return { what: WAITING_FOR_SERVICE, more: `it has not confirmed ${whose} yet` };
  }
}

const WAITS_FOR: { readonly [Why in WaitsFor]: (until: string) => string } = {
  earlier: () => 'Gatepost first checks what became of an earlier decision',
  check: (until) => `Gatepost cannot check yet whether it counts. It keeps trying until ${until}`,
  ...WAITS,
};

export const WAITING_FOR_SERVICE = 'Waiting for the service';

/** A button that names its request for people who cannot see the message around it. */
export function buttonOf(id: string, approval: Approval) {
  return (action: string, label: string, options: ButtonOptions = {}) => {
    const [spoken] = cutPlain(`${label} ${titleOf(approval)}`, SPOKEN_MAX);
    return button(action, label, id, { ...options, accessibility_label: spoken });
  };
}

const SPOKEN_MAX = 75;

/** Slack's confirmation dialog before a press. */
function confirmOf(approval: Approval) {
  const [title] = cutPlain(excerptOf(approval).title, CONFIRM_MAX);
  return confirm('Approve this request?', title, 'Approve', 'Cancel', 'primary');
}

const CONFIRM_MAX = 300;

const UNWATCHED = 'No longer watched: press Check now to see a decision made elsewhere.';

function notesOf(state: Extract<MessageState, { name: 'waiting' }>): KnownBlock[] {
  const why = cannotText(state);
  if (why === undefined) return noteOf(state);
  const note = joinSentences(`:warning: ${why}`, goneNote(state.gone), ADD_REVIEWERS);
  return [context(note), ...noteOf(state)];
}

/** Why it cannot be approved; undefined: it can. */
export function cannotText(
  state: Pick<
    Extract<MessageState, { name: 'waiting' }>,
    'able' | 'lacking' | 'needed' | 'isOnlyRequester'
  >,
): string | undefined {
  const { able, lacking, needed, isOnlyRequester } = state;
  if (lacking !== undefined) {
    return `Cannot be approved: not enough people from ${anyOf(lacking)} can approve.`;
  }
  if (able === undefined) return undefined;
  if (isOnlyRequester === true) return ONLY_REQUESTER;
  const approvals = needed === 1 ? '1 approval is' : `${needed} approvals are`;
  const reviewers =
    able === 0 ? 'no reviewer' : `only ${able === 1 ? '1 reviewer' : `${able} reviewers`}`;
  return `Cannot be approved: ${approvals} needed, and ${reviewers} can approve.`;
}

const ONLY_REQUESTER = 'This request cannot be approved: only its requester can decide.';
const ADD_REVIEWERS = 'Add reviewers, or request it again.';

function noteOf(state: Extract<MessageState, { name: 'waiting' }>): KnownBlock[] {
  const { staleSince: since, trouble = { why: 'silent' }, unwatched } = state;
  if (since === undefined) return unwatched ? [context(UNWATCHED)] : [];
  const when = since === null ? '' : ` since ${timeOf(since)}`;
  const what = troubleText(trouble, {
    silent: `The service has not answered${when}`,
    failing: `The service has been returning errors${when}`,
  });
  return [context(`:warning: ${what} ${unwatched ? UNWATCHED : 'Gatepost keeps trying.'}`)];
}

function creditNote(state: Extract<MessageState, { name: 'decided' }>): KnownBlock[] {
  if (state.credit !== 'sent') return [];
  const note = `The decision of ${people(state.by, placedBy(state))} was sent. The service did not say whose decision it accepted.`;
  return [context(note)];
}

function unknownText(state: Extract<MessageState, { name: 'unknown' }>): string {
  const { unconfirmed } = state;
  const status = unknownStatus(state.why, state.word);
  if (unconfirmed === undefined) return status;
  const whose = decisionOf(unconfirmed);
  if (state.why === 'unsure') return `${whose} may not have reached the service.`;
  return `${status} It is not known whether ${whose} was accepted.`;
}

function headline(state: MessageState, approval: Approval): string {
  switch (state.name) {
    case 'waiting':
      return WAITING_FOR_SERVICE;
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
    default:
      return guardText(state, approval).headline;
  }
}
