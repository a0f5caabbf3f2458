import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../src/approvals/approval-flow.ts';
import { authorityOf } from '../../src/approvals/decision/authority.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { statusOf } from '../../src/approvals/decision/status.ts';
import { learnOutcome, owe } from '../../src/approvals/decision/transitions.ts';
import { markAttempt, type StepResult } from '../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import type { ApprovalRequest } from '../../src/approvals/ways-in/approval-request.ts';
import { isSameRequest, newApproval } from '../../src/approvals/ways-in/ask-approval.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Post } from '../../src/core/posts/post.ts';
import type { Store } from '../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import {
  applied,
  applyResult,
  approvalWith,
  DECIDING,
  inWords,
  NO_STEPS,
  NOW,
  plan,
  received,
  termsWith,
} from './approvals.ts';

const DAY = 86_400_000;

const source = {
  id: 'deploys',
  auth: { kind: 'bearer' } as const,
  secrets: ['s'],
  routes: ['production'],
  channels: [],
  kinds: ['gate' as const],
};

async function asked(request: Partial<ApprovalRequest>): Promise<Approval> {
  const needs = coreWith({
    timers: systemTimers,
    box: NO_BOX,
    store: fake<Store>({ now: () => NOW }),
    timing: TRUE_TIME,
  });
  const where = { route: 'production', channel: 'C0PROD' };
  return newApproval(needs, source, where, { key: 'checkout/4711', title: 'Deploy', ...request });
}

function gateWith(change: Partial<Approval> = {}): Approval {
  const { token, ...approval } = approvalWith(change);
  const watch = { state: 'pending', nextAt: NOW + DAY } as const;
  return { ...approval, key: 'checkout/4711', expiresAt: NOW + DAY, watch, ...change };
}

/** No part of the service can be called. */
const own = authorityOf({} as Parameters<typeof authorityOf>[0], { key: 'k' });

