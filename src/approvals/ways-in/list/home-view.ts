import type { Button, HomeView, KnownBlock, StaticSelect } from '@slack/types';
import * as z from 'zod';
import type { Source } from '../../../core/config/config.ts';
import { actions, button, context, divider, section } from '../../../core/slack/blocks.ts';
import { charactersIn } from '../../../core/slack/limits.ts';
import { cutPlain, plain, timeText } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import { shownValue } from '../../tell/message/elsewhere.ts';
import { ACTIONS, ballotButtons, buttonOf } from '../../tell/message/message.ts';
import { messageStateOf } from '../../tell/message/message-state.ts';
import { excerptOf } from '../../tell/message/overflow.ts';
import { requestBlocks } from '../../tell/message/request-words.ts';
import { runLink } from '../../tell/message/run-link.ts';
import { canBeWithdrawn, withdrawButton } from '../withdraw-own.ts';
import {
  furtherNotes,
  isTitleWhole,
  type RequestFacts,
  rowText,
  SECTION_WORDS,
  sectionBlocks,
} from './list-message.ts';
import type { HomeListing, Listing } from './list-requests.ts';
import type { Found, FoundRequest } from './look-through.ts';
import { SECTIONS, type Section } from './view.ts';

/** Ids of the buttons and menus that change what the Home tab shows. */
export const HOME_ACTIONS = {
  previous: 'approvals.home.previous',
  more: 'approvals.home.more',
  refresh: 'approvals.home.refresh',
  route: 'approvals.home.route',
  source: 'approvals.home.source',
} as const;

const choice = z.object({
  route: z.string().optional(),
  source: z.string().optional(),
  /** The page of each section, from 0. */
  pages: z.partialRecord(z.enum(SECTIONS), z.int().min(0)),
});

/** The chosen filters and pages. */
export type HomeChoice = z.infer<typeof choice>;

export const ALL_OF_IT: HomeChoice = { pages: {} };

export function writeChoice(chosen: HomeChoice): string {
  return JSON.stringify(chosen);
}

/** An invalid choice shows everything: values come back from outside. */
export function readChoice(text: string): HomeChoice {
  try {
    return choice.parse(JSON.parse(text));
  } catch {
    return ALL_OF_IT;
  }
}

/** The visible part of a section. */
interface Page {
  readonly section: Section;
  readonly found: Found;
  readonly page: number;
  readonly requests: readonly FoundRequest[];
}

/** Of four sections with up to four, two, one and one block a row, of 100 blocks. */
const ROWS = 8;

export function pagesOf(listing: Listing, { pages }: HomeChoice): readonly Page[] {
  return SECTIONS.flatMap((section) => {
    const found = listing[section];
    if (found === undefined) return [];
    const last = Math.max(0, Math.ceil(found.requests.length / ROWS) - 1);
    const page = Math.min(pages[section] ?? 0, last);
    const requests = found.requests.slice(page * ROWS, (page + 1) * ROWS);
    return [{ section, found, page, requests }];
  });
}

interface HomeFacts extends RequestFacts {
  readonly sources: readonly Source[];
  /** What concerns the person besides requests. */
  readonly more: readonly KnownBlock[];
}

/** A person's Home tab: requests waiting for them, their own, and decided ones. */
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
      actions('approvals.home.choose', [
        ...selectButtons(listing.waiting?.requests ?? [], facts),
        ...filters,
        refreshButton(chosen),
      ]),
      context(
        `Updated at ${timeText(facts.now)}. \`/approvals\` lists the same requests in any channel.`,
      ),
      ...facts.more,
      ...pages.flatMap((page) => [divider(), ...pageBlocks(page, chosen, facts)]),
      ...furtherNotes(listing),
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

/** The Home tab does not repeat the sections above. */
const WORDS = {
  ...SECTION_WORDS,
  all: { title: 'Other open requests', none: 'None.' },
};

/** After `/approvals`, for a list of its own. */
const TYPED: Partial<Record<Section, string>> = { decided: ' decided', all: ' all' };

function pageBlocks(shown: Page, chosen: HomeChoice, facts: HomeFacts): KnownBlock[] {
  const { section: name, found, page } = shown;
  const { title, none } = WORDS[name];
  const count = found.requests.length;
  const more = found.next === null ? '' : '+';
  const rows = shown.requests.map((request): Row => {
    return [request, name === 'waiting' ? shownWhole(request.approval, facts) : undefined];
  });
  const isFiltered = chosen.route !== undefined || chosen.source !== undefined;
  const hasMore = (page + 1) * ROWS < count;
  const turn = (to: number) => writeChoice({ ...chosen, pages: { ...chosen.pages, [name]: to } });
  return sectionBlocks(name, found, {
    title: count === 0 ? title : `${title} · ${count}${more}`,
    rows: rows.flatMap((row) => rowBlocks(name, row, facts)),
    none: isFiltered ? `Nothing ${name === 'all' ? 'else ' : ''}matches the filters above.` : none,
    more: `To see the rest, type \`/approvals${TYPED[name] ?? ''}\` in a channel.`,
    buttons: {
      [`approvals.home.${name}`]: [
        ...(page > 0 ? [button(HOME_ACTIONS.previous, 'Previous', turn(page - 1))] : []),
        ...(hasMore ? [button(HOME_ACTIONS.more, 'More', turn(page + 1))] : []),
      ],
    },
  });
}

