import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { ReasonRule, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { shortIdOf } from '../../core/lib/short-id.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { authorizePerson } from '../../core/people/permission.ts';
import type { Post } from '../../core/posts/post.ts';
import { actions, context, section, titleHeader } from '../../core/slack/blocks.ts';
import { modal, noticesOf } from '../../core/slack/modal-blocks.ts';
import { quotedWords } from '../../core/slack/rich-text.ts';
import { openThenShow } from '../../core/slack/show-form.ts';
import { bold, code, timeText } from '../../core/slack/text.ts';
import { StoreError } from '../../core/store/store.ts';
import { APPROVAL_KIND, type Approval, isOwnGate, KEPT_REQUEST } from '../approval.ts';
import { DIGEST_SHOWN, digestOf } from '../digest.ts';
import { electorateOf } from '../electorate/electorate.ts';
import type { RouteTerms } from '../electorate/terms.ts';
import { decodeApproval } from '../stored-approval.ts';
import { shownValue } from '../tell/message/elsewhere.ts';
import { featurePost } from '../tell/message/feature-words.ts';
import {
  isOpen,
  type MessageTerms,
  smallPrint,
  stateBlocks,
  takeBackButtons,
} from '../tell/message/message.ts';
import { type MessageState, messageStateOf } from '../tell/message/message-state.ts';
import { REASONS_MAX } from '../tell/message/outcome-line.ts';
import { type Excerpt, excerptOf, isOverflow, wholeRequest } from '../tell/message/overflow.ts';
import { proofLines } from '../tell/message/proof.ts';
import { isEscalation, isReminder } from '../tell/message/reminder.ts';
import { partBlocks } from '../tell/message/request-words.ts';
import { ruleLines } from '../tell/message/rules.ts';
import { runLink } from '../tell/message/run-link.ts';
import {
  copySentence,
  DEADLINE,
  REQUEST,
  reviewersText,
  timeOf,
} from '../tell/message/sentences.ts';
import { timeLine } from '../tell/message/time-line.ts';
import { messageTerms } from '../tell/message-terms.ts';
import { type ButtonPress, namedAt, originalOf } from './cast-ballot.ts';
import { canBeWithdrawn, isOwnRequest, withdrawButton } from './withdraw-own.ts';

/**
 * What a message's menu shows to everyone who sees the message: what happened to the request, or all that it asks.
 * Nothing is stored or changed.
 */

const NOTICE = 'approvals.details';
const notice = noticesOf(NOTICE, 'Details');
const LOADING = notice('Loading…');
const NOT_SHOWN = "The details could not be shown. Open the message's menu and try again.";
const BROKEN = `The details of ${REQUEST} could not be shown. Ask a Gatepost administrator.`;
const GONE = `${REQUEST} is no longer stored here, so there are no details.`;
const NOT_READ = `Gatepost could not read ${REQUEST} just now. Try again in a minute.`;

/** Shows the chosen view; the option's value takes the place of the record's id. */
export async function showChosen(core: Core, press: ButtonPress): Promise<void> {
  await openThenShow(core, { ...press, otherwise: NOT_SHOWN }, LOADING, () => chosen(core, press));
}

async function chosen(core: Core, press: ButtonPress): Promise<ModalView> {
  const [shows, id = ''] = press.record.split(':');
  const { channel, message } = press;
  const said = (sentence: string) => notice(namedAt(core, press, sentence));
  try {
    const record = await core.store.read(id);
    if (record?.kind !== APPROVAL_KIND) return said(GONE);
    const { place } = record;
    // If the response to its post was lost, this message may be it.
    const isThere = place?.message === null || place?.message === message;
    if (place?.channel !== channel || !isThere) {
      return said(copySentence(await originalOf(core, { ...press, record: id })));
    }
    const approval = decodeApproval(record);
    const terms = shownTerms(core, approval);
    if (shows === 'request') return requestModal(approval, terms);
    return detailsModal(id, approval, await viewerOf(core, press, approval), terms);
  } catch (error) {
    if (error instanceof StoreError) return said(NOT_READ);
    core.logger.error({ record: id, err: error }, 'could not show the details of a request');
    return said(BROKEN);
  }
}

export type ShownTerms = MessageTerms & { readonly timing: Timing };

export function shownTerms(core: Core, approval: Approval): ShownTerms {
  return { ...messageTerms(core, approval), timing: core.timing };
}

interface Viewer {
  readonly user: string;
  /** Who asked for it. */
  readonly isRequester?: boolean;
  readonly isAdministrator?: boolean;
}

/** If Slack does not answer, they see what everybody sees. */
async function viewerOf(core: Core, press: ButtonPress, approval: Approval): Promise<Viewer> {
  const { user } = press;
  const who = { ...core.config.administrators, channel: false };
  const looking = { ...core, lookup: core.lookup.recent };
  const [isRequester, { kind }] = await Promise.all([
    isOwnRequest(core, user, approval).catch((error: unknown) => {
      if (error instanceof RemoteFailure) return false;
      throw error;
    }),
    authorizePerson(looking, who, press),
  ]);
  return { user, isRequester, isAdministrator: kind === 'allowed' };
}

/** For everyone who sees the message; `viewer` also sees why their own presses did not count, administrators all. */
export function detailsModal(
  id: string,
  approval: Approval,
  viewer: Viewer,
  terms: ShownTerms,
): ModalView {
  const state = messageStateOf(approval, terms, terms.asOf);
  const stated = stateBlocks(approval, state, terms, REASONS_MAX);
  const open = openWork(approval, state, terms.asOf);
  const value = shownValue(id, approval);
  const isTheirs = viewer.isRequester === true && canBeWithdrawn(approval);
  const mine = [
    ...takeBackButtons(value, approval, viewer.user),
    ...(isTheirs ? [withdrawButton(value, approval)] : []),
  ];
  return shown('Details', [
    titleHeader(excerptOf(approval).title),
    ...stated,
    ...(open.length > 0 ? listed('Not finished', open) : []),
    ...listed('What happened', timeLine(approval, viewer, terms)),
    ...listed('Current rules', rulesOf(approval, terms)),
    context(...factsOf(id, approval)),
    ...(mine.length > 0 ? [actions('approvals.details', mine)] : []),
  ]);
}

function shown(title: string, blocks: readonly KnownBlock[]): ModalView {
  return modal({ callbackId: NOTICE, title, close: 'Close', blocks: [...blocks] });
}

/** The limit of a section, less the start of a line. */
const SECTION_MAX = 2_990;

/** A heading and its lines, in as many sections as needed. */
function listed(heading: string, lines: readonly string[]): KnownBlock[] {
  const texts = [bold(heading)];
  for (const line of lines) {
    const last = texts.at(-1) ?? '';
    const more = `${last}\n• ${line}`;
    if (more.length > SECTION_MAX) texts.push(`• ${line}`);
    else texts[texts.length - 1] = more;
  }
  return texts.map(section);
}

/** Who can decide, as text. */
function rulesOf(approval: Approval, terms: RouteTerms): string[] {
  const electorate = electorateOf(approval, terms);
  const [first = '', ...rest] = reviewersText(electorate);
  const who = `${first.toUpperCase()}${rest.join('')}.`;
  const { route } = terms;
  if (route === undefined) return [who];
  const { reason, guests, identity } = route;
  return [
    who,
    ...ruleLines(electorate, approval),
    `Guests and people from other companies ${guests ? 'can' : 'cannot'} decide.`,
    reasonRule(reason),
    `Reviewers need ${identity === 'require' ? 'an active' : 'no'} account in the service.`,
    ...(approval.expiresAt === undefined ? [] : [`${DEADLINE} ${timeOf(approval.expiresAt)}.`]),
  ];
}

function reasonRule({ approve, reject }: Route['reason']): string {
  const [first, second] = [REASON_RULES[approve][0], REASON_RULES[reject][1]];
  return approve === reject ? `${first}.` : `${first} to approve; ${second} to reject.`;
}

const REASON_RULES = {
  none: ['No reason needed', 'not needed'],
  optional: ['Reason optional', 'optional'],
  required: ['Reason required', 'required'],
} as const satisfies Record<ReasonRule, readonly [first: string, second: string]>;

/** Its ids, and where it comes from. */
function factsOf(id: string, approval: Approval): string[] {
  return [
    `Source ${code(approval.source)} · Route ${code(approval.route)}`,
    `Request \`${shortIdOf(id)}\` · \`${id}\``,
    `Digest \`${digestOf(approval)}\` of title, message, fields, change and link. \`gatepost audit show ${shortIdOf(id)} --json\` has it as recorded.`,
    ...proofLines(approval),
    ...(isOwnGate(approval) ? ['Recorded by Gatepost'] : []),
  ];
}

/** What failed or is unfinished, and when it is tried again. */
function openWork(approval: Approval, { name }: MessageState, now: number): string[] {
  const { decision, watch, update, posts, queue, callbacks = [] } = approval;
  const next = (at: number | undefined) =>
    `Next try: ${at === undefined || at <= now ? 'now' : timeText(at)}.`;
  const phase = decision?.phase;
  const isWatched = (name === 'waiting' || name === 'unknown') && watch.ended !== true;
  const isSought = isWatched && (watch.stale === true || name === 'unknown');
  const presses = queue.length === 1 ? '1 press is' : `${queue.length} presses are`;
  const open: readonly (string | false)[] = [
    queue.length > 0 && `${presses} still being checked.`,
    phase?.name === 'check' &&
      phase.tries > 0 &&
      `The decision could not be ${isOwnGate(approval) ? 'recorded' : 'sent'} yet${tried(phase.tries)}. ${next(phase.notBefore)}`,
    phase?.name === 'settle' &&
      `Gatepost is checking whether the service accepted the decision. ${next(phase.notBefore)}`,
    isSought && `Gatepost keeps reading the status. ${next(watch.nextAt)}`,
    update?.tries !== undefined &&
      update.gaveUpAt === undefined &&
      `Slack has not changed the message yet${tried(update.tries)}. ${next(update.notBefore)}`,
    update?.gaveUpAt !== undefined &&
      update.resumed === undefined &&
      `Slack refused to change the message, and Gatepost stopped trying. Last try: ${timeOf(update.gaveUpAt)}.`,
    ...posts.flatMap((post) => postWork(post, next)),
    ...callbacks.map(
      ({ event, tries = 0, notBefore }) =>
        `The source has not confirmed ${code(event)} yet${tried(tries)}. ${next(notBefore)}`,
    ),
  ];
  return open.filter((line) => line !== false);
}

function tried(tries: number): string {
  if (tries === 0) return '';
  return tries === 1 ? ' (tried once)' : ` (tried ${tries} times)`;
}

/** A post that failed. */
function postWork(
  { name, ts, refused, failed, notBefore }: Post,
  next: (at: number | undefined) => string,
): string[] {
  const refusal = failed ?? refused;
  if (ts !== undefined || refusal === undefined) return [];
  const goesOn = failed === undefined ? next(notBefore) : 'Gatepost stopped trying.';
  return [`Slack refused ${postName(name)} (${code(refusal)}). ${goesOn}`];
}

function postName(name: string): string {
  if (isOverflow(name)) return 'a reply with the rest of the request';
  const { called } = featurePost(name) ?? {};
  if (called !== undefined) return called;
  if (isEscalation(name)) return 'the reply that asks more people';
  if (isReminder(name)) return 'a reminder';
  if (name === KEPT_REQUEST) return 'the reply with the request as decided';
  return name === 'message' ? 'the message' : 'a post with the outcome';
}

/** How the viewer can decide the request here. */
interface Deciding {
  readonly decide: readonly Button[];
  /** To the request's message. */
  readonly link: string | undefined;
}

/** All that the request asks, even after its message was folded; with `decide` at the end if all of it fits. */
export function requestModal(
  approval: Approval,
  terms: ShownTerms,
  { decide, link }: Deciding = { decide: [], link: undefined },
): ModalView {
  const excerpt = excerptOf(approval);
  const state = messageStateOf(approval, terms, terms.asOf);
  const [line] = stateBlocks(approval, state, terms, REASONS_MAX);
  const words = wholeRequest(approval).map(quotedWords);
  const fitting = fittingIn(words, REQUEST_BYTES);
  const where =
    link === undefined
      ? 'The rest is in the thread.'
      : `Open <${link}|its message> to read the rest and decide.`;
  const cut = section(`Too long to show here in full. ${where}`);
  return shown('Request', [
    titleHeader(excerpt.title),
    line,
    ...smallPrint(approval, excerpt, state, terms),
    ...runLine(excerpt, state, terms),
    ...words.slice(0, fitting),
    ...(fitting < words.length ? [cut] : []),
    ...partBlocks(approval, isOpen(state)),
    ...(fitting < words.length || decide.length === 0
      ? []
      : [
          context(`Digest \`${digestOf(approval).slice(0, DIGEST_SHOWN)}\``),
          actions('approvals.review', decide),
        ]),
  ]);
}

/** A modal has no button for the run; once the message is folded, the small print links to it. */
function runLine(
  { link }: Excerpt,
  state: MessageState,
  { usualHosts }: MessageTerms,
): KnownBlock[] {
  const isLinked = state.name === 'decided' && state.folded === true;
  return link === undefined || isLinked ? [] : [context(runLink(link, usualHosts))];
}

/** Slack's limits for a modal are 250,000 bytes and 100 blocks. */
const REQUEST_BYTES = 220_000;
const REQUEST_BLOCKS = 90;

/** How many of these blocks fit, starting with the first. */
function fittingIn(blocks: readonly KnownBlock[], bytes: number): number {
  let left = bytes;
  const end = blocks.findIndex((block) => {
    left -= Buffer.byteLength(JSON.stringify(block));
    return left < 0;
  });
  return Math.min(end === -1 ? blocks.length : end, REQUEST_BLOCKS);
}