describe('an own gate', () => {
  test('has no token, expires after a day by default, and is posted at once', async () => {
    const gate = await asked({});
    expect(gate).not.toHaveProperty('token');
    expect(gate).toMatchObject({ key: 'checkout/4711', expiresAt: NOW + DAY });
    expect(plan(gate, termsWith(), NOW)).toMatchObject({ step: { kind: 'find-absent' } });
    const known = { ...gate, absent: { at: NOW } };
    expect(plan(known, termsWith(), NOW)).toMatchObject({ step: { kind: 'take-slot' } });
    const expiresAt = new Date(NOW + 60_000).toISOString();
    expect((await asked({ expiresAt })).expiresAt).toBe(NOW + 60_000);
  });

  test('is posted at any age before its deadline', () => {
    const posts = [{ name: 'message', channel: 'C0PROD' }];
    const gate = gateWith({ createdAt: NOW - 20 * DAY, posts, absent: { at: NOW } });
    expect(plan(gate, termsWith(), NOW)).toMatchObject({ step: { kind: 'take-slot' } });
    const token = approvalWith({ createdAt: NOW - 20 * DAY, posts, absent: { at: NOW } });
    expect(plan(token, termsWith(), NOW)).not.toMatchObject({ step: { kind: 'take-slot' } });
  });

  test('waits for its deadline without polling', () => {
    const gate = gateWith({ createdAt: NOW - 20 * DAY });
    const rests = { ...gate, shown: stateKey(messageStateOf(gate, termsWith(), NOW)) };
    expect(plan(rests, termsWith(), NOW)).toEqual({
      kind: 'wait',
      until: NOW + DAY,
      lane: 'people',
    });
    expect(plan(rests, termsWith(), NOW + DAY)).toMatchObject({ step: { kind: 'read-status' } });
  });

  test('is PENDING until its deadline, and then TIMED_OUT', async () => {
    const ask = { deadlineMs: 1_000, isPoll: true };
    const gate = gateWith();
    const before = await own.read(gate, { ...ask, plannedAt: NOW + DAY - 1 });
    expect(before).toMatchObject({ answer: { status: 'PENDING' } });
    const resolvedAt = new Date(NOW + DAY).toISOString();
    const answer = { status: 'TIMED_OUT', resolvedAt };
    expect(await own.read(gate, { ...ask, plannedAt: NOW + DAY })).toMatchObject({ answer });
    const late = await own.respond(gate, { action: 'approve' }, { plannedAt: NOW + DAY });
    expect(late).toMatchObject({ answer });
  });

  test('is decided with certainty, without a marked attempt, because nothing outside changes', async () => {
    const phase = { name: 'send', askedAt: NOW, sends: DECIDING.phase.sends } as const;
    const ballots = [{ user: 'U0BEN', action: 'approve', at: NOW } as const];
    const gate = gateWith({ decision: { ...DECIDING, phase }, ballots });
    const step = { kind: 'respond', plannedAt: NOW } as const;
    expect(markAttempt(gate, step, TRUE_TIME, NOW)).toBeUndefined();
    const end = await own.respond(gate, { action: 'approve' }, step);
    const data = applied(gate, step, { kind: 'responded', end });
    expect(data.decision).toBeUndefined();
    expect(data.outcome).toEqual({
      status: 'APPROVED',
      resolvedAt: new Date(NOW).toISOString(),
      credit: 'certain',
      by: ['U0BEN'],
      learnedAt: NOW,
    });
    const again = learnOutcome(
      data,
      { status: 'REJECTED', resolvedAt: null, how: 'confirmed' },
      NOW,
    );
    expect(again.data).toBe(data);
  });

  test('whose outcome the store may have lost is read from its message first', () => {
    const terms = { ...termsWith(), servingSince: NOW + 1 };
    const gate = gateWith();
    expect(plan(gate, terms, NOW + 2)).toEqual({ kind: 'step', step: { kind: 'recall' } });
    const named = { status: 'REJECTED', credit: 'certain', by: ['U0ANA'] } as const;
    const step = { kind: 'recall' } as const;
    const told = applyResult(
      gate,
      step,
      { kind: 'recalled', named, isShown: true },
      terms,
      NOW + 2,
    );
    expect(told.data.outcome).toMatchObject(named);
    expect(told.audit).toMatchObject([{ actor: 'U0ANA', facts: { readFrom: 'message' } }]);
    const silent = applyResult(
      gate,
      step,
      { kind: 'recalled', named: null, isShown: false },
      terms,
      NOW + 2,
    ).data;
    expect(silent.outcome).toBeUndefined();
    expect(plan(silent, terms, NOW + 2)).toMatchObject({ step: { kind: 'update' } });
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const failed = applyResult(gate, step, { kind: 'failed', failure }, terms, NOW + 2).data;
    expect(failed.watch.checkedAt).toBeUndefined();
    const click = {
      id: 'c',
      user: 'U0ANA',
      channel: 'C0PROD',
      at: NOW,
      action: 'approve',
    } as const;
    const pressed = { ...failed, queue: [click] };
    expect(plan(pressed, terms, NOW + 3).kind, 'nobody decides before that').toBe('wait');
  });
});

test('an own gate is withdrawn only after its message was read for an outcome that the store may have lost', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const signal = { id: 'w', at: NOW + 2, body: encodeSignal({ kind: 'withdraw' }) };
  const gate = received(gateWith(), signal, terms);
  expect(statusOf(gate)).toBe('UNKNOWN');
  expect(plan(gate, terms, NOW + 2)).toEqual({ kind: 'step', step: { kind: 'recall' } });
  // Also by a replica that has served since before the request.
  expect(plan(gate, termsWith(), NOW + 2)).toEqual({ kind: 'step', step: { kind: 'recall' } });
  const step = { kind: 'recall' } as const;
  const named = { status: 'REJECTED', credit: 'certain', by: ['U0ANA'] } as const;
  const afterRecall = (found: typeof named | null) => {
    const result = { kind: 'recalled', named: found, isShown: found !== null } as const;
    return applyResult(gate, step, result, terms, NOW + 3).data;
  };
  expect(statusOf(afterRecall(named))).toBe('REJECTED');
  expect(statusOf(afterRecall(null))).toBe('WITHDRAWN');
  expect(statusOf(received(gateWith(), signal))).toBe('WITHDRAWN');
  const unposted = gateWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
  // Its post may be forgotten, too: it is searched for, also by a process that does not know that.
  const unsought = received(unposted, signal, terms);
  expect(statusOf(unsought)).toBe('UNKNOWN');
  const find = {
    kind: 'find-post',
    post: 'message',
    channel: 'C0PROD',
    plannedAt: NOW + 3,
  } as const;
  expect(plan(unsought, termsWith(), NOW + 3)).toEqual({ kind: 'step', step: find });
  const sought = applyResult(unsought, find, { kind: 'not-found' }, terms, NOW + 3).data;
  expect(statusOf(sought)).toBe('WITHDRAWN');
  expect(statusOf(received(unposted, signal))).toBe('WITHDRAWN');
});

