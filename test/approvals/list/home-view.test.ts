import type { HomeView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import {
  ALL_OF_IT,
  type HomeChoice,
  homeView,
  pagesOf,
} from '../../../src/approvals/list/home-view.ts';
import type { Found } from '../../../src/approvals/list/look-through.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { homeSchema } from '../../../src/core/slack/limits.ts';
import { textsOf } from '../../support/world.ts';
import { approvalWith, LONGEST, NOW, routeWith } from '../approvals.ts';

function found(approvals: readonly Partial<Approval>[], change: Partial<Found> = {}): Found {
  const requests = approvals.map((each, i) => ({ id: `0-${i}`, approval: approvalWith(each) }));
  return { requests, untold: 0, next: null, isMoreCertain: true, ...change };
}

const facts = {
  user: 'U0ANA',
  routeNamed: () => routeWith(),
  timing: TRUE_TIME,
  linkOf: () => undefined,
  now: NOW,
  sources: [],
};

interface Shown {
  readonly waiting?: Found;
  readonly choice?: HomeChoice;
  readonly routes?: readonly string[];
  readonly everywhere?: boolean;
}

function view({
  waiting = found([]),
  choice = ALL_OF_IT,
  routes = [],
  everywhere,
}: Shown): HomeView {
  const listing = everywhere
    ? { waiting, asked: waiting, decided: waiting, all: waiting }
    : { waiting };
  const shown = homeView(
    { listing, routes, freshRoutes: [] },
    pagesOf(listing, choice),
    choice,
    facts,
  );
  expect(homeSchema.safeParse(shown).error).toBeUndefined();
  return shown;
}

const lines = (shown: Shown) => textsOf(view(shown).blocks);

describe('the Home tab', () => {
  test('fits, however much others write', () => {
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
        waiting,
        everywhere: true,
        choice: { pages: { waiting: 1, asked: 1, decided: 1, all: 1 } },
      });
    }
  });

  test('has buttons to decide only where the whole title is to be read', () => {
    expect(lines({ waiting: found([{ title: '&'.repeat(40) }]) })).toContain('Approve');
    expect(lines({ waiting: found([{ title: '&'.repeat(60) }]) })).not.toContain('Approve');
  });

  test('does not claim that nothing waits where it has not looked at everything', () => {
    const waiting = found([], { next: '1_0-1', isMoreCertain: false });
    expect(lines({ waiting })).not.toContain('Nothing is waiting for you.');
    expect(lines({})).toContain('Nothing is waiting for you.');
  });

  test('says in each section what could not be checked, and that not all routes are listed', () => {
    const listing = { decided: found([], { untold: 2 }), hasMoreRoutes: true };
    const { blocks } = homeView(
      { listing, routes: [], freshRoutes: [] },
      pagesOf(listing, ALL_OF_IT),
      ALL_OF_IT,
      facts,
    );
    expect(textsOf(blocks).slice(2, 6)).toEqual([
      'Decided',
      'Nothing found so far.',
      ':warning: Gatepost could not check 2 more requests. Try again in a minute.',
      expect.stringMatching(/^You review more than 50 routes/),
    ]);
  });

  test('says that its filters leave nothing, rather than that nothing waits', () => {
    expect(lines({ choice: { route: 'one', pages: {} } })).toContain(
      'Nothing matches the filters above.',
    );
  });

  test('can always be set back to all routes', () => {
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
