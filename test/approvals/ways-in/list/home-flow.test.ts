import type { HomeView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import {
  changesHomeTab,
  createHomeFlow,
  pressedAtHome,
} from '../../../../src/approvals/ways-in/list/home-flow.ts';
import { ALL_OF_IT } from '../../../../src/approvals/ways-in/list/home-view.ts';
import type { Core } from '../../../../src/core/core.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import type { NewRecord, Signalled, Store } from '../../../../src/core/store/store.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { textsOf } from '../../../support/world.ts';
import { approvalWith, NOW } from '../../approvals.ts';

const MINUTE = 60_000;

type Flow = ReturnType<typeof createHomeFlow>;
type Home = Parameters<Flow['plan']>[0];

const homeWith = (change: Partial<Home> = {}): Home => ({
  v: 1,
  user: 'U0ANA',
  choice: ALL_OF_IT,
  freshUntil: NOW + 10 * MINUTE,
  publishedAt: NOW,
  routes: ['production'],
  ...change,
});

/** What was published, as texts, and a core whose Slack knows nobody. */
function withoutSlack(failure: ConstructorParameters<typeof RemoteFailure>[1]) {
  const published: string[] = [];
  const core = coreWith({
    timing: TRUE_TIME,
    timers: fake<Core['timers']>({ deadline: () => new AbortController().signal }),
    lookup: fake<Lookup>({
      recent: fake<Lookup['recent']>({
        person: async () => {
          throw new RemoteFailure('users.info', failure);
        },
      }),
    }),
    homeTab: {
      publish: async (_: string, view: HomeView) =>
        void published.push(textsOf(view.blocks).join(' ')),
    },
  });
  return { core, published };
}

describe('the Home tab', () => {
  const flow = createHomeFlow(coreWith({ timing: TRUE_TIME }));

  test('is not published after it expired, however late its rate-limit slot comes, unless the person waits for it', () => {
    const waiting = homeWith({ wantedAt: NOW, slot: true, notBefore: NOW + 60 * MINUTE });
    const end = NOW + 10 * MINUTE + TRUE_TIME.homeMs.apart;
    expect(flow.plan(waiting, NOW + MINUTE)).toMatchObject({ until: end });
    expect(flow.plan(waiting, end)).toEqual({ kind: 'finish', keepMs: 0 });
    const asked = homeWith({ wantedAt: NOW, isAwaited: true, notBefore: NOW + 11 * MINUTE });
    expect(flow.plan(asked, NOW + 11 * MINUTE)).toMatchObject({ step: { kind: 'publish-home' } });
  });

  test('is published once more when it expires, to catch changes without a signal', () => {
    const quiet = homeWith();
    const end = NOW + 10 * MINUTE;
    expect(flow.plan(quiet, NOW + MINUTE)).toEqual({ kind: 'wait', until: end, lane: 'people' });
    const step = { kind: 'take-home-slot' } as const;
    expect(flow.plan(quiet, end)).toEqual({ kind: 'step', step });
    const taken = flow.apply(quiet, step, { kind: 'slot', waitMs: 0 }, end).data;
    const publish = { kind: 'publish-home', plannedAt: end } as const;
    expect(flow.plan(taken, end)).toEqual({ kind: 'step', step: publish });
    const { data } = flow.apply(taken, publish, { kind: 'done', routes: [] }, end);
    expect(flow.plan(data, end)).toEqual({ kind: 'finish', keepMs: 0 });
  });

  test('that gets no rate-limit slot asks again later, and does not keep the late one', () => {
    const step = { kind: 'take-home-slot' } as const;
    const { data } = flow.apply(
      homeWith({ wantedAt: NOW }),
      step,
      { kind: 'slot', waitMs: 400 },
      NOW,
    );
    expect(data).not.toHaveProperty('slot');
    expect(flow.plan(data, NOW + 6_000)).toEqual({ kind: 'step', step });
  });

  test('is updated one second after a press, when the result is likely to be known', () => {
    const signal = { id: 's', at: NOW, body: JSON.stringify({ kind: 'pressed' }) };
    const { data } = flow.receive(homeWith(), signal, NOW);
    expect(flow.plan(data, NOW)).toMatchObject({ kind: 'wait', until: NOW + 1_000 });
    expect(flow.plan(data, NOW + 1_000)).toMatchObject({ step: { kind: 'publish-home' } });
  });

  test('does not say that Gatepost keeps trying when it has given up', async () => {
    const step = { kind: 'publish-home', plannedAt: NOW } as const;
    const publishedAfter = async (status: number, tries?: number) => {
      const kind = status === 500 ? 'ambiguous' : 'refused';
      const { core, published } = withoutSlack({ class: kind, code: `http_${status}`, status });
      const home = homeWith({ wantedAt: NOW, isAwaited: true, ...(tries && { tries }) });
      const { execute, apply } = createHomeFlow(core);
      const result = await execute(home, step, '0-home');
      const isOver = apply(home, step, result, NOW).data.wantedAt === undefined;
      return { isOver, said: published.join('|') };
    };
    const trying = { isOver: false, said: expect.stringMatching(/keeps trying/) };
    const over = { isOver: true, said: expect.stringMatching(/Press Refresh in a minute/) };
    expect(await publishedAfter(500)).toEqual(trying);
    expect(await publishedAfter(500, 2)).toEqual({ isOver: false, said: '' });
    expect(await publishedAfter(500, 5)).toEqual(over);
    expect(await publishedAfter(403)).toEqual(over);
  });
});

describe('a press on the Home tab', () => {
  const choice = { route: 'production', pages: {} };
  const core = (store: Partial<Store>) => {
    let ids = 0;
    return coreWith({
      timing: TRUE_TIME,
      store: fake<Store>({ now: () => NOW, ...store }),
      reconciler: { hasRoom: false, run: async () => {} },
      random: { uuid: () => `uuid-${++ids}`, fraction: () => 0 } as Core['random'],
    });
  };

  test('opens the tab again with the same filters if its record has expired', async () => {
    const created: NewRecord[] = [];
    const store = {
      find: async () => undefined,
      create: async (record: NewRecord) => {
        created.push(record);
        return { kind: 'created', id: '0-home', now: NOW } as const;
      },
    };
    await pressedAtHome(core(store), 'U0ANA', choice);
    expect(created.map(({ data }) => JSON.parse(data))).toMatchObject([{ user: 'U0ANA', choice }]);
  });

  test('is a new signal, not a repeat of one that is being published', async () => {
    const ids: string[] = [];
    const store = {
      find: async () =>
        fake<NonNullable<Awaited<ReturnType<Store['find']>>>>({ kind: 'home', id: '0-home' }),
      signal: async (_: string, { id }: { id: string }): Promise<Signalled> => {
        ids.push(id);
        return { kind: 'queued' };
      },
    };
    const one = core(store);
    await pressedAtHome(one, 'U0ANA', choice);
    await pressedAtHome(one, 'U0ANA', choice);
    expect(new Set(ids).size).toBe(2);
  });
});

test('a request whose state becomes unknown changes the Home tab', () => {
  const before = approvalWith();
  const watch = { ...before.watch, state: 'unknown' } as const;
  expect(changesHomeTab(before, { ...before, watch })).toBe(true);
  expect(changesHomeTab(before, { ...before, createdAt: NOW + 1 })).toBe(false);
});

test('a reported result changes the Home tab', () => {
  const before = approvalWith();
  const result = { reports: [{ state: 'running', at: NOW }] } as const;
  expect(changesHomeTab(before, { ...before, result })).toBe(true);
  expect(changesHomeTab({ ...before, result }, { ...before, result })).toBe(false);
});

test('an escalation changes the Home tab, and a reminder does not', () => {
  const before = approvalWith();
  const withReply = (name: string) => {
    const reply = { name, channel: 'C0PROD', ts: '18.1' };
    return { ...before, posts: [...before.posts, reply] };
  };
  expect(changesHomeTab(before, withReply('escalation-1'))).toBe(true);
  expect(changesHomeTab(before, withReply('reminder-1'))).toBe(false);
});