test('its requester is told that an own gate is withdrawn, or decided, once its message was read', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const asker = { user: 'U0CLEO', channel: 'D0CLEO' };
  const body = encodeSignal({ kind: 'withdraw', asker });
  const gate = received(gateWith(), { id: 'w', at: NOW + 2, body }, terms);
  expect(gate.replies).toEqual([]);
  const named = { status: 'REJECTED', credit: 'certain', by: ['U0ANA'] } as const;
  const said = (found: typeof named | null) => {
    const result = { kind: 'recalled', named: found, isShown: found !== null } as const;
    const { replies, watch } = applied(gate, { kind: 'recall' }, result, NOW + 3, terms);
    expect(watch.askers).toBeUndefined();
    return replies.map(({ user, text }) => `${user}: ${text}`);
  };
  expect(said(null)).toEqual(['U0CLEO: <request> was withdrawn. No decision is needed.']);
  expect(said(named)).toEqual([expect.stringMatching(/^U0CLEO: .*ejected/)]);
});

test('an own gate is neither decided nor ended while a post that the store may have lost is searched for', () => {
  const terms = { ...termsWith(), servingSince: NOW + 60_000 };
  const now = NOW + 120_000;
  const click = { id: 'c', user: 'U0BEN', channel: 'C0PROD', at: now, action: 'reject' } as const;
  const post = { name: 'message', channel: 'C0PROD', notBefore: now + 10_000 };
  const pressed = (change: Partial<Post>) =>
    plan(gateWith({ posts: [{ ...post, ...change }], queue: [click] }), terms, now);
  expect(pressed({ seeks: 1 })).toMatchObject({ kind: 'wait', until: now + 10_000 });
  expect(pressed({ soughtAt: now })).toMatchObject({ step: { kind: 'authorize' } });
  const attempt = { plannedAt: now, mustEndBy: now + 5_000 };
  for (const mayStand of [{ attempt }, { ts: '17.1' }]) {
    const next = pressed({ soughtAt: now, ...mayStand });
    expect(next).not.toMatchObject({ step: { kind: 'authorize' } });
  }
  // A message that was posted after the search, and cannot be read now.
  const { notBefore, ...posted } = { ...post, soughtAt: now, ts: '17.1' };
  const unread = gateWith({ posts: [posted], queue: [click], update: { notBefore } });
  expect(plan(unread, terms, now)).toMatchObject({ kind: 'wait', until: notBefore });
  expect(pressed({ failed: 'message_not_found' })).toMatchObject({ step: { kind: 'authorize' } });
  expect(pressed({ refused: 'not_in_channel' })).toMatchObject({ step: { kind: 'authorize' } });
  const watch = { state: 'pending', nextAt: now - 10_000 } as const;
  const over = (change: Partial<Post>) => {
    const posts = [{ ...post, ...change }];
    return plan(gateWith({ expiresAt: now - 10_000, watch, posts }), terms, now);
  };
  expect(over({ seeks: 1 })).toMatchObject({ kind: 'wait', until: now + 10_000 });
  expect(over({ refused: 'not_in_channel' })).toMatchObject({ step: { kind: 'read-status' } });
});

test('nobody is reminded of an own gate that its message may already call decided', () => {
  const now = NOW + 120_000;
  const remind = { afterMs: 60_000, times: 3 };
  const terms = { ...termsWith({ remind }), servingSince: NOW + 30_000, asOf: now };
  const gate = gateWith({
    ...{ absent: { at: NOW + 110_000 }, counted: { at: now }, closing: { readAt: now } },
    update: { notBefore: now + 30_000 },
  });
  const shown = { ...gate, shown: stateKey(messageStateOf(gate, terms, now)) };
  expect(plan(shown, terms, now)).toMatchObject({ kind: 'wait', until: now + 30_000 });
});

