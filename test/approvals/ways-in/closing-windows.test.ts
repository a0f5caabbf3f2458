import { describe, expect, test } from 'vitest';
import { APPROVAL_KIND, placeOf } from '../../../src/approvals/approval.ts';
import { listsOf } from '../../../src/approvals/decision/lists-of.ts';
import {
  type Closing,
  closingKey,
  closingRecord,
  decodeClosing,
  encodeClosing,
  overClosing,
  readClosing,
  receiveClosing,
  withWindow,
} from '../../../src/approvals/electorate/closing.ts';
import { encodeApproval } from '../../../src/approvals/stored-approval.ts';
import {
  createClosingFlow,
  lookAtWindows,
} from '../../../src/approvals/ways-in/closing/closing-flow.ts';
import { storeClosing } from '../../../src/approvals/ways-in/closing/store-closing.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { openMemoryWorld } from '../../core/store/memory-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { approvalWith, routeWith } from '../approvals.ts';

const HOUR = 3_600_000;

async function stageOf() {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  let ids = 0;
  const config = { routes: [routeWith()] };
  const core = coreWith({
    ...{ store, timing: TRUE_TIME, timers: systemTimers, config },
    random: { uuid: () => `${++ids}`, fraction: () => 0, bytes: (n: number) => Buffer.alloc(n) },
    reconciler: { hasRoom: false, run: async () => {} },
  });
  const closing = async () => {
    const record = await store.find(closingKey('production'));
    return record && decodeClosing(record.data);
  };
  return { world, store, core, config, closing, flow: createClosingFlow(core) };
}

test('a time of the file has a record from the start, once', async () => {
  const { world, store, core, config, closing } = await stageOf();
  await lookAtWindows(core);
  expect(await closing()).toBeUndefined();
  const window = { from: store.now() + HOUR, until: store.now() + 2 * HOUR, why: 'Freeze' };
  config.routes[0] = routeWith({ closed: [window] });
  await lookAtWindows(core);
  const first = await closing();
  expect(first).toMatchObject({ route: 'production', notices: [] });
  await lookAtWindows(core);
  expect(await closing()).toEqual(first);
  await world[Symbol.asyncDispose]();
});

test('a time of the file is announced and noted when it begins, when it ends, and when the file is changed', async () => {
  const { world, store, core, config, closing, flow } = await stageOf();
  const window = { from: store.now() + HOUR, until: store.now() + 2 * HOUR, why: 'Freeze' };
  config.routes[0] = routeWith({ closed: [window] });
  await lookAtWindows(core);
  const before = await closing();
  if (before === undefined) throw new Error('there is a record');
  expect(flow.plan(before, store.now())).toEqual({
    kind: 'wait',
    until: window.from,
    lane: 'people',
  });
  const step = { kind: 'note-window' } as const;
  expect(flow.plan(before, window.from)).toMatchObject({ kind: 'step', step });
  const begun = flow.apply(before, step, { kind: 'ended' }, window.from);
  expect(begun.audit).toMatchObject([{ action: 'approvals.closed', actor: 'gatepost' }]);
  expect(begun.data).toMatchObject({
    window: { until: window.until, why: 'Freeze' },
    changedAt: window.from,
    notices: [{ kind: 'closed', by: 'gatepost', why: 'Freeze' }],
  });
  // Once.
  expect(flow.apply(begun.data, step, { kind: 'ended' }, window.from)).toEqual({
    data: begun.data,
  });
  const over = flow.apply(begun.data, step, { kind: 'ended' }, window.until);
  expect(over.audit).toMatchObject([{ action: 'approvals.opened', actor: 'gatepost' }]);
  expect(over.data.window).toBeUndefined();
  config.routes[0] = routeWith();
  const removed = flow.plan(begun.data, window.from + 1);
  expect(removed).toMatchObject({ kind: 'step', step });
  await world[Symbol.asyncDispose]();
});

test('a command that is delivered again after the route was opened closes nothing', async () => {
  const { world, store, core, closing, flow } = await stageOf();
  const close = { kind: 'close', by: 'U0ANA', until: store.now() + HOUR, why: 'Freeze' } as const;
  await storeClosing(core, 'production', 'c', { ...close, channels: [] });
  await storeClosing(core, 'production', 'o', { kind: 'open', by: 'U0ANA', channels: [] });
  const [held] = (await store.claim('people', 1)).held;
  const opened = await closing();
  if (held === undefined || opened === undefined) throw new Error('there is a record');
  const telling = flow.plan(opened, store.now());
  if (telling.kind !== 'step') throw new Error(`${telling.kind} instead of the telling`);
  const told = await flow.execute(opened, telling.step, held.record.id);
  const { data } = flow.apply(opened, telling.step, told, store.now());
  const next = flow.plan(data, store.now());
  if (next.kind !== 'finish') throw new Error(`${next.kind} instead of the end`);
  const end = { handled: [], place: null, audit: [], next };
  await store.save(held.lease, { ...end, data: encodeClosing(data) });
  await storeClosing(core, 'production', 'c', { ...close, channels: [] });
  expect(await readClosing(store, 'production')).toBeUndefined();
  await storeClosing(core, 'production', 'c2', { ...close, channels: [] });
  expect(await readClosing(store, 'production')).toMatchObject({ why: 'Freeze' });
  await world[Symbol.asyncDispose]();
});

