import type { Button, KnownBlock } from '@slack/types';
import type { Route } from '../../../core/config/config.ts';
import { cleanLine } from '../../../core/lib/clean-line.ts';
import { instantOf } from '../../../core/lib/iso-time.ts';
import { shortIdOf } from '../../../core/lib/short-id.ts';
import type { Timing } from '../../../core/lib/timing.ts';
import { actions, button, context, header, section } from '../../../core/slack/blocks.ts';
import { linkedMessage } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import {
  bold,
  clipText,
  code,
  cutPlain,
  escapeMrkdwn,
  oneLine,
  timeText,
} from '../../../core/slack/text.ts';
import { type Approval, messagePost } from '../../approval.ts';
import { decidedFacts } from '../../decision/feature-hooks.ts';
import { titleOf } from '../../digest.ts';
import { requesterText } from '../../electorate/requester.ts';
import { furtherIn, openIn } from '../../electorate/tally.ts';
import { approvalOf } from '../../electorate/votes.ts';
import { barredWords, guardText, isGuarded, notes } from '../../tell/message/feature-words.ts';
import { undecidedText, WAITING_FOR_SERVICE } from '../../tell/message/message.ts';
import { type MessageState, messageStateOf } from '../../tell/message/message-state.ts';
import { outcomeLine } from '../../tell/message/outcome-line.ts';
import { sourceText } from '../../tell/message/overflow.ts';
import {
  DEADLINE,
  mention,
  placesText,
  timeOf,
  unknownStatus,
} from '../../tell/message/sentences.ts';
import { type Listing, LOOKED_AT_MAX, ROUTES_MAX } from './list-requests.ts';
import type { Found, FoundRequest } from './look-through.ts';
import {
  DECIDED,
  OVERVIEW,
  pageAfter,
  pageBefore,
  type Section,
  sectionsOf,
  type View,
  writeView,
} from './view.ts';

/** Ids of the list's buttons. Their value is the view to show next. */
export const LIST_ACTIONS = {
  more: 'approvals.list.more',
  before: 'approvals.list.before',
  overview: 'approvals.list.overview',
  decided: 'approvals.list.decided',
} as const;

interface SectionWords {
  readonly title: string;
  readonly none: string;
  /** Text below a title, in addition to its id and link. */
  readonly detailsOf: (approval: Approval, facts: RequestFacts) => readonly string[];
}

export const SECTION_WORDS: Readonly<Record<Section, SectionWords>> = {
  waiting: {
    title: 'Waiting for you',
    none: 'Nothing is waiting for you.',
    detailsOf: (approval, facts) => [
      stateFor(approval, facts),
      ...deadlineOf(approval),
      ...askerOf(approval),
    ],
  },
  asked: {
    title: 'Your requests',
    none: 'You have no open requests.',
    detailsOf: (approval, facts) => [
      stateOf(approval, stateIn(approval, facts)),
      ...deadlineOf(approval),
    ],
  },
  decided: {
    title: 'Decided',
    none: 'No recent decisions.',
    detailsOf: (approval, { now }) => [...outcomeOf(approval, now), ...askerOf(approval)],
  },
  all: {
    title: 'All open requests',
    none: 'None.',
    detailsOf: (approval, facts) => [
      stateOf(approval, stateIn(approval, facts)),
      ...deadlineOf(approval),
      ...askerOf(approval),
    ],
  },
};

const NOTHING = 'Nothing is waiting for you, and you have no open requests.';
const HOME = "The app's Home tab lists the same requests, with buttons.";
const MORE_ROUTES = `You review more than ${ROUTES_MAX} routes. Only the first ${ROUTES_MAX} in the configuration are listed. Requests on the others can be decided in their channels.`;
export const NOT_CHECKED =
  'Gatepost could not check whether you are an administrator, so it does not list all open requests. Try again in a minute.';

/** A person's lists, for an ephemeral message. */
export function listingMessage(listing: Listing, view: View, facts: RequestFacts): SlackMessage {
  const pieces = sectionsOf(view).flatMap((name) => {
    const found = listing[name];
    // For a typed id, only sections where it was found.
    const isLeftOut = found === undefined || (isIdWanted(view) && isNothing(found));
    return isLeftOut ? [] : [{ name, found }];
  });
  const isEmpty = view.section === 'both' && pieces.every(({ found }) => isNothing(found));
  const blocks = isEmpty
    ? [section(nothingText(view))]
    : pieces.flatMap(({ name, found }) => {
        const { title } = SECTION_WORDS[name];
        return sectionBlocks(name, found, {
          title,
          rows: found.requests.map((each) => section(rowText(name, each, facts, { hasId: true }))),
          none: noneText(name, view),
          more:
            view.section === 'both' ? 'Press Show more for the rest.' : 'Press Next for the rest.',
          buttons: { [`approvals.list.${name}`]: pageButtons(name, found, view) },
        });
      });
  const decided = button(LIST_ACTIONS.decided, 'Decided', writeView(DECIDED));
  const further =
    view === OVERVIEW ? [context(HOME), actions('approvals.list.further', [decided])] : [];
  return {
    text: isEmpty
      ? nothingText(view)
      : pieces.map(({ name, found }) => summaryOf(name, found, view)).join(' '),
    blocks: [...blocks, ...furtherNotes(listing), ...further],
  };
}

