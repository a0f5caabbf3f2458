import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { AccountCalls, UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { Store } from '../../../src/core/store/store.ts';
import type { AccountChange } from '../../../src/operations/accounts/change.ts';
import { changeOperation } from '../../../src/operations/accounts/change-operation.ts';
import { CHANGE_RULES } from '../../../src/operations/accounts/change-rules.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

/** What was asked for at the command line, when its process is gone. */

const ANA: UserProfile = {
  ...{ id: 'a1', userName: 'ana@example.com', externalId: null, active: true, displayName: 'Ana' },
  ...{ formattedName: null, givenName: null, familyName: null, title: null, department: null },
};
const TYPED_AT = 1_000;

const lostOnTheWay = new RemoteFailure('patch user', { class: 'ambiguous', code: 'reset' });

/** A service that shows Ana as she was, and breaks off at every change. */
function breaking(sent: string[]): AccountCalls {
  const lost = (what: string) => async () => {
    sent.push(what);
    throw lostOnTheWay;
  };
  return {
    find: async () => ({ kind: 'found', user: ANA }),
    create: lost('create'),
    patch: lost('patch'),
    delete: lost('delete'),
  };
}

const account = { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana' };

const begun: AccountChange = {
  v: 1,
  channel: '',
  announce: false,
  silent: true,
  run: 0,
  by: 'os:ops@desk',
  wish: {
    change: { kind: 'deactivate', account },
    typedAt: TYPED_AT,
  },
  createdAt: TYPED_AT,
  phase: firstPhase(0),
  posts: [],
};

type Flow = ReturnType<typeof flowOf>;

/** As a bot has it, with or without a token. */
function flowOf(users: AccountCalls | null, now: number) {
  const operation = changeOperation(
    coreWith({
      service: { users: users && fake<UsersClient>(users) },
      config: { retention: { doneMs: 1 } },
      store: fake<Store>({ now: () => now }),
      timers: systemTimers,
    }),
  );
  return createOperationFlow(operation, TRUE_TIME);
}

/** Goes on from `now` until it has ended. */
async function end(flow: Flow, record: AccountChange, from: number): Promise<AccountChange> {
  let data = record;
  for (let now = from; ; now += 1) {
    const plan = flow.plan(data, now);
    if (plan.kind === 'finish') return data;
    if (plan.kind === 'wait') {
      now = plan.until - 1;
      continue;
    }
    data = flow.markAttempt(data, plan.step, now)?.data ?? data;
    data = flow.apply(data, plan.step, await flow.execute(data, plan.step, 'r'), now).data;
  }
}

/** Sent once, by a process that is gone. */
async function sentOnce(sent: string[]): Promise<AccountChange> {
  const flow = flowOf(breaking(sent), TYPED_AT);
  let data = begun;
  while (sent.length === 0) {
    const plan = flow.plan(data, TYPED_AT);
    if (plan.kind !== 'step') throw new Error('something is to be done');
    data = flow.markAttempt(data, plan.step, TYPED_AT)?.data ?? data;
    const result = await flow.execute(data, plan.step, 'r');
    if (sent.length === 0) data = flow.apply(data, plan.step, result, TYPED_AT).data;
  }
  return data;
}

test('an interrupted command is checked and sent again if a bot finds it soon', async () => {
  const sent: string[] = [];
  const record = await sentOnce(sent);
  await end(flowOf(breaking(sent), TYPED_AT + 20_000), record, TYPED_AT + 20_000);
  expect(sent.length).toBeGreaterThan(1);
});

test('an interrupted command is checked, but not sent again, if a bot finds it days later', async () => {
  const sent: string[] = [];
  const record = await sentOnce(sent);
  const later = TYPED_AT + 3 * 86_400_000;
  const { outcome, unconfirmed } = await end(flowOf(breaking(sent), later), record, later);
  expect(sent).toEqual(['patch']);
  expect(outcome).toEqual({ code: 'unknown' });
  expect(unconfirmed).toBeDefined();
});

test('an unsent command is cancelled if a bot finds it days later', async () => {
  const sent: string[] = [];
  const later = TYPED_AT + 3 * 86_400_000;
  const { outcome } = await end(flowOf(breaking(sent), later), begun, later);
  expect(sent).toEqual([]);
  expect(outcome).toEqual({ code: 'cancelled' });
});

test('a cancelled command is not sent again, and ends as the account shows', async () => {
  const sent: string[] = [];
  const flow = flowOf(breaking(sent), TYPED_AT);
  const signal = { id: 's', at: TYPED_AT, body: encodeSignal({ kind: 'cancel' }) };
  const record = flow.receive(await sentOnce(sent), signal, TYPED_AT).data;
  const { outcome } = await end(flow, record, TYPED_AT + 20_000);
  expect(sent).toEqual(['patch']);
  expect(outcome).toEqual({ code: 'unknown' });
  const unsent = flow.receive(begun, signal, TYPED_AT).data;
  expect(unsent).toMatchObject({ phase: { name: 'done' }, outcome: { code: 'cancelled' } });
});

test('a sent command ends as unknown on a bot without a token', async () => {
  const record = await sentOnce([]);
  const { outcome } = await end(flowOf(null, TYPED_AT), record, TYPED_AT + 20_000);
  expect(outcome).toEqual({ code: 'unknown' });
});

test('a deletion is done once the account is not shown', () => {
  const progress: AccountChange = {
    ...begun,
    wish: { change: { kind: 'delete', account } },
    unconfirmed: { quietAt: 0, lost: 1, hasEnded: true },
  };
  const phase = { name: 'read-back', why: 'lost', reads: 0, notBefore: 0 } as const;
  const heard = {
    found: { reading: { kind: 'account', account: null } },
    readAt: 1,
    timing: TRUE_TIME,
    now: 1,
  } as const;
  expect(CHANGE_RULES.reading?.verdict(progress, phase, heard)).toMatchObject({
    kind: 'done',
    outcome: { code: 'deactivated', found: true },
  });
});
