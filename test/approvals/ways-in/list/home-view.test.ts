import type { Button, HomeView, KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import type { Absence } from '../../../../src/approvals/electorate/absence.ts';
import { awayBlocks } from '../../../../src/approvals/ways-in/absence/away-words.ts';
import {
  ALL_OF_IT,
  filtered,
  type HomeChoice,
  homeView,
  noticeView,
  pagesOf,
  readChoice,
} from '../../../../src/approvals/ways-in/list/home-view.ts';
import type { Found, FoundRequest } from '../../../../src/approvals/ways-in/list/look-through.ts';
import { SECTIONS, type Section } from '../../../../src/approvals/ways-in/list/view.ts';
import type { Route, Source } from '../../../../src/core/config/config.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { homeSchema } from '../../../support/slack-limits.ts';
import { textsOf } from '../../../support/world.ts';
import { approvalWith, LONGEST, NOW, routeWith } from '../../approvals.ts';

function found(approvals: readonly Partial<Approval>[], change: Partial<Found> = {}): Found {
  const requests = approvals.map((each, i) => ({ id: `0-${i}`, approval: approvalWith(each) }));
  return { requests, untold: 0, next: null, isMoreCertain: true, ...change };
}

const facts = {
  user: 'U0ANA',
  routeNamed: (name: string): Route | undefined => ({ ...routeWith(), name }),
  timing: TRUE_TIME,
  linkOf: (_: FoundRequest): string | undefined => undefined,
  now: NOW,
  sources: [] as readonly Source[],
  more: [] as readonly KnownBlock[],
};

const sourceWith = (change: Partial<Source>): Source => ({
  id: 'default',
  auth: { kind: 'bearer' },
  secrets: ['s'],
  routes: ['production'],
  channels: [],
  kinds: ['gate'],
  ...change,
});

const absent: Absence = {
  ...{ v: 1, since: NOW, until: NOW + 1, notices: [], count: 0, lastChangeAt: NOW },
  ids: ['U0ANA'],
  substitute: { ids: ['U0BEN'] },
};

interface Shown {
  readonly waiting?: Found;
  readonly choice?: HomeChoice;
  readonly routes?: readonly string[];
  readonly everywhere?: boolean;
  readonly change?: Partial<typeof facts>;
}

function view({
  waiting = found([]),
  choice = ALL_OF_IT,
  routes = [],
  everywhere,
  change,
}: Shown): HomeView {
  const listing = everywhere
    ? { waiting, asked: waiting, decided: waiting, all: waiting }
    : { waiting };
  const shown = homeView({ listing, routes }, pagesOf(listing, choice), choice, {
    ...facts,
    ...change,
  });
  expect(homeSchema.safeParse(shown).error).toBeUndefined();
  return shown;
}

const lines = (shown: Shown) => textsOf(view(shown).blocks);

describe('the Home tab', () => {
  test('stays within Slack’s limits, whatever others write', () => {
    const outcome = {
      status: 'APPROVED',
      by: ['U0BEN'],
      credit: 'certain',
      learnedAt: NOW,
    } as const;
    const short = {
      ...{ message: '<&>'.repeat(110), key: 'deploy/1', link: 'https://ci.example.com/1' },
      fields: [['<'.repeat(40), '>'.repeat(100)]] as const,
    };
    for (const request of [LONGEST, approvalWith(short), approvalWith({ ...short, outcome })]) {
      const requests = Array.from({ length: 30 }, () => request);
      view({
        change: {
          more: awayBlocks({ own: absent, given: Array.from({ length: 30 }, () => absent) }),
        },
        waiting: found(requests, { untold: 2, next: '1_0-1' }),
        everywhere: true,
        choice: { pages: { waiting: 1, asked: 1, decided: 1, all: 1 } },
      });
    }
  });

  test('has buttons to decide only for requests whose whole title is visible', () => {
    expect(lines({ waiting: found([{ title: '&'.repeat(40) }]) })).toContain('Approve');
    expect(lines({ waiting: found([{ title: '&'.repeat(60) }]) })).not.toContain('Approve');
  });

  test('does not claim that nothing is waiting if not everything was read', () => {
    const waiting = found([], { next: '1_0-1', isMoreCertain: false });
    expect(lines({ waiting })).not.toContain('Nothing is waiting for you.');
    expect(lines({})).toContain('Nothing is waiting for you.');
  });

  test('says in each section what could not be checked, and that not everything is listed', () => {
    const decided = found([], { untold: 2 });
    const listing = { decided, hasMoreRoutes: true, isAllUnchecked: true };
    const { blocks } = homeView(
      { listing, routes: [] },
      pagesOf(listing, ALL_OF_IT),
      ALL_OF_IT,
      facts,
    );
    expect(textsOf(blocks).slice(2)).toEqual([
      'Decided',
      'Nothing found so far.',
      ':warning: Gatepost could not check 2 more requests. Try again in a minute.',
      expect.stringMatching(/^You review more than 50 routes/),
      expect.stringMatching(/^Gatepost could not check whether you are an administrator/),
    ]);
  });

  test('shows the short id only for requests without a link', () => {
    const waiting = found([{ title: 'Linked' }, { title: 'Posted' }]);
    const linkOf = ({ id }: FoundRequest) =>
      id === '0-0' ? 'https://acme.slack.com/p1' : undefined;
    const all = lines({ waiting, change: { linkOf } });
    expect(all.filter((line) => /Linked|Posted/.test(line))).toEqual([
      expect.stringMatching(/^\*<https:\S+\|Linked>\*\n.* · in <#C0PROD>$/),
      expect.stringMatching(/^\*Posted\*\n.* · in <#C0PROD> · `RZZW-E5D1`$/),
    ]);
  });

  test('offers a selection where it takes no more presses than one by one', () => {
    const routeNamed = (name: string): Route => ({
      ...routeWith(),
      ...{ name, several: name !== 'other' },
      reason: { approve: name === 'asks' ? 'optional' : 'none', reject: 'none' },
    });
    const selects = (...approvals: readonly Partial<Approval>[]) =>
      lines({ waiting: found(approvals), change: { routeNamed } }).filter((line) =>
        line.startsWith('Select'),
      );
    const one = { route: 'one' };
    const long = { ...one, message: 'long '.repeat(200) };
    expect(selects(one, one, one, long)).toEqual([]);
    expect(selects(one, one, one, one, long)).toEqual(['Select…']);
    const asks = { route: 'asks' };
    expect(selects(asks, one, one)).toEqual([]);
    expect(selects(asks, asks, one)).toEqual(['Select…']);
    expect(selects(one, one, one, one, asks, asks)).toEqual(['Select of one…', 'Select of asks…']);
    expect(selects(...Array.from({ length: 9 }, () => ({ route: 'other' })))).toEqual([]);
    const six = Array.from({ length: 24 }, (_, at) => ({ route: `route ${at % 6}` }));
    expect(selects(...six)).toHaveLength(5);
  });

  test('offers a selection at the top, also of requests on further pages', () => {
    const routeNamed = () => ({ ...routeWith(), several: true });
    const waiting = found(Array.from({ length: 12 }, (_, at) => ({ title: `Deploy ${at}` })));
    const shown = lines({ waiting, choice: { pages: { waiting: 1 } }, change: { routeNamed } });
    expect(shown.slice(0, 2)).toEqual(['Select…', 'Refresh']);
  });

  test('says that nothing matches the filters, not that nothing is waiting', () => {
    const nothing = 'Nothing matches the filters above.';
    const nothingElse = 'Nothing else matches the filters above.';
    for (const by of [{ route: 'one' }, { source: 'ci' }]) {
      const shown = lines({ choice: { ...by, pages: {} }, everywhere: true });
      const said = shown.filter((line) => line.startsWith('Nothing'));
      expect(said).toEqual([nothing, nothing, nothing, nothingElse]);
    }
  });

  test('can always be reset to all routes', () => {
    const filters = (choice: HomeChoice, routes: readonly string[]) => {
      const [block] = view({ choice, routes }).blocks;
      const [first] = block !== undefined && 'elements' in block ? block.elements : [];
      if (first?.type !== 'static_select') return undefined;
      return [first.initial_option?.value, first.options?.map(({ value }) => value)];
    };
    expect(filters(ALL_OF_IT, ['one'])).toBeUndefined();
    expect(filters(ALL_OF_IT, ['one', 'two'])).toEqual(['-', ['-', 'one', 'two']]);
    expect(filters({ route: 'gone', pages: {} }, ['one'])).toEqual(['gone', ['-', 'one', 'gone']]);
    expect(filters({ route: 'two', pages: {} }, ['one', 'two'])).toEqual([
      'two',
      ['-', 'one', 'two'],
    ]);
    const many = Array.from({ length: 1_000 }, (_, at) => `route-${at}`);
    const [chosen, options] = filters({ route: 'route-900', pages: {} }, many) ?? [];
    expect([chosen, options?.length, options?.at(-1)]).toEqual(['route-900', 100, 'route-900']);
  });

  test('shows own requests that their requester may decide in both sections', () => {
    const own = found([{ key: 'deploy/1' }]);
    const shown = lines({ waiting: own, everywhere: true });
    expect(shown).toEqual(expect.arrayContaining(['Approve', 'Reject', 'Review', 'Withdraw']));
  });

  test('lists open requests of others with their texts only', () => {
    const listing = { all: found([{}]) };
    const { blocks } = homeView(
      { listing, routes: [] },
      pagesOf(listing, ALL_OF_IT),
      ALL_OF_IT,
      facts,
    );
    expect(textsOf(blocks).slice(2)).toEqual([
      'Other open requests · 1',
      expect.stringMatching(/^\*Deploy 4\.2\*\nWaiting since/),
    ]);
  });

  test('opens a form to reject where the route wants a reason', () => {
    const rejecting = (reject: 'none' | 'required') => {
      const routeNamed = () => routeWith({ reason: { approve: 'none', reject } });
      const { blocks } = view({ waiting: found([{}]), change: { routeNamed } });
      return JSON.stringify(blocks).match(/approvals\.[\w.]*reject[\w.]*/gu);
    };
    expect(rejecting('none')).not.toEqual(rejecting('required'));
  });

  test('offers to decide a request whose route is no longer configured', () => {
    const shown = lines({ waiting: found([{}]), change: { routeNamed: () => undefined } });
    expect(shown).toEqual(expect.arrayContaining(['Approve', 'Reject', 'Review']));
  });

  test('shows a request whole up to a length', () => {
    const decidable = (length: number) =>
      lines({ waiting: found([{ message: 'x'.repeat(length) }]) });
    expect(decidable(600)).toContain('Approve');
    expect(decidable(601)).not.toContain('Approve');
  });

  test('has eight requests a page, and turns the pages of one section', () => {
    const waiting = found(Array.from({ length: 20 }, (_, at) => ({ title: `Deploy ${at}` })));
    const at = (page: number) => {
      const choice = { route: 'one', pages: { waiting: page, asked: 2 } };
      const shown = view({ waiting, choice });
      const turns = buttonsOf(shown.blocks)
        .filter(({ text }) => text === 'Previous' || text === 'More')
        .map(({ text, value }) => [text, readChoice(value)]);
      const rows = textsOf(shown.blocks).filter((line) => /Deploy \d/u.test(line));
      return { turns, rows: rows.length };
    };
    const turn = (page: number) => ({ route: 'one', pages: { waiting: page, asked: 2 } });
    expect(at(0)).toEqual({ turns: [['More', turn(1)]], rows: 8 });
    expect(at(1)).toEqual({
      turns: [
        ['Previous', turn(0)],
        ['More', turn(2)],
      ],
      rows: 8,
    });
    expect(at(2)).toEqual({ turns: [['Previous', turn(1)]], rows: 4 });
    // Since it was chosen, requests were decided.
    expect(at(7)).toEqual(at(2));
    const sixteen = found(Array.from({ length: 16 }, () => ({})));
    const last = view({ waiting: sixteen, choice: { pages: { waiting: 1 } } });
    expect(textsOf(last.blocks)).not.toContain('More');
  });

  test('counts what is waiting, and says if there is more', () => {
    expect(lines({ waiting: found([{}, {}]) })).toContain('Waiting for you · 2');
    expect(lines({ waiting: found([{}, {}], { next: '1_0-1' }) })).toContain(
      'Waiting for you · 2+',
    );
    expect(lines({})).toContain('Waiting for you');
  });

  test('offers for each request what the person can do with it there', () => {
    const own = found([{ key: 'deploy' }]);
    const buttonsIn = (section: Section) => {
      const listing = { [section]: own };
      const shown = homeView(
        { listing, routes: [] },
        pagesOf(listing, ALL_OF_IT),
        ALL_OF_IT,
        facts,
      );
      return buttonsOf(shown.blocks)
        .map(({ text }) => text)
        .filter((text) => text !== 'Refresh');
    };
    expect(SECTIONS.map((section) => [section, buttonsIn(section)])).toEqual([
      ['waiting', ['Approve', 'Reject', 'Review']],
      ['asked', ['Show', 'Withdraw']],
      ['decided', ['Show']],
      ['all', []],
    ]);
  });

  test.each<[string, Partial<Approval>]>([
    ['whose change is shown', { change: '+1' }],
    [
      'that was cut before it arrived',
      { cutFrom: { lines: 900, sha256: 'a'.repeat(64), shown: 20 } },
    ],
    ['with a value that is too long', { fields: [['Host', 'x'.repeat(201)]] }],
    ['that is too long', { message: 'long '.repeat(200) }],
    ['with an invisible letter', { message: 'To\u200b production?' }],
    ['on a route that asks for confirmation', { route: 'confirm' }],
  ])('opens a request %s before it is decided', (_, change) => {
    const routeNamed = (name: string): Route => ({
      ...routeWith(),
      name,
      confirm: name === 'confirm',
    });
    const shown = lines({ waiting: found([change]), change: { routeNamed } });
    expect(shown).toContain('Review');
    expect(shown).not.toContain('Approve');
    expect(shown).not.toContain('More in the thread ↓');
  });

  test('shows where a link leads before the request is decided', () => {
    const link = 'https://ci.example.com/4711';
    const shown = lines({ waiting: found([{ link }]) });
    expect(shown).toContain('Approve');
    expect(shown.join('\n')).toContain(link);
    expect(lines({ waiting: found([{}]) }).join('\n')).not.toContain('://');
  });

  test('can be filtered by source, by its name if it has one', () => {
    const sources = [sourceWith({ id: 'ci', name: 'Deploys' }), sourceWith({ id: 'agent' })];
    const [block] = view({ choice: { source: 'ci', pages: {} }, change: { sources } }).blocks;
    const [first] = block !== undefined && 'elements' in block ? block.elements : [];
    expect(first).toMatchObject({
      type: 'static_select',
      initial_option: { value: 'ci' },
      options: [
        { value: '-', text: { text: 'All sources' } },
        { value: 'ci', text: { text: 'Deploys' } },
        { value: 'agent', text: { text: 'agent' } },
      ],
    });
  });

  test('names a chosen source that is beyond what a menu holds', () => {
    const sources = Array.from({ length: 120 }, (_, at) =>
      sourceWith({ id: `s${at}`, name: `Source ${at}` }),
    );
    const [block] = view({ choice: { source: 's110', pages: {} }, change: { sources } }).blocks;
    const [first] = block !== undefined && 'elements' in block ? block.elements : [];
    expect(first).toMatchObject({
      initial_option: { value: 's110', text: { text: 'Source 110' } },
    });
  });

  test('is filtered from its first page on, by each filter on its own', () => {
    const chosen = { route: 'one', source: 'ci', pages: { waiting: 3 } };
    expect(filtered(chosen, 'route', 'two')).toEqual({ route: 'two', source: 'ci', pages: {} });
    expect(filtered(chosen, 'source', '-')).toEqual({ route: 'one', pages: {} });
  });

  test('that cannot be built can be tried again with the same choice', () => {
    const chosen = { route: 'one', pages: { asked: 1 } };
    const notice = noticeView('Slack does not answer.', chosen);
    expect(homeSchema.safeParse(notice).error).toBeUndefined();
    expect(textsOf(notice.blocks)).toEqual(['Slack does not answer.', 'Refresh']);
    expect(buttonsOf(notice.blocks).map(({ value }) => readChoice(value))).toEqual([chosen]);
    expect(readChoice(notice.private_metadata ?? '')).toEqual(chosen);
  });

  test.each(['', '{}', '{"pages":{"waiting":-1}}', '{"pages":{"other":1}}'])(
    'shows everything after an invalid choice: %s',
    (text) => {
      expect(readChoice(text)).toEqual(ALL_OF_IT);
    },
  );
});

/** In order. */
function buttonsOf(value: unknown): { readonly text: string; readonly value: string }[] {
  if (Array.isArray(value)) return value.flatMap(buttonsOf);
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'button') {
    // as: a button as Slack defines it
    const button = value as Button;
    return [{ text: button.text.text, value: button.value ?? '' }];
  }
  return Object.values(value).flatMap(buttonsOf);
}