function isIdWanted(view: View): view is { readonly section: 'both'; readonly id: string } {
  return view.section === 'both' && view.id !== undefined;
}

function nothingText(view: View): string {
  if (!isIdWanted(view)) return NOTHING;
  const what = linkedMessage(view.id) === undefined ? `\`${view.id}\`` : 'this message';
  return `Nothing found for ${what} among your requests and those you can decide. If it was withdrawn or decided some time ago, its message in the channel shows how it ended. Type \`/approvals\` to list what is open, or \`/approvals help\`.`;
}

function isNothing({ requests, untold, next }: Found): boolean {
  return requests.length + untold === 0 && next === null;
}

function summaryOf(name: Section, found: Found, view: View): string {
  const { length } = found.requests;
  if (length === 0) return unsureText(name, found) ?? noneText(name, view);
  const more = found.next === null ? '' : ' or more';
  return `${SECTION_WORDS[name].title}: ${length}${view.section === 'both' ? more : ' on this page'}.`;
}

interface ShownSection {
  readonly title: string;
  readonly rows: readonly KnownBlock[];
  /** Shown if everything was checked and nothing was found. */
  readonly none: string;
  /** What to do if not all were checked. */
  readonly more: string;
  /** Below the rows, by block id. */
  readonly buttons: Readonly<Record<string, readonly Button[]>>;
}

/** A section, in a message or on the Home tab. */
export function sectionBlocks(
  name: Section,
  found: Found,
  { title, rows, none, more, buttons }: ShownSection,
): KnownBlock[] {
  return [
    header(title),
    ...(rows.length > 0 ? rows : [section(unsureText(name, found) ?? none)]),
    ...notesOf(name, found, more).map((note) => context(note)),
    ...Object.entries(buttons).flatMap(([id, row]) => (row.length > 0 ? [actions(id, row)] : [])),
  ];
}

/** Notes on what else could not be listed. */
export function furtherNotes({ hasMoreRoutes, isAllUnchecked }: Listing): KnownBlock[] {
  const notes = [hasMoreRoutes && MORE_ROUTES, isAllUnchecked && NOT_CHECKED];
  return notes.flatMap((note) => (note ? [context(note)] : []));
}

function noneText(name: Section, view: View): string {
  return pageBefore(view) === undefined ? SECTION_WORDS[name].none : 'Nothing more.';
}

/** Why "none" would not be certain; undefined: everything was checked. */
function unsureText(name: Section, { untold, next }: Found): string | undefined {
  if (next === null && untold === 0) return undefined;
  const isKnown = next === null && name === 'waiting';
  return isKnown
    ? 'Gatepost could not check everything. It found nothing that waits for you.'
    : 'Nothing found so far.';
}

function notesOf(name: Section, { untold, isMoreCertain }: Found, rest: string): string[] {
  const more = untold === 1 ? 'one more request' : `${untold} more requests`;
  const waits = `whether ${more} ${untold === 1 ? 'is' : 'are'} waiting for you`;
  const untoldNote = `:warning: Gatepost could not check ${name === 'waiting' ? waits : more}. Try again in a minute.`;
  const restNote = `Only the first ${LOOKED_AT_MAX} requests were checked. ${rest}`;
  return [...(untold > 0 ? [untoldNote] : []), ...(isMoreCertain ? [] : [restNote])];
}

function pageButtons(name: Section, { next }: Found, view: View): readonly Button[] {
  const before = pageBefore(view);
  const isOverview = view.section === 'both';
  const to = (id: string, label: string, target: View) => button(id, label, writeView(target));
  const more = isOverview ? 'Show more' : 'Next';
  return [
    ...(before ? [to(LIST_ACTIONS.before, 'Previous', before)] : []),
    ...(next === null ? [] : [to(LIST_ACTIONS.more, more, pageAfter(view, name, next))]),
    ...(isOverview ? [] : [to(LIST_ACTIONS.overview, 'Overview', OVERVIEW)]),
  ];
}

/** Limits on other people's text in a row, so that a whole page fits into a message. */
const TITLE_MAX = 160;
const REQUESTER_MAX = 80;
/** Includes escapes, which can be five times as long. */
const ESCAPED_MAX = 200;
const NEEDS_MAX = 90;
const ROUTE_MAX = 40;

export interface RequestFacts {
  /** The reader. */
  readonly user: string;
  readonly routeNamed: (name: string) => Route | undefined;
  readonly timing: Timing;
  /** A link to the request's message, if Slack gave one. */
  readonly linkOf: (request: FoundRequest) => string | undefined;
  readonly now: number;
}

