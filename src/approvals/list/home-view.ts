import type { Button, HomeView, KnownBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import type { Source } from '../../core/config/config.ts';
import { actions, button, context, divider, header, section } from '../../core/slack/blocks.ts';
import { charactersIn } from '../../core/slack/limits.ts';
import { cutPlain, plain, timeText } from '../../core/slack/text.ts';
import type { Approval } from '../approval.ts';
import { shownValue } from '../cast-ballot.ts';
import { ACTIONS, ballotButtons, runLink } from '../message/message.ts';
import { messageStateOf } from '../message/message-state.ts';
import { excerptOf } from '../message/overflow.ts';
import { requestBlocks } from '../message/request-words.ts';
import {
  isTitleWhole,
  MORE_ROUTES,
  notesOf,
  type RequestFacts,
  rowText,
  SECTION_WORDS,
  unsureText,
} from './list-message.ts';
import type { HomeListing, Listing } from './list-requests.ts';
import type { Found, FoundRequest } from './look-through.ts';
import { SECTIONS, type Section } from './view.ts';

/** Ids of what somebody can press on the Home tab to see something else of it. */
export const HOME_ACTIONS = {
  previous: 'approvals.home.previous',
  more: 'approvals.home.more',
  refresh: 'approvals.home.refresh',
  route: 'approvals.home.route',
  source: 'approvals.home.source',
  select: 'approvals.home.select',
} as const;

const choice = z.object({
  route: z.string().optional(),
  source: z.string().optional(),
  /** Of each section, from 0. */
  pages: z.partialRecord(z.enum(SECTIONS), z.int().min(0)),
});

/** The filters and pages that somebody chose. */
export type HomeChoice = z.infer<typeof choice>;

export const ALL_OF_IT: HomeChoice = { pages: {} };

export function writeChoice(chosen: HomeChoice): string {
  return JSON.stringify(chosen);
}

/** What is no choice is all of it: values come back from outside. */
export function readChoice(text: string): HomeChoice {
  try {
    return choice.parse(JSON.parse(text));
  } catch {
    return ALL_OF_IT;
  }
}

export function isChosen({ route, source }: HomeChoice): (approval: Approval) => boolean {
  return (approval) =>
    (route === undefined || approval.route === route) &&
    (source === undefined || approval.source === source);
}

/** What is shown of each section. */
interface Page {
  readonly section: Section;
  readonly found: Found;
  readonly page: number;
  readonly requests: readonly FoundRequest[];
}

const ROWS = 10;

export function pagesOf(listing: Listing, { pages }: HomeChoice): readonly Page[] {
  return SECTIONS.flatMap((section) => {
    const found = listing[section];
    if (found === undefined) return [];
    const requests = section === 'waiting' ? soonestFirst(found.requests) : found.requests;
    const last = Math.max(0, Math.ceil(requests.length / ROWS) - 1);
    const page = Math.min(pages[section] ?? 0, last);
    const shown = requests.slice(page * ROWS, (page + 1) * ROWS);
    return [{ section, found, page, requests: shown }];
  });
}

/** Those without a deadline come last, the oldest first. */
function soonestFirst(requests: readonly FoundRequest[]): readonly FoundRequest[] {
  const deadlineOf = ({ approval }: FoundRequest) => approval.expiresAt ?? Number.MAX_SAFE_INTEGER;
  return requests.toSorted((a, b) => deadlineOf(a) - deadlineOf(b));
}

interface HomeFacts extends RequestFacts {
  readonly sources: readonly Source[];
}

/** The Home tab of a person: what waits for them, what they asked for, and what was decided. */
export function homeView(
  { listing, routes }: HomeListing,
  pages: readonly Page[],
  chosen: HomeChoice,
  facts: HomeFacts,
): HomeView {
  const filters = filtersOf(routes, facts.sources, chosen);
  return {
    type: 'home',
    private_metadata: writeChoice(chosen),
    blocks: [
      actions('approvals.home.choose', [...filters, refreshButton(chosen)]),
      context(`Updated at ${timeText(facts.now)}`),
      ...pages.flatMap((page) => [divider(), ...sectionBlocks(page, chosen, facts)]),
      ...(listing.hasMoreRoutes ? [context(MORE_ROUTES)] : []),
    ],
  };
}

/** Shown when the Home tab cannot be built. */
export function noticeView(sentence: string, chosen: HomeChoice): HomeView {
  return {
    type: 'home',
    private_metadata: writeChoice(chosen),
    blocks: [section(sentence), actions('approvals.home.choose', [refreshButton(chosen)])],
  };
}

function refreshButton(chosen: HomeChoice): Button {
  return button(HOME_ACTIONS.refresh, 'Refresh', writeChoice(chosen));
}

function sectionBlocks(page: Page, chosen: HomeChoice, facts: HomeFacts): KnownBlock[] {
  const { section: name, found, requests } = page;
  const { title } = SECTION_WORDS[name];
  const count = found.requests.length;
  const more = found.next === null ? '' : '+';
  const rows = requests.flatMap((request) => rowBlocks(name, request, facts));
  const turns = pageButtons(page, chosen);
  return [
    header(count === 0 ? title : `${title} · ${count}${more}`),
    ...(rows.length > 0 ? rows : [section(emptyText(name, found, chosen))]),
    ...notesOf(name, found).map((note) => context(note)),
    ...selectRow(page, facts),
    ...(turns.length > 0 ? [actions(`approvals.home.${name}`, turns)] : []),
  ];
}

/** So many are looked at for whether they can be decided together. */
const LOOKED_AT = 40;
const SELECTS_MAX = 5;

export function selectActions(id: string): readonly string[] {
  return Array.from({ length: SELECTS_MAX }, (_, at) => `${id}.${at}`);
}

/** A button for each route of which several requests can be decided at once. */
function selectRow({ section: name, found }: Page, facts: HomeFacts): KnownBlock[] {
  if (name !== 'waiting') return [];
  const isWhole = (approval: Approval) =>
    facts.routeNamed(approval.route)?.several === true && shownWhole(approval, facts) !== undefined;
  const routes = severalIn(found.requests.slice(0, LOOKED_AT), isWhole);
  if (routes.length === 0) return [];
  const buttons = routes.slice(0, SELECTS_MAX).map((route, at) => {
    const [label] = cutPlain(routes.length === 1 ? 'Select…' : `Select of ${route}…`, 75);
    return button(`${HOME_ACTIONS.select}.${at}`, label, route);
  });
  return [actions('approvals.home.select', buttons)];
}

/** The routes of which several requests can be decided at once. */
function severalIn(
  requests: readonly FoundRequest[],
  isWhole: (approval: Approval) => boolean,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { approval } of requests) {
    if (isWhole(approval)) counts.set(approval.route, (counts.get(approval.route) ?? 0) + 1);
  }
  return [...counts].flatMap(([route, count]) => (count > 1 ? [route] : []));
}