test('open requests are told page by page, and again if one was missed', async () => {
  const { world, store, flow } = await stageOf();
  for (let at = 0; at < 60; at += 1) {
    const approval = approvalWith({ title: `Deploy ${at}` });
    const [data, place, lists] = [encodeApproval(approval), placeOf(approval), listsOf(approval)];
    const due = { lane: 'background', dueInMs: HOUR } as const;
    await store.create({ kind: APPROVAL_KIND, data, ...due, place, lists }, { hold: false });
  }
  const now = store.now();
  const stepped = async (closing: Closing, at = now) => {
    const next = flow.plan(closing, at);
    if (next.kind !== 'step') throw new Error(`there is a step: ${JSON.stringify(next)}`);
    expect(next.step.kind).toBe('tell-requests');
    return flow.apply(closing, next.step, await flow.execute(closing, next.step, '0-c'), at).data;
  };
  const close = { kind: 'close', by: 'U0ANA', until: now + HOUR, why: 'Freeze' } as const;
  const { data } = closingRecord('production', 'c', { ...close, channels: [] }, now);
  const first = await stepped(decodeClosing(data));
  expect(first.after).toEqual(expect.any(String));
  const whole = await stepped(first);
  for (const gone of ['after', 'changedAt']) expect(whole).not.toHaveProperty(gone);
  const missed = await stepped({ ...first, hasMissed: true });
  for (const gone of ['after', 'hasMissed']) expect(missed).not.toHaveProperty(gone);
  expect(flow.plan(missed, now)).toMatchObject({ kind: 'wait', until: now + 5_000 });
  expect((await stepped(missed, now + 5_000)).after).toEqual(first.after);
  const { held } = await store.claim('people', 100);
  const at = first.changedAt;
  const [id, body] = [`closing.0-c.${at}`, `{"kind":"closing","changedAt":${at}}`];
  for (const { inbox } of held) expect(inbox).toMatchObject([{ id, body }]);
  expect(held).toHaveLength(60);
  await world[Symbol.asyncDispose]();
});

// The store went back in between, and with it the count: what the first one posted says another time.
test('two commands after the same state of a route do not take the announcement of the other for their own', () => {
  const close = { kind: 'close', by: 'U0ANA', until: HOUR, why: 'Freeze', channels: [] } as const;
  const closing = decodeClosing(closingRecord('production', 'c', close, 0).data);
  const named = (at: number) => {
    const later = { ...close, until: 2 * HOUR, channels: ['C0PROD'] };
    return receiveClosing(closing, { id: 's', at }, later).data.notices.map(
      ({ post }) => post.name,
    );
  };
  expect(named(1)).toHaveLength(1);
  expect(named(2)).not.toEqual(named(1));
  expect(named(1), 'the same command').toEqual(named(1));
  // Whichever process notices it first.
  const over = (at: number) => overClosing(closing, ['C0PROD'], at).data.notices[0]?.post.name;
  expect(over(HOUR)).toMatch(/^over-/);
  expect(over(HOUR + 7)).toBe(over(HOUR));
});

describe('the audit entry of what ends', () => {
  const people = { kind: 'close', by: 'U0ANA', why: 'Freeze', channels: [] } as const;
  const closedUntil = (until: number, more: Partial<Closing> = {}): Closing => ({
    ...decodeClosing(closingRecord('production', 'c', { ...people, until }, 0).data),
    ...more,
  });
  const window = { until: 2 * HOUR, why: 'Holidays' };
  const facts = ({ audit }: ReturnType<typeof receiveClosing>) => audit?.map((each) => each.facts);
  const STILL = { route: 'production', still: new Date(2 * HOUR).toISOString() };

  test('says until when a time of the file keeps the route closed', () => {
    const opens = { kind: 'open', by: 'U0ANA', channels: [] } as const;
    const signal = { id: 'o', at: 1 };
    expect(facts(receiveClosing(closedUntil(HOUR, { window }), signal, opens))).toEqual([STILL]);
    expect(facts(overClosing(closedUntil(HOUR, { window }), [], HOUR))).toEqual([STILL]);
    expect(facts(overClosing(closedUntil(HOUR), [], HOUR))).toEqual([{ route: 'production' }]);
  });

  test('says until when people keep it closed', () => {
    const over = { until: HOUR, why: 'Holidays' };
    const closing = closedUntil(2 * HOUR, { window: over });
    expect(facts(withWindow(closing, undefined, [], HOUR))).toEqual([STILL]);
    const ended = closedUntil(1, { window: over });
    expect(facts(withWindow(ended, undefined, [], HOUR))).toEqual([{ route: 'production' }]);
  });
});
