import { describe, expect, it } from 'vitest';
import { type WorkNeeds, work } from '../../../src/core/engine/lease-session.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { askAgain, askOnce, findOwn } from '../../../src/operations/flow/ask.ts';
import {
  decodeOperation,
  encodeOperation,
  type Operation,
  type OperationRecord,
  type Reporting,
  stateOf,
} from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { stateText } from '../../../src/operations/flow/report.ts';
import type { Rules } from '../../../src/operations/flow/rules.ts';
import { allowed, firstPhase } from '../../../src/operations/flow/sending.ts';
import { MOVE_RULES } from '../../../src/operations/tasks/move.ts';
import { openMemoryWorld } from '../../core/store/memory-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

/** A bell that is rung once; nothing shows whether it rang. */
interface BellTypes {
  readonly wish: { readonly bell: string };
  readonly answer: { readonly kind: 'rung' };
  readonly reading: never;
  readonly why: never;
  readonly outcome: { readonly code: 'rung' };
  readonly refusal: never;
}

type Bell = OperationRecord<BellTypes>;

const BELL: Rules<BellTypes> = {
  kind: 'bell',
  audit: 'bells',
  factsOf: ({ bell }) => ({ bell }),
  outcomeFacts: () => ({}),
  confirms: () => true,
  isDoneOnce: true,
  verdict: (_, { kind }) => ({ kind: 'done', outcome: { code: kind } }),
  isSuccess: ({ code }) => code === 'rung',
  settling: new Set(['rung']),
  repeatable: new Set(['unknown', 'busy']),
};

const NOW = 1_000_000;
const RUNG = { phase: { name: 'done' }, outcome: { code: 'rung' } } as const;
const UNKNOWN = { phase: { name: 'done' }, outcome: { code: 'unknown' } } as const;

function bellWith(change: Partial<Bell> = {}): Bell {
  return {
    v: 1,
    by: 'U0ANA',
    channel: 'C0',
    wish: { bell: 'hall' },
    announce: true,
    run: 0,
    createdAt: NOW,
    phase: firstPhase(0),
    posts: [],
    ...change,
  };
}

function flowWith(change: Partial<Operation<BellTypes>> = {}) {
  return createOperationFlow<BellTypes>(
    {
      rules: BELL,
      authorize: async () => ({ kind: 'allowed' }),
      send: async () => ({ kind: 'rung' }),
      keepMs: 1,
      ...change,
    },
    TRUE_TIME,
  );
}

const reporting = (change: Partial<Reporting<BellTypes>> = {}): Reporting<BellTypes> => ({
  core: coreWith({}),
  view: unused,
  message: unused,
  ...change,
});
const announcement = () => ({ text: 'Rung', blocks: [] });

it('an operation stored in an unknown format is an error', () => {
  expect(() => decodeOperation(MOVE_RULES, '{"v":2}')).toThrow(
    'a record of kind move is stored in an unknown format',
  );
});

it('an operation is read as it was stored', () => {
  const flow = flowWith();
  expect(flow.decode(flow.encode(bellWith()), null)).toEqual(bellWith());
});

describe('an operation that is sent', () => {
  const step = { kind: 'send', plannedAt: NOW } as const;
  const ready = bellWith({ phase: allowed(firstPhase(0), NOW) });

  it('is saved before, within the deadline of a step, and ends with the answer', async () => {
    const sent: unknown[] = [];
    const flow = flowWith({
      async send(wish, limits) {
        sent.push(wish, limits);
        return { kind: 'rung' };
      },
    });
    const marked = flow.markAttempt(ready, step, NOW);
    expect(marked).toMatchObject({ data: { phase: { name: 'sending' } }, durable: true });
    const begun = marked?.data ?? ready;
    const result = await flow.execute(begun, step, '0-a');
    expect(sent).toEqual([{ bell: 'hall' }, { deadlineMs: TRUE_TIME.stepMs }]);
    expect(flow.apply(begun, step, result, NOW).data).toMatchObject(RUNG);
  });

  it('is not sent without a key', async () => {
    const flow = flowWith({ send: null });
    const begun = flow.markAttempt(ready, step, NOW)?.data ?? ready;
    const result = await flow.execute(begun, step, '0-a');
    expect(flow.apply(begun, step, result, NOW).data.outcome).toEqual({ code: 'no-key' });
  });
});