function emptyText(name: Section, found: Found, { route, source }: HomeChoice): string {
  const isFiltered = route !== undefined || source !== undefined;
  return unsureText(name, found) ?? (isFiltered ? FILTERED : SECTION_WORDS[name].none);
}

const FILTERED = 'Nothing matches the filters above.';

function pageButtons({ section: name, found, page }: Page, chosen: HomeChoice): Button[] {
  const turn = (id: string, label: string, to: number) =>
    button(id, label, writeChoice({ ...chosen, pages: { ...chosen.pages, [name]: to } }));
  const hasMore = (page + 1) * ROWS < found.requests.length;
  return [
    ...(page > 0 ? [turn(HOME_ACTIONS.previous, 'Previous', page - 1)] : []),
    ...(hasMore ? [turn(HOME_ACTIONS.more, 'More', page + 1)] : []),
  ];
}

/** Buttons to decide stand only where all of the request is to be read. */
function rowBlocks(name: Section, request: FoundRequest, facts: HomeFacts): KnownBlock[] {
  const { id, approval } = request;
  const value = shownValue(id, approval);
  const label = name === 'waiting' ? 'Review' : 'Show';
  const review = button(ACTIONS.review, label, value);
  const text = section(rowText(name, request, facts));
  if (name === 'all') return [text];
  const shown = name === 'waiting' ? shownWhole(approval, facts) : undefined;
  if (shown === undefined) return [{ ...text, accessory: review }];
  const state = messageStateOf(approval, termsOf(approval, facts), facts.now);
  const decide = ballotButtons(value, approval, state, termsOf(approval, facts), facts.user);
  const row = actions(`approvals.home.row.${id}`, [...decide, review]);
  return [text, ...shown, row];
}