/** With the whole request, if the row shows it. */
type Row = readonly [request: FoundRequest, whole: readonly KnownBlock[] | undefined];

const SELECT_ACTION = 'approvals.home.select';
const SELECTS_MAX = 5;

/** Of the buttons that open a form to decide several requests. */
export const SELECT_ACTIONS = Array.from(
  { length: SELECTS_MAX },
  (_, at) => `${SELECT_ACTION}.${at}`,
);

/** A button for each route on which deciding several at once takes no more presses than one by one. */
function selectButtons(waiting: readonly FoundRequest[], facts: HomeFacts): Button[] {
  const isOffered = (name: string) => facts.routeNamed(name)?.several === true;
  const whole = waiting.filter(
    ({ approval }) => isOffered(approval.route) && shownWhole(approval, facts) !== undefined,
  );
  const names = whole.map(({ approval }) => approval.route);
  const routes = [...new Set(names)].filter((name) => {
    const count = names.filter((each) => each === name).length;
    const pressesEach = facts.routeNamed(name)?.reason.approve === 'none' ? 1 : 2;
    return count * pressesEach >= SEVERAL_PRESSES;
  });
  return routes.slice(0, SELECTS_MAX).map((route, at) => {
    const [label] = cutPlain(routes.length === 1 ? 'Select…' : `Select of ${route}…`, 75);
    return button(`${SELECT_ACTION}.${at}`, label, route);
  });
}

/** *Select…*, *Select all*, the decision, *Send decisions*. */
const SEVERAL_PRESSES = 4;

/** Buttons to decide are shown only with the whole request. */
function rowBlocks(name: Section, [request, whole]: Row, facts: HomeFacts): KnownBlock[] {
  const { id, approval } = request;
  const value = shownValue(id, approval);
  const label = name === 'waiting' ? 'Review' : 'Show';
  const review = buttonOf(value, approval)(ACTIONS.review, label);
  const text = section(rowText(name, request, facts));
  if (name === 'all') return [text];
  if (name === 'asked' && canBeWithdrawn(approval)) {
    return [
      text,
      actions(`approvals.home.row.${name}.${id}`, [review, withdrawButton(value, approval)]),
    ];
  }
  if (whole === undefined) return [{ ...text, accessory: review }];
  const { now, timing } = facts;
  const terms = { route: facts.routeNamed(approval.route), asOf: now, timing };
  const state = messageStateOf(approval, terms, now);
  const decide = ballotButtons(value, approval, state, terms, facts.user);
  return [text, ...whole, actions(`approvals.home.row.${name}.${id}`, [...decide, review])];
}

/** The longest request shown in a row; a longer one opens in a modal. */
const ROW_MAX = 600;

export function shownWhole(
  approval: Approval,
  { routeNamed }: Pick<RequestFacts, 'routeNamed'>,
): readonly KnownBlock[] | undefined {
  const { change, cutFrom } = approval;
  const excerpt = excerptOf(approval);
  const isCut = excerpt.rest.length > 0 || excerpt.invisible > 0 || !isTitleWhole(approval);
  const asksAgain = routeNamed(approval.route)?.confirm === true;
  if (change !== undefined || cutFrom !== undefined || isCut || asksAgain) return undefined;
  const blocks = requestBlocks(approval, excerpt, true);
  // The link is part of the digest.
  const { link } = excerpt;
  const run = link === undefined ? [] : [context(runLink(link, undefined))];
  return charactersIn(blocks) <= ROW_MAX ? [...blocks, ...run] : undefined;
}

const EVERY = '-';
const OPTIONS_MAX = 100;

/** Filters are shown if there are several values, or one is chosen, so that it can be reset. */
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
  // The chosen value may no longer be configured, or be beyond the limit.
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

/** The choice with one filter changed; starts at the first page. */
export function filtered(chosen: HomeChoice, by: 'route' | 'source', value: string): HomeChoice {
  const { [by]: before, ...rest } = chosen;
  return { ...rest, ...(value !== EVERY && { [by]: value }), pages: {} };
}