test('an own gate that is withdrawn after its deadline timed out at its deadline', () => {
  const gate = gateWith({ expiresAt: NOW + 10 });
  const asker = { user: 'U0CLEO', channel: 'D0CLEO' };
  const taken = (at: number, by = {}) =>
    received(gate, { id: 'w', at, body: encodeSignal({ kind: 'withdraw', ...by }) });
  expect(statusOf(taken(NOW + 9))).toBe('WITHDRAWN');
  expect(taken(NOW + 10)).toEqual(gate);
  // Its requester is told as soon as that is read.
  const waiting = taken(NOW + 10, { asker });
  expect(waiting.replies).toEqual([]);
  const answer = { status: 'TIMED_OUT', raw: null, resolvedAt: null } as const;
  const step = { kind: 'read-status', why: 'watch', deadlineMs: 1, plannedAt: NOW + 10 } as const;
  const read = applied(waiting, step, { kind: 'status', answer }, NOW + 11);
  expect(read.outcome?.status).toBe('TIMED_OUT');
  expect(read.replies.map(({ user, text }) => `${user}: ${text}`)).toEqual([
    'U0CLEO: <request> timed out. It can no longer be decided.',
  ]);
  // The service decides about its own.
  const theirs = approvalWith({ expiresAt: NOW + 10 });
  const body = encodeSignal({ kind: 'withdraw' });
  expect(statusOf(received(theirs, { id: 'w', at: NOW + 10, body }))).toBe('WITHDRAWN');
});

test('withdrawing an own gate searches for its post again, unless that search is already running', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const signal = { id: 'w', at: NOW + 2, body: encodeSignal({ kind: 'withdraw' }) };
  const withdrawn = (post: Partial<Post>) => {
    const posts = [{ name: 'message', channel: 'C0PROD', notBefore: NOW + 60_000, ...post }];
    return received(gateWith({ posts }), signal, terms);
  };
  const find = { step: { kind: 'find-post', post: 'message' } };
  const sought = withdrawn({ soughtAt: NOW + 1, slot: true });
  expect(plan(sought, terms, NOW + 3)).toMatchObject(find);
  const seeking = withdrawn({ attempt: { plannedAt: NOW, mustEndBy: NOW + 1 } });
  expect(plan(seeking, terms, NOW + 3)).not.toMatchObject(find);
  expect(plan(seeking, terms, NOW + 60_000)).toMatchObject(find);
});

test('an own gate whose message was deleted for good is withdrawn only after a search for a message with its outcome', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const signal = { id: 'w', at: NOW + 2, body: encodeSignal({ kind: 'withdraw' }) };
  const deleted = { name: 'message', gone: ['15.1', '16.1'], failed: 'message_not_found' };
  const gate = received(gateWith({ posts: [{ ...deleted, channel: 'C0PROD' }] }), signal, terms);
  expect(statusOf(gate)).toBe('UNKNOWN');
  const next = plan(gate, terms, NOW + 3);
  expect(next).toMatchObject({ step: { kind: 'find-post', post: 'message' } });
  if (next.kind !== 'step') throw new Error('it is looked for');
  const sought = (found: StepResult) => applyResult(gate, next.step, found, terms, NOW + 4).data;
  expect(statusOf(sought({ kind: 'not-found' }))).toBe('WITHDRAWN');
  const revived = sought({ kind: 'posted', channel: 'C0PROD', ts: '17.1' });
  expect(plan(revived, terms, NOW + 5)).toEqual({ kind: 'step', step: { kind: 'recall' } });
});

