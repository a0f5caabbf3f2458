import { expect, it } from 'vitest';
import {
  type AccountChange,
  CHANGE_KIND,
  encodeChange,
} from '../../../src/people/change/account-change.ts';
import { ACTIONS } from '../../../src/people/manage/actions.ts';
import { modalListeners } from '../../../src/people/manage/modal/listeners.ts';
import { StoreError } from '../../../src/store/store.ts';

const CHANGE: AccountChange = {
  v: 1,
  by: 'U0DANA',
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
  const { actions } = modalListeners(needs as unknown as Parameters<typeof modalListeners>[0]);
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
