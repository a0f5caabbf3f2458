import { expect, it } from 'vitest';
import { ACTIONS } from '../../src/accounts/account-modal.ts';
import {
  type AccountChange,
  CHANGE_KIND,
  encodeChange,
} from '../../src/accounts/change/account-change.ts';
import { faceOf } from '../../src/accounts/change/change-face.ts';
import { createChangeFlow, encodeChangeSignal } from '../../src/accounts/change/change-flow.ts';
import { resultMessage } from '../../src/accounts/change/result-view.ts';
import { accountListeners } from '../../src/accounts/slack.ts';
import { tryAgain } from '../../src/accounts/try-again.ts';
import { StoreError } from '../../src/store/store.ts';

const CHANGE: AccountChange = {
  v: 1,
  by: 'U0DANA',
  channel: '',
  wish: {
    kind: 'deactivate',
    account: { id: '1', userName: 'ana@example.com', externalId: null, name: 'Ana' },
  },
  browse: '',
  createdAt: 0,
  phase: { name: 'over' },
  outcome: { code: 'unreachable' },
  parts: [],
};

/** What happens, in its order, when somebody presses Try again. */
async function pressAgain(signal: () => Promise<{ kind: 'queued' }>) {
  const happened: string[] = [];
  const needs = {
    store: {
      read: async () => ({ kind: CHANGE_KIND, data: encodeChange(CHANGE) }),
      signal: async () => {
        const signalled = await signal();
        happened.push('stored');
        return signalled;
      },
    },
    reconciler: { hasRoom: false },
  };
  // as: no more of them is needed
  const { actions } = accountListeners(needs as unknown as Parameters<typeof accountListeners>[0]);
  const press = actions?.[ACTIONS.again] as unknown as (args: object) => Promise<void>;
  const body = {
    user: { id: 'U0DANA' },
    trigger_id: 't',
    actions: [{ type: 'button', value: '0-a' }],
  };
  const ended = await press({ body, ack: async () => void happened.push('acknowledged') }).then(
    () => 'done',
    () => 'failed',
  );
  return [...happened, ended];
}

it('stores a press before Slack hears that it arrived', async () => {
  expect(await pressAgain(async () => ({ kind: 'queued' }))).toEqual([
    'stored',
    'acknowledged',
    'done',
  ]);
});

it('lets Slack hear nothing of a press that was not stored', async () => {
  const away = async () => {
    throw new StoreError('unavailable', 'the store is away');
  };
  expect(await pressAgain(away)).toEqual(['failed']);
});

it('tries nothing for a press on what was shown before it was tried again', async () => {
  const change = { ...CHANGE, run: 1 };
  const stored: string[] = [];
  const needs = {
    store: {
      read: async () => ({ kind: CHANGE_KIND, data: encodeChange(change) }),
      async signal(_id: string, { body }: { readonly body: string }) {
        stored.push(body);
        return { kind: 'queued' };
      },
    },
    reconciler: { hasRoom: false },
  };
  const all = needs as unknown as Parameters<typeof tryAgain>[0]; // as: no more of them is needed
  const press = (run: number) => tryAgain(all, { value: `0-a ${run}`, press: 'p', user: 'U0DANA' });
  expect(JSON.stringify(await press(0))).toContain('"0-a 1"');
  expect(stored).toEqual([]);
  expect(await press(1)).toBeUndefined();
  expect(stored).toEqual([encodeChangeSignal({ kind: 'again', run: 1 })]);
  const told = JSON.stringify(resultMessage('0-a', change, faceOf(change)));
  expect(told).toContain('"0-a 1"');
});

it('tries once what two presses on the same button want', () => {
  const needs = { keepMs: 1 } as Parameters<typeof createChangeFlow>[0]; // as: nothing is performed
  const flow = createChangeFlow(needs);
  const press = (change: AccountChange, run: number) => {
    const signal = { id: 's', at: 1, body: encodeChangeSignal({ kind: 'again', run }) };
    return flow.take(change, signal, 1).data;
  };
  const tried = press(CHANGE, 0);
  expect(tried).toMatchObject({ run: 1, phase: { name: 'authorize' } });
  const over: AccountChange = { ...tried, phase: { name: 'over' }, outcome: { code: 'unknown' } };
  expect(press(over, 0)).toBe(over);
  expect(press(over, 1)).toMatchObject({ run: 2, phase: { name: 'authorize' } });
});
