import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { listsOf } from '../../../src/approvals/decision/lists-of.ts';
import { encodeSignal } from '../../../src/approvals/decision/signal.ts';
import type { Superseding } from '../../../src/approvals/decision/supersede.ts';
import { supersede, supersedingList } from '../../../src/approvals/decision/supersede.ts';
import type { Step } from '../../../src/approvals/steps.ts';
import { encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { approvalMessage } from '../../../src/approvals/tell/message/message.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import { createFree } from '../../core/store/store-world.ts';
import { fake } from '../../support/fake.ts';
import {
  applied,
  approvalWith,
  DECIDING,
  LINKS,
  NOW,
  plan,
  received,
  termsWith,
} from '../approvals.ts';

/** A newer request withdraws the older ones of the same name that nobody decided. */

const OLDER: Superseding = { name: 'hash', order: '001.a' };
const NEWER: Superseding = { name: 'hash', order: '002.a' };
const step = { kind: 'supersede' } as const;
const by = { id: 'newer', channel: 'C0PROD', ts: '18.1' };
const terms = termsWith();

const told = (approval: Approval, { order } = NEWER) =>
  received(approval, { id: 's', at: NOW, body: encodeSignal({ kind: 'supersede', order, by }) });

describe('a request that a newer one replaces', () => {
  test('is withdrawn if it is older, and links to the newer one', () => {
    const withdrawn = told(approvalWith({ supersedes: OLDER }));
    expect(withdrawn).toMatchObject({ withdrawnAt: NOW, supersededBy: by });
    const state = messageStateOf(withdrawn, terms, NOW);
    const { blocks } = approvalMessage('id', withdrawn, state, { ...terms, links: LINKS });
    const link = 'https://acme.slack.com/archives/C0PROD/p181';
    expect(JSON.stringify(blocks)).toContain(`*Withdrawn* · replaced by <${link}|a newer request>`);
    expect(listsOf(withdrawn)).not.toContain(supersedingList('hash'));
  });

  test('stays as it is once it is decided', () => {
    const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;
    const decided = approvalWith({ supersedes: OLDER, outcome });
    expect(told(decided)).toBe(decided);
  });

  test('drops a decision that was not sent yet', () => {
    const { decision, withdrawnAt } = told(approvalWith({ supersedes: OLDER, decision: DECIDING }));
    expect({ decision, withdrawnAt }).toEqual({ decision: undefined, withdrawnAt: NOW });
  });

  test('that is itself newer looks for older ones again', () => {
    const newer = approvalWith({ supersedes: { ...NEWER, isDone: true } });
    const next = told(newer, OLDER);
    expect(next.withdrawnAt).toBeUndefined();
    expect(next.supersedes).toEqual(NEWER);
    const looking = approvalWith({ supersedes: NEWER });
    expect(told(looking, OLDER)).toBe(looking);
  });

  test('cancels a decision that is about to be sent', () => {
    const core = fake<ApprovalCore>({ config: fake<Config>({}), timing: TRUE_TIME });
    const { callsOff } = createApprovalFlow(core);
    const body = encodeSignal({ kind: 'supersede', order: NEWER.order, by });
    const respond = fake<Step>({ kind: 'respond' });
    expect(callsOff?.({ id: 's', at: NOW, body }, respond)).toBe(true);
  });
});

describe('a request that replaces older ones', () => {
  const stepOf = (approval: Approval) => {
    const next = plan(approval, terms, NOW);
    return next.kind === 'step' ? next.step : next;
  };
  const shown = (change: Partial<Approval>): Approval => {
    const approval = approvalWith({ supersedes: NEWER, absent: { at: NOW }, ...change });
    return { ...approval, shown: stateKeyOf(approval) };
  };

  test('waits until its message is posted and can be linked', () => {
    expect(stepOf(shown({}))).toEqual(step);
    const unposted = [{ name: 'message', channel: 'C0PROD' }];
    expect(stepOf(shown({ posts: unposted }))).not.toEqual(step);
    expect(stepOf(shown({ withdrawnAt: NOW }))).not.toEqual(step);
  });

  test('signals them once, and later again if the store does not answer', () => {
    const approval = shown({});
    const done = applied(approval, step, { kind: 'told', next: null });
    expect(done.supersedes).toEqual({ ...NEWER, isDone: true });
    expect(stepOf(done)).not.toEqual(step);
    const again = applied(approval, step, { kind: 'away' });
    expect(again.supersedes?.againAt).toBeGreaterThan(NOW);
    expect(stepOf(again)).not.toEqual(step);
  });

  test('does not fail if the store is away', async () => {
    const store = { list: () => Promise.reject(new StoreError('unavailable', 'away')) };
    const core = fake<ApprovalCore>({ store: fake<Store>(store) });
    expect(await supersede.execute(core, 'newer', shown({}), step)).toEqual({ kind: 'away' });
  });

  test('signals all older ones, page by page', async () => {
    await using world = await openEmbeddedWorld();
    const [store] = world.stores;
    const lists = [supersedingList('hash')];
    const listed = (supersedes: Superseding) => {
      const data = encodeApproval(approvalWith({ supersedes }));
      return createFree(store, { kind: 'approval', data, lists, dueInMs: 900_000 });
    };
    const older = await Promise.all(Array.from({ length: 50 }, () => listed(OLDER)));
    const own = await listed(NEWER);
    await listed({ name: 'hash', order: '003.a' });
    const looked = await listed({ name: 'hash', order: '003.b', isDone: true });
    const reconciler = { hasRoom: false, run: async () => {} };
    const core = fake<ApprovalCore>({ store, reconciler });
    let approval = shown({});
    for (let pages = 0; pages < 10 && approval.supersedes?.isDone !== true; pages += 1) {
      const next = stepOf(approval);
      if (next.kind !== 'supersede') throw new Error('it is not told');
      approval = applied(approval, next, await supersede.execute(core, own, approval, next));
    }
    expect(approval.supersedes).toEqual({ ...NEWER, isDone: true });
    const { held } = await store.claim('people', 200);
    const told = held.filter(({ inbox }) => inbox.length > 0).map(({ lease }) => lease.id);
    expect(told.toSorted()).toEqual([...older, looked].toSorted());
  });
});

function stateKeyOf(approval: Approval): string {
  return stateKey(messageStateOf(approval, terms, NOW));
}