/** A row of a section: title and status. `hasId`: includes the id that can be typed, even if there is a link. */
export function rowText(
  name: Section,
  request: FoundRequest,
  facts: RequestFacts,
  { hasId }: { readonly hasId?: true } = {},
): string {
  const { approval } = request;
  const details = SECTION_WORDS[name].detailsOf(approval, facts);
  const title = short(titleOf(approval), TITLE_MAX);
  const link = facts.linkOf(request);
  const id = hasId || link === undefined ? [`\`${shortIdOf(request.id)}\``] : [];
  const [route] = cutPlain(approval.route, ROUTE_MAX);
  const all = [...details, `Route ${code(route)}`, whereOf(approval), ...id];
  return `${bold(link === undefined ? title : `<${link}|${title}>`)}\n${all.join(' · ')}`;
}

/** Whether a row shows the whole title, letter by letter. */
export function isTitleWhole(approval: Approval): boolean {
  const title = titleOf(approval);
  return short(title, TITLE_MAX) === escapeMrkdwn(title);
}

function short(text: string, max: number): string {
  const [head, rest] = clipText(oneLine(text, max), ESCAPED_MAX);
  return rest === '' ? head : `${head}…`;
}

/** `approval` is waiting, or was about to be decided. */
function stateFor(approval: Approval, facts: RequestFacts): string {
  const state = stateIn(approval, facts);
  const hasApproved = approvalOf(approval, facts.user) !== undefined;
  if (state.name !== 'waiting' || !hasApproved) return stateOf(approval, state);
  const barred = barredWords(state);
  if (barred !== undefined) return barred.inList(state);
  const { needed, approvedBy, open = [] } = state;
  const missing = needed - approvedBy.length;
  if (open.length > 0) return `You approved, waiting for ${missingText(state)}`;
  // Fewer approvals may be needed than when they approved; only a press counts them again.
  if (missing <= 0) return 'You approved. Fewer approvals are needed now: press Approve again';
  return `You approved, waiting for ${missing} more`;
}

/** Who is still needed, or only how many if their names are long. */
function missingText(state: Extract<MessageState, { name: 'waiting' }>): string {
  const { needed, approvedBy, open = [] } = state;
  const progress = { have: approvedBy.length, needed, open };
  const places = placesText(progress);
  if (places.length <= NEEDS_MAX) return places;
  return `${openIn(open) + Math.max(0, furtherIn(progress))} more approvals`;
}

function stateOf(approval: Approval, state: MessageState): string {
  const { createdAt } = approval;
  if (isGuarded(state)) return guardText(state, approval).line;
  switch (state.name) {
    case 'waiting': {
      const barred = barredWords(state);
      if (barred !== undefined) return barred.inList(state);
      const { needed, approvedBy, open = [], serviceUntil } = state;
      const have = approvedBy.length;
      const forWhom = open.length === 0 ? '' : ` for ${missingText(state)}`;
      const isCounted = needed > 1 && open.length === 0 && have < needed;
      const progress = isCounted ? ` · ${have} of ${needed} approvals` : '';
      if (serviceUntil === undefined) {
        return `Waiting${forWhom} since ${timeOf(createdAt)}${progress}`;
      }
      return `${WAITING_FOR_SERVICE}, keeps trying until ${timeText(serviceUntil)}${progress}`;
    }
    case 'unsent':
    case 'sending':
    case 'unconfirmed': {
      const { what, more } = undecidedText(approval, state);
      return more === undefined ? what : `${what}: ${more}`;
    }
    case 'unknown':
      return `State unknown: ${unknownStatus(state.why, state.word)}`;
    default:
      // Decided and withdrawn requests are on no list.
      return 'No longer open';
  }
}

function outcomeOf(approval: Approval, now: number): string[] {
  const { outcome } = approval;
  if (outcome === undefined) return [];
  const { learnedAt, resolvedAt = null } = outcome;
  const decided = { ...outcome, resolvedAt };
  const facts = decidedFacts(approval, now);
  const line = outcomeLine(decided);
  return [
    line,
    timeOf(instantOf(resolvedAt ?? '') ?? learnedAt),
    ...notes('line').flatMap((each) => each(facts) ?? []),
  ];
}

function deadlineOf({ expiresAt }: Approval): string[] {
  return expiresAt === undefined ? [] : [`${DEADLINE} ${timeOf(expiresAt)}`];
}

function askerOf(approval: Approval): string[] {
  const { requester } = approval;
  if (requester?.user !== undefined) return [`Asked by ${mention(requester.user)}`];
  const name = cleanLine(requester === undefined ? '' : requesterText(requester));
  const asker = name === '' ? sourceText(approval) : short(name, REQUESTER_MAX);
  return asker === undefined ? [] : [`Asked by ${asker}`];
}

function whereOf(approval: Approval): string {
  const { ts, attempt } = messagePost(approval);
  // Its place may not be saved yet.
  const isPosted = ts !== undefined || attempt !== undefined;
  return isPosted ? `in <#${approval.channel}>` : 'not posted yet';
}

function stateIn(approval: Approval, { routeNamed, timing, now }: RequestFacts): MessageState {
  return messageStateOf(approval, { route: routeNamed(approval.route), asOf: now, timing }, now);
}
