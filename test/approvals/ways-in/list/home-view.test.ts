import type { HomeView, KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import type { Absence } from '../../../../src/approvals/electorate/absence.ts';
import { awayBlocks } from '../../../../src/approvals/ways-in/absence/away-words.ts';
import {
  ALL_OF_IT,
  type HomeChoice,
  homeView,
  pagesOf,
} from '../../../../src/approvals/ways-in/list/home-view.ts';
import type { Found, FoundRequest } from '../../../../src/approvals/ways-in/list/look-through.ts';
import type { Route } from '../../../../src/core/config/config.ts';
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
  routeNamed: (name: string): Route => ({ ...routeWith(), name }),
  timing: TRUE_TIME,
  linkOf: (_: FoundRequest): string | undefined => undefined,
  now: NOW,
  sources: [],
  more: [] as readonly KnownBlock[],
};

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
      message: '<&>'.repeat(120),
      fields: [['<'.repeat(40), '>'.repeat(100)]] as const,
    };
    for (const request of [LONGEST, approvalWith(short), approvalWith({ ...short, outcome })]) {
      const waiting = found(Array.from({ length: 30 }, () => request));
      view({
        change: {
          more: awayBlocks({ own: absent, given: Array.from({ length: 30 }, () => absent) }),
        },
        waiting,
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
    expect(all.filter((line) => /`[\w-]{9}`/.test(line))).toEqual([
      expect.stringMatching(/ · in <#C0PROD> · `RZZW-E5D1`$/),
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
  });

  test('offers a selection at the top, also of requests on further pages', () => {
    const routeNamed = () => ({ ...routeWith(), several: true });
    const waiting = found(Array.from({ length: 12 }, (_, at) => ({ title: `Deploy ${at}` })));
    const shown = lines({ waiting, choice: { pages: { waiting: 1 } }, change: { routeNamed } });
    expect(shown.slice(0, 2)).toEqual(['Select…', 'Refresh']);
  });

  test('says that nothing matches the filters, not that nothing is waiting', () => {
    expect(lines({ choice: { route: 'one', pages: {} } })).toContain(
      'Nothing matches the filters above.',
    );
  });

  test('can always be reset to all routes', () => {
    const filters = (choice: HomeChoice, routes: readonly string[]) => {
      const [block] = view({ choice, routes }).blocks;
      const [first] = block !== undefined && 'elements' in block ? block.elements : [];
      if (first?.type !== 'static_select') return undefined;
      return [first.initial_option?.value, first.options?.map(({ value }) => value)];
    };
    expect(filters(ALL_OF_IT, ['one'])).toBeUndefined();
    expect(filters({ route: 'gone', pages: {} }, ['one'])).toEqual(['gone', ['-', 'one', 'gone']]);
    expect(filters({ route: 'two', pages: {} }, ['one', 'two'])).toEqual([
      'two',
      ['-', 'one', 'two'],
    ]);
    const many = Array.from({ length: 1_000 }, (_, at) => `route-${at}`);
    const [chosen, options] = filters({ route: 'route-900', pages: {} }, many) ?? [];
    expect([chosen, options?.length, options?.at(-1)]).toEqual(['route-900', 100, 'route-900']);
  });
});