it('a call whose answer is lost, and whose note the store lost, is not made a second time', async () => {
  const { memory, stores, pass } = await openMemoryWorld();
  const [store] = stores;
  const data = encodeOperation(bellWith({ silent: true }));
  const kept = { kind: 'bell', data, lane: 'people', dueInMs: 0, place: null } as const;
  const created = await store.create(kept, { hold: true });
  if (created.kind !== 'created' || !created.held) throw new Error('it exists');
  const before = memory.snapshot();
  let sent = 0;
  const flow = flowWith({
    keepMs: 60_000,
    async send() {
      sent += 1;
      memory.restore(before);
      throw new RemoteFailure('ring', { class: 'ambiguous', code: 'timeout' });
    },
  });
  const needs: WorkNeeds = {
    store,
    monotonic: () => store.now(),
    sleep: async () => {},
    newId: () => 'late',
    timing: TRUE_TIME,
    onStep() {},
    onVanished: unused,
  };
  await work(created.held, flow, needs);
  await pass(TRUE_TIME.leaseMs);
  for (const held of (await store.claim('people', 1)).held) await work(held, flow, needs);
  const { data: end = '' } = (await store.read(created.id)) ?? {};
  expect(JSON.parse(end)).toMatchObject({ ...UNKNOWN, unconfirmed: { lost: 1 } });
  expect(sent).toBe(1);
});

it('administrators are alerted once for each run that ends so', async () => {
  let raised = 0;
  const raise = async () => {
    raised += 1;
  };
  const flow = flowWith({ alert: { code: 'unknown', raise } });
  const silent = bellWith({ ...UNKNOWN, silent: true });
  const step = { kind: 'alert' } as const;
  expect(flow.plan(silent, NOW)).toEqual({ kind: 'step', step });
  const alerted = flow.apply(silent, step, await flow.execute(silent, step, '0-a'), NOW).data;
  expect(raised).toBe(1);
  expect(flow.plan(alerted, NOW)).toMatchObject({ kind: 'finish' });
  expect(flow.plan({ ...silent, ...RUNG }, NOW)).toMatchObject({ kind: 'finish' });
  const again = { id: 's', at: NOW, body: encodeSignal({ kind: 'again', run: 0 }) };
  expect(flow.receive(alerted, again, NOW).data).not.toHaveProperty('alerted');
});

describe('suggestions for the next time', () => {
  const step = { kind: 'remember' } as const;
  const rung = bellWith({ ...RUNG, silent: true });

  it('are stored once', async () => {
    const stored: Bell[] = [];
    const flow = flowWith({ remember: async (progress) => void stored.push(progress as Bell) });
    expect(flow.plan(rung, NOW)).toEqual({ kind: 'step', step });
    const { data } = flow.apply(rung, step, await flow.execute(rung, step, '0-a'), NOW);
    expect(stored).toEqual([rung]);
    expect(flow.plan(data, NOW)).toMatchObject({ kind: 'finish' });
  });

  it('are tried again later if the store is away', async () => {
    const away = new StoreError('unavailable', 'the store is away');
    const flow = flowWith({ remember: () => Promise.reject(away) });
    const { data } = flow.apply(rung, step, await flow.execute(rung, step, '0-a'), NOW);
    expect(flow.plan(data, NOW)).toMatchObject({ kind: 'wait', until: NOW + 5_000 });
    expect(flow.plan(data, NOW + 5_000)).toEqual({ kind: 'step', step });
  });
});

it.each<[string, Partial<Bell>, Partial<Reporting<BellTypes>>, object]>([
  ['is announced first', {}, { announcement }, { step: { post: 'announcement' } }],
  ['is only told to the person where nothing is announced', {}, {}, { step: { post: 'result' } }],
  [
    'is only told to the person who wants no announcement',
    { announce: false },
    { announcement, announcesAll: true },
    { step: { post: 'result' } },
  ],
  [
    'is told to the person, too, once it is announced',
    { posts: [{ name: 'announcement', channel: 'C0', ts: '1.1' }] },
    { announcement },
    { step: { post: 'result' } },
  ],
  [
    'is told once by an announcement that says everything',
    { posts: [{ name: 'announcement', channel: 'C0', ts: '1.1' }] },
    { announcement, announcesAll: true },
    { kind: 'finish' },
  ],
  [
    'is told to the person, too, if an earlier call may have done it twice',
    {
      posts: [{ name: 'announcement', channel: 'C0', ts: '1.1' }],
      unconfirmed: { quietAt: 0, lost: 1, hasEnded: true },
    },
    { announcement, announcesAll: true },
    { step: { post: 'result' } },
  ],
  [
    'is told to the person, too, if it is announced elsewhere',
    {
      announceIn: { channel: 'C0QA' },
      posts: [{ name: 'announcement', channel: 'C0QA', ts: '1.1' }],
    },
    { announcement, announcesAll: true },
    { step: { post: 'result' } },
  ],
])('an operation that succeeded %s', (_, change, report, next) => {
  const flow = flowWith({ report: reporting(report) });
  expect(flow.plan(bellWith({ ...RUNG, ...change }), NOW)).toMatchObject(next);
});

