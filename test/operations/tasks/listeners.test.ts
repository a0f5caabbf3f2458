import { expect, it } from 'vitest';
import { StoreError } from '../../../src/core/store/store.ts';
import { encodeOperation } from '../../../src/operations/flow/operation.ts';
import { ACTIONS } from '../../../src/operations/tasks/actions.ts';
import { MOVE_KIND } from '../../../src/operations/tasks/move.ts';
import { WORDS } from '../../../src/operations/tasks/outcome-words.ts';
import { MOVE_BATCH_KIND } from '../../../src/operations/tasks/several/move-batch.ts';
import { listenToTasks } from '../../../src/operations/tasks/slack.ts';
import { pressButton } from '../../support/press-button.ts';
import { withResolvers } from '../../support/with-resolvers.ts';
import { moveIn } from './moves.ts';

/** What happens, in its order, when somebody presses to have the same sent again. */
async function pressAgain(signal: () => Promise<{ kind: 'queued' }>) {
  const happened: string[] = [];
  const move = moveIn({ name: 'done' }, { outcome: { code: 'unknown' } });
  const needs = {
    store: {
      read: async () => ({ kind: MOVE_KIND, data: encodeOperation(move) }),
      signal: async () => {
        const signalled = await signal();
        happened.push('stored');
        return signalled;
      },
    },
    reconciler: { hasRoom: false },
  };
  // as: no more of them is needed
  const all = needs as unknown as Parameters<typeof listenToTasks>[1];
  const button = { user: 'U0ANA', action: ACTIONS.again, value: '0-a' };
  return pressButton((bolt) => listenToTasks(bolt, all), button, happened);
}

it('a press is stored before Slack gets its acknowledgement', async () => {
  expect(await pressAgain(async () => ({ kind: 'queued' }))).toEqual([
    'stored',
    'acknowledged',
    'done',
  ]);
});

it('a press that was not stored is not acknowledged', async () => {
  const away = async () => {
    throw new StoreError('unavailable', 'the store is away');
  };
  expect(await pressAgain(away)).toEqual(['failed']);
});

it.each([ACTIONS.project, ACTIONS.enter, ACTIONS.change, ACTIONS.review])(
  'a modal stays as it is if %s cannot be read',
  async (action) => {
    const away = () => Promise.reject(new StoreError('unavailable', 'the store is away'));
    const happened: string[] = [];
    const modals = { update: async () => void happened.push('changed') };
    const needs = { store: { get: away, read: away }, modals };
    // as: no more of them is needed
    const all = needs as unknown as Parameters<typeof listenToTasks>[1];
    const view = {
      id: 'V1',
      hash: 'h1',
      callback_id: '',
      private_metadata: '{"draft":"d"}',
      state: { values: {} },
    };
    const needed = { user: 'U0ANA', action, value: 'd', view };
    const ended = await pressButton((bolt) => listenToTasks(bolt, all), needed, happened);
    expect(ended).toEqual(['acknowledged', 'failed']);
  },
);

it('a line is reviewed again in a modal that is opened before the store answers', async () => {
  const happened: string[] = [];
  const target = { projectId: 'web', typeId: null };
  const batch = { v: 1, by: 'U0ANA', channel: 'C0', target, lines: [] };
  const stored = { kind: MOVE_BATCH_KIND, data: JSON.stringify(batch) };
  const opened = withResolvers();
  const needs = {
    store: {
      read: async () => {
        await opened.promise;
        return stored;
      },
    },
    modals: {
      open: async () => {
        happened.push('opened');
        opened.resolve();
        return { id: 'V1' };
      },
      update: async (_modal: unknown, view: unknown) => {
        happened.push(JSON.stringify(view).includes(WORDS.gone) ? 'gone' : 'another sentence');
      },
    },
  };
  // as: no more of them is needed
  const all = needs as unknown as Parameters<typeof listenToTasks>[1];
  const button = { user: 'U0ANA', action: ACTIONS.reviewOne, value: '0-a 3' };
  expect(await pressButton((bolt) => listenToTasks(bolt, all), button, happened)).toEqual([
    'acknowledged',
    'opened',
    'gone',
    'done',
  ]);
});