test('a gate whose post is still being searched for is not decided before its message was read', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
  const click = { id: 'c', user: 'U0ANA', channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  const lost = gateWith({
    posts: [{ name: 'message', channel: 'C0PROD', attempt }],
    queue: [click],
  });
  const waits = {
    ...lost,
    posts: [{ ...lost.posts[0], name: 'message', notBefore: NOW + 20_000 }],
  };
  expect(plan(waits, terms, NOW + 10_000).kind, 'while the search waits').toBe('wait');
  const now = NOW + 30_000;
  const next = plan(lost, terms, now);
  expect(next).toMatchObject({ step: { kind: 'find-post' } });
  if (next.kind !== 'step') throw new Error('it is looked for');
  const found = { kind: 'posted', channel: 'C0PROD', ts: '17.1' } as const;
  const posted = applyResult(lost, next.step, found, terms, now).data;
  expect(plan(posted, terms, now)).toEqual({ kind: 'step', step: { kind: 'recall' } });
  // The outcome that the store lost counts, not a later click on the buttons that came back.
  const named = { status: 'REJECTED', credit: 'certain', by: ['U0BEN'] } as const;
  const recalled = { kind: 'recalled', named, isShown: true } as const;
  const known = applyResult(posted, { kind: 'recall' }, recalled, terms, now).data;
  expect(known.outcome).toMatchObject(named);
  // If the message names nobody the click is processed.
  const silent = { kind: 'recalled', named: null, isShown: false } as const;
  const open = applyResult(posted, { kind: 'recall' }, silent, terms, now).data;
  const shown = { ...open, shown: stateKey(messageStateOf(open, terms, now)) };
  expect(plan(shown, terms, now)).toMatchObject({ step: { kind: 'authorize' } });
});

test('a gate is not decided again before its message was read, if an update that stated a lost outcome ended late', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1, wentBackAt: NOW + 1 };
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
  const state = messageStateOf(gateWith({ outcome }), terms, NOW);
  const known = gateWith({ watch: { ...gateWith().watch, checkedAt: NOW + 2 } });
  const ended = (more: Partial<Approval>, result: StepResult = { kind: 'done' }, of = state) => {
    const step = { kind: 'update', state: of, plannedAt: NOW } as const;
    return applyResult({ ...known, ...more }, step, result, terms, NOW + 3).data;
  };
  const next = (gate: Approval, at = NOW + 3) => plan(gate, terms, at);
  const recall = { kind: 'recall' } as const;
  const reads = { kind: 'step', step: recall };
  expect(next(ended({}))).toEqual(reads);
  expect(next(ended({}, { kind: 'done' }, messageStateOf(known, terms, NOW)))).not.toEqual(reads);
  expect(next(ended({ outcome }))).not.toEqual(reads);
  expect(next(ended({ withdrawnAt: NOW + 2 }))).not.toEqual(reads);
  // It may still arrive.
  const failed = (failure: FailureFacts) => ended({}, { kind: 'failed', failure });
  const unsure = failed({ class: 'ambiguous', code: 'timeout' });
  expect(next(unsure)).not.toEqual(reads);
  expect(next(unsure, NOW + 3 + TRUE_TIME.quietMs)).toEqual(reads);
  expect(next(failed({ class: 'refused', code: 'not_in_channel' }))).not.toEqual(reads);
  // The message, which also has the reasons, is left as it is.
  const named = { status: 'APPROVED', credit: 'certain', by: ['U0BEN'] } as const;
  const read = { kind: 'recalled', named, isShown: true } as const;
  const { shown, update } = applyResult(ended({}), recall, read, terms, NOW + 4).data;
  expect([shown !== undefined, update]).toEqual([true, undefined]);
});

test('the outcome of an own gate is in its message before it is announced', () => {
  const terms = termsWith();
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const gate = gateWith({ outcome, update: { tries: 1, notBefore: NOW + 4_000 } });
  expect(plan(gate, terms, NOW)).toMatchObject({ kind: 'wait', until: NOW + 4_000 });
  const key = stateKey(messageStateOf(gate, terms, NOW));
  const announced = { step: { kind: 'take-slot', post: 'outcome-request' } };
  expect(plan({ ...gate, shown: key }, terms, NOW)).toMatchObject(announced);
  // The person who pressed too late is not told of it either.
  const late = { user: 'U0BEN', channel: 'C0PROD', at: NOW };
  const owing = inWords(owe(gate, late, 'late', { code: 'decided', outcome, action: 'reject' }));
  expect(plan(owing, terms, NOW)).toMatchObject({ kind: 'wait', until: NOW + 4_000 });
  expect(plan({ ...owing, shown: key }, terms, NOW)).toMatchObject({ step: { kind: 'reply' } });
  // Slack will never update the message.
  const never = { ...gate, update: { gaveUpOn: key } };
  expect(plan(never, terms, NOW)).toMatchObject(announced);
});