it('the log names the outcome of an operation whose record is gone', () => {
  const flow = flowWith({ report: reporting() });
  const rung = bellWith(RUNG);
  expect(flow.lastWord?.(rung, rung, '0-a', NOW).facts).toEqual({ outcome: 'rung' });
});

it('a signal that only wakes an operation changes nothing', () => {
  const bell = bellWith();
  const signal = { id: 's', at: NOW, body: encodeSignal({ kind: 'go-on' }) };
  expect(flowWith().receive(bell, signal, NOW)).toEqual({ data: bell });
});

describe('a request for an operation', () => {
  const ask = {
    by: 'U0ANA',
    channel: 'C0',
    wish: { bell: 'hall' },
    announce: true,
    key: 'press-1',
  } as const;

  /** A store that keeps records, and notes what it is given. */
  async function stage() {
    const audits: unknown[] = [];
    const signals: unknown[] = [];
    const { stores } = await openMemoryWorld();
    const [memory] = stores;
    const store = fake<Store>({
      now: () => memory.now(),
      read: (id) => memory.read(id),
      create(record, options) {
        audits.push(record.audit);
        return memory.create(record, options);
      },
      signal(id, signal, options) {
        signals.push({ id: signal.id, ...JSON.parse(signal.body), once: options?.once });
        return memory.signal(id, signal, options);
      },
    });
    return {
      memory,
      core: coreWith({ store, reconciler: { hasRoom: false, run: async () => {} } }),
      audits,
      signals,
    };
  }

  it('is in the audit log, and its modal shows its state already', async () => {
    const { core, audits } = await stage();
    const { record } = await askOnce(core, BELL, { ...ask, modal: 'V1', delivery: 'd1' });
    expect(audits).toEqual([
      [{ action: 'bells.asked', record: null, actor: 'U0ANA', facts: { bell: 'hall' } }],
    ]);
    expect(record).toMatchObject({ posts: [], run: 0, shown: stateText(stateOf(record)) });
  });

  it('that is delivered again is shown again only in a modal', async () => {
    const { core, signals } = await stage();
    const first = await askOnce(core, BELL, { ...ask, delivery: 'd1' });
    const again = await askOnce(core, BELL, { ...ask, delivery: 'd2' });
    expect(again.id).toBe(first.id);
    await again.carryOn();
    expect(signals).toEqual([]);
    const modal = { ...ask, key: 'press-2', modal: 'V1' };
    await askOnce(core, BELL, { ...modal, delivery: 'd1' });
    await (await askOnce(core, BELL, { ...modal, delivery: 'd2' })).carryOn();
    expect(signals).toEqual([{ id: 'd2', kind: 'covered', once: false }]);
  });

  it('is found by its author alone, among its kind', async () => {
    const { core } = await stage();
    const { id } = await askOnce(core, BELL, { ...ask, delivery: 'd1' });
    const foundBy = (user: string, rules = BELL) => findOwn(core.store, rules, id, user);
    expect(await foundBy('U0ANA')).toMatchObject({ kind: 'found', id });
    expect(await foundBy('U0BEN')).toEqual({ kind: 'not-theirs' });
    expect(await foundBy('U0ANA', { ...BELL, kind: 'horn' })).toEqual({ kind: 'gone' });
  });

  it('is repeated by a press that the store remembers, so that Slack can deliver it again', async () => {
    const { core, memory, signals } = await stage();
    const data = encodeOperation(bellWith(UNKNOWN));
    const created = await memory.create(
      { kind: 'bell', data, lane: 'people', dueInMs: 0, place: null },
      { hold: false },
    );
    if (created.kind !== 'created') throw new Error('it exists');
    const press = { value: `${created.id} 0`, press: 'p1', user: 'U0ANA' };
    const shows = { result: unused, absent: unused };
    expect(await askAgain(core, BELL, press, shows)).toBeUndefined();
    expect(signals).toEqual([{ id: 'p1', kind: 'again', run: 0, once: true }]);
  });
});

function unused(): never {
  throw new Error('nothing is shown');
}
