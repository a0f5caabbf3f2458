import { expect, test } from 'vitest';
import { shownValue } from '../../src/approvals/tell/message/elsewhere.ts';
import { ACTIONS, reasonAction } from '../../src/approvals/tell/message/message.ts';
import { listenToApprovals } from '../../src/approvals/ways-in/slack.ts';
import type { Core } from '../../src/core/core.ts';
import { RemoteFailure } from '../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Listeners } from '../../src/core/slack/listeners.ts';
import { type Signalled, type Store, StoreError } from '../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { textsOf } from '../support/world.ts';
import { approvalWith, LINKS, NOW } from './approvals.ts';

/** Presses a button of the modal that shows a request; returns the modal's text afterwards. */
async function pressIn(
  button: string,
  signal: () => Promise<Signalled>,
  update: () => Promise<void> = async () => {},
) {
  const shown: string[] = [];
  const looked: string[] = [];
  const told: string[] = [];
  const listeners = new Map<string, (args: object) => Promise<void>>();
  const app = {
    action: (id: string, listener: (args: object) => Promise<void>) => listeners.set(id, listener),
    view() {},
    event() {},
  };
  const core = coreWith({
    timing: TRUE_TIME,
    box: NO_BOX,
    links: LINKS,
    metrics: fake<Core['metrics']>({ count() {} }),
    reconciler: { hasRoom: true, run: async () => {} },
    replies: fake<Core['replies']>({ direct: async ({ text }) => void told.push(text) }),
    modals: fake<Core['modals']>({
      update: async (modal, view) => {
        shown.push(textsOf(view.blocks).join(' '));
        await update();
        return modal;
      },
    }),
    store: fake<Store>({
      signal,
      now: () => NOW,
      async create({ uniqueKey = '' }) {
        looked.push(uniqueKey);
        throw new StoreError('unavailable', 'away');
      },
    }),
  });
  // as: it only registers listeners
  listenToApprovals(app as unknown as Listeners, core);
  const value = shownValue('0-abc', approvalWith());
  const body = {
    actions: [{ type: 'button', action_id: button, action_ts: '1', value }],
    trigger_id: 't',
    user: { id: 'U0ANA' },
    view: { id: 'V1', type: 'modal', private_metadata: '' },
  };
  const ended = listeners.get(button)?.({ body, context: {}, ack: async () => {} });
  await ended;
  return { said: shown.join('|'), looks: looked.length, told };
}

const queued = async () => ({ kind: 'queued' }) as const;

test('a press on the Home tab says that it was recorded only if it was stored', async () => {
  const away = async () => {
    throw new StoreError('unavailable', 'away');
  };
  expect((await pressIn(ACTIONS.approve, queued)).said).toMatch(/decision on .* was recorded/);
  expect((await pressIn(ACTIONS.approve, away)).said).toMatch(/was not recorded/);
  expect((await pressIn(ACTIONS.approve, async () => ({ kind: 'missing' }))).said).toMatch(
    /no longer stored here/,
  );
});

test('Check now is confirmed as a check, not as a decision', async () => {
  expect((await pressIn(ACTIONS.check, queued)).said).toMatch(
    /^Gatepost is checking .*Deploy 4\.2/,
  );
});

const fails = (code: string) => async () => {
  throw new RemoteFailure('views.update', { class: 'refused', code });
};

test('the Home tab is refreshed even if the modal was closed, and the press does not fail', async () => {
  const closed = fails('not_found');
  expect(await pressIn(ACTIONS.approve, queued, closed)).toMatchObject({ looks: 1, told: [] });
});

test('what the modal cannot show is a direct message', async () => {
  const { told } = await pressIn(ACTIONS.approve, queued, fails('internal_error'));
  expect(told).toEqual([expect.stringMatching(/decision on .* was recorded/)]);
});

test('a modal that was closed before it could ask for a reason asks for none', async () => {
  const asking = reasonAction('reject', 'required');
  expect((await pressIn(asking, queued, fails('not_found'))).told).toEqual([]);
  const { told } = await pressIn(asking, queued, fails('internal_error'));
  expect(told).toEqual([expect.stringMatching(/form/)]);
});