test('an announcement waits for its slot in the channel, and other posts delay it by a minute at most', () => {
  const terms = termsWith();
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const gate = gateWith({ outcome });
  const shown = { ...gate, shown: stateKey(messageStateOf(gate, terms, NOW)) };
  const stepAt = (approval: Approval, now: number) => {
    const next = plan(approval, terms, now);
    const step = next.kind === 'step' ? next.step : undefined;
    if (step?.kind !== 'take-slot') throw new Error(`not a slot: ${JSON.stringify(next)}`);
    return step;
  };
  const step = stepAt(shown, NOW);
  expect(step).toMatchObject({ post: 'outcome-request', channel: 'C0PROD', turn: 'new' });
  const later = { kind: 'slot', waitMs: 9_000, isLater: true } as const;
  const waiting = applyResult(shown, step, later, terms, NOW).data;
  expect(plan(waiting, terms, NOW)).toMatchObject({ kind: 'wait', until: NOW + 9_000 });
  const turn = stepAt(waiting, NOW + 9_000);
  expect(turn).toMatchObject({ turn: 'come' });
  const passedOver = applyResult(waiting, turn, { ...later, waitMs: 60_000 }, terms, NOW + 9_000);
  expect(stepAt(passedOver.data, NOW + 69_000)).toMatchObject({ turn: 'over' });
});

test('the outcome of an own gate must be durable before it is announced; one of the service need not', () => {
  const config = { watchMaxAgeMs: DAY, retention: { doneMs: DAY, decidedMs: DAY, auditMs: DAY } };
  const flow = createApprovalFlow(coreWith({ ...NO_STEPS, config, timing: TRUE_TIME }));
  const outcome = { status: 'APPROVED', credit: 'certain', by: [], learnedAt: NOW } as const;
  const gate = gateWith();
  expect(flow.mustLast?.(gate, { ...gate, outcome })).toBe(true);
  expect(flow.mustLast?.({ ...gate, outcome }, { ...gate, outcome })).toBe(false);
  expect(flow.mustLast?.(approvalWith(), approvalWith({ outcome }))).toBe(false);
});

describe('the content of an own gate', () => {
  const deploy = {
    message: 'All green',
    fields: { Version: '4.2', Commit: '9f2c' },
    change: '+ 4.2',
    reviewers: { users: ['U0ANA', 'U0BEN'] },
  };

  test('is the same if only the order, the requester or the deadline differs', async () => {
    const other = {
      ...deploy,
      fields: { Commit: '9f2c', Version: '4.2' },
      reviewers: { users: ['U0BEN', 'U0ANA'], groups: [] },
      requestedBy: { name: 'Rita' },
      expiresAt: new Date(NOW + 60_000).toISOString(),
    };
    expect(isSameRequest(await asked(deploy), await asked(other))).toBe(true);
  });

  test.each([
    { title: 'Deploy!' },
    { message: 'All green?' },
    { fields: { Version: '4.2' } },
    { change: '+ 4.3' },
    { cutFrom: { lines: 2, sha256: 'a'.repeat(64) } },
    { link: 'https://ci.example.com/' },
    { reviewers: { users: ['U0ANA'] } },
    { quorum: 1 },
  ])('differs with %j', async (changed) => {
    expect(isSameRequest(await asked(deploy), await asked({ ...deploy, ...changed }))).toBe(false);
  });

  test('differs in another channel', async () => {
    const one = await asked(deploy);
    expect(isSameRequest(one, { ...one, channel: 'C0OTHER' })).toBe(false);
  });
});

describe('the content of a request with a token', () => {
  const deploy = approvalWith({
    change: '+ 4.2',
    narrowedTo: { users: ['U0ANA', 'U0BEN'], groups: [] },
    quorum: 2,
  });

  test('is the same if only the texts or the requester differ', () => {
    const requester = { name: 'Rita' };
    const other = { ...deploy, title: 'Deploy!', message: 'All green?', requester };
    expect(isSameRequest(deploy, other)).toBe(true);
  });

  test.each<Partial<Approval>>([
    { change: '+ 4.3' },
    { cutFrom: { lines: 2, sha256: 'a'.repeat(64), shown: 1 } },
    { narrowedTo: { users: ['U0ANA'], groups: [] } },
    { quorum: 1 },
    { key: 'deploy' },
  ])('differs with %j', async (changed) => {
    expect(isSameRequest(deploy, { ...deploy, ...changed })).toBe(false);
  });
});
