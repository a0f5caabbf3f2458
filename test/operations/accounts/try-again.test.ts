import { expect, it } from 'vitest';
import { StoreError } from '../../../src/core/store/store.ts';
import { ACTIONS } from '../../../src/operations/accounts/account-modal.ts';
import type { AccountChange } from '../../../src/operations/accounts/change.ts';
import { resultMessage } from '../../../src/operations/accounts/change-result.ts';
import { CHANGE_KIND } from '../../../src/operations/accounts/change-rules.ts';
import { listenToAccounts } from '../../../src/operations/accounts/slack.ts';
import { tryAgain } from '../../../src/operations/accounts/try-again.ts';
import { encodeOperation, stateOf } from '../../../src/operations/flow/operation.ts';
import { encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { pressButton } from '../../support/press-button.ts';

const CHANGE: AccountChange = {
  v: 1,
  by: 'U0DANA',
  channel: '',
  announce: false,
  run: 0,
  wish: {
    change: {
      kind: 'deactivate',
      account: { id: '1', userName: 'ana@example.com', externalId: null, name: 'Ana' },
    },
  },
  createdAt: 0,
  phase: { name: 'done' },
  outcome: { code: 'not-reached' },
  posts: [],
};

/** What happens, in its order, when somebody presses Try again. */
async function pressAgain(signal: () => Promise<{ kind: 'queued' }>) {
  const happened: string[] = [];
  const needs = {
    store: {
      read: async () => ({ kind: CHANGE_KIND, data: encodeOperation(CHANGE) }),
      signal: async () => {
        const signalled = await signal();
        happened.push('stored');
        return signalled;
      },
    },
    reconciler: { hasRoom: false },
  };
  // as: no more of them is needed
  const all = needs as unknown as Parameters<typeof listenToAccounts>[1];
  const button = { user: 'U0DANA', action: ACTIONS.again, value: '0-a' };
  return pressButton((bolt) => listenToAccounts(bolt, all), button, happened);
}

it('a press on Try again is stored before Slack gets its acknowledgement', async () => {
  expect(await pressAgain(async () => ({ kind: 'queued' }))).toEqual([
    'stored',
    'acknowledged',
    'done',
  ]);
});

it('a press on Try again that was not stored is not acknowledged', async () => {
  const away = async () => {
    throw new StoreError('unavailable', 'the store is away');
  };
  expect(await pressAgain(away)).toEqual(['failed']);
});

it('a press on an outdated Try again sends nothing', async () => {
  const change = { ...CHANGE, run: 1 };
  const stored: string[] = [];
  const needs = {
    store: {
      read: async () => ({ kind: CHANGE_KIND, data: encodeOperation(change) }),
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
  expect(stored).toEqual([encodeSignal({ kind: 'again', run: 1 })]);
  const told = JSON.stringify(resultMessage('0-a', change, stateOf(change)));
  expect(told).toContain('"0-a 1"');
});