function termsOf({ route }: Approval, { routeNamed, timing }: HomeFacts) {
  return { route: routeNamed(route), timing };
}

/** So many characters of a request are read in a row; a longer one has its own modal. */
const ROW_MAX = 600;

export function shownWhole(
  approval: Approval,
  facts: RequestFacts,
): readonly KnownBlock[] | undefined {
  const { change, cutFrom } = approval;
  const excerpt = excerptOf(approval);
  const isCut =
    excerpt.rest.length > 0 ||
    excerpt.unshown > 0 ||
    excerpt.invisible > 0 ||
    !isTitleWhole(approval);
  const asksAgain = facts.routeNamed(approval.route)?.confirm === true;
  if (change !== undefined || cutFrom !== undefined || isCut || asksAgain) return undefined;
  const blocks = requestBlocks(approval, excerpt, true);
  // The digest is over the link, too.
  const { link } = excerpt;
  const run = link === undefined ? [] : [context(runLink(link, undefined))];
  return charactersIn(blocks) <= ROW_MAX ? [...blocks, ...run] : undefined;
}

const EVERY = '-';
const OPTIONS_MAX = 100;

/** There is something to choose from where there are several, or one is chosen: it can be set back. */
function filtersOf(
  routes: readonly string[],
  sources: readonly Source[],
  { route, source }: HomeChoice,
): StaticSelect[] {
  const named = routes.map((name) => [name, name] as const);
  const asking = sources.map(({ id, name }) => [id, name ?? id] as const);
  return [
    ...filter(HOME_ACTIONS.route, 'All routes', named, route),
    ...filter(HOME_ACTIONS.source, 'All sources', asking, source),
  ];
}

function filter(
  id: string,
  all: string,
  choices: readonly (readonly [value: string, label: string])[],
  chosen: string | undefined,
): StaticSelect[] {
  if (choices.length < 2 && chosen === undefined) return [];
  const offered = choices.slice(0, OPTIONS_MAX - 2);
  const isOffered = chosen === undefined || offered.some(([value]) => value === chosen);
  const label = choices.find(([value]) => value === chosen)?.[1];
  // It may no longer be configured, or be one too many.
  const also = isOffered ? [] : [[chosen, label ?? chosen] as const];
  const options = [[EVERY, all] as const, ...offered, ...also].map(([value, label]) => {
    const [text] = cutPlain(label, 75);
    return { text: plain(text), value };
  });
  const initial = options.find(({ value }) => value === (chosen ?? EVERY));
  return [
    {
      type: 'static_select',
      action_id: id,
      options,
      ...(initial !== undefined && { initial_option: initial }),
    },
  ];
}

/** The choice with a filter set as its option says; pages begin anew. */
export function filtered(chosen: HomeChoice, by: 'route' | 'source', value: string): HomeChoice {
  const { [by]: before, ...rest } = chosen;
  return { ...rest, ...(value !== EVERY && { [by]: value }), pages: {} };
}
