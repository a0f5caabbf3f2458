import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { createServiceAnswers } from '../../src/approvals/decision/service-answers.ts';
import { executeStep } from '../../src/approvals/steps.ts';
import { RemoteFailure } from '../../src/core/lib/failure.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Lookup } from '../../src/core/slack/lookup.ts';
import { openEmbeddedWorld } from '../core/store/embedded-world.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { approvalWith, NO_STEPS, NOW } from './approvals.ts';

const failure = { class: 'refused', code: 'http_401', status: 401 } as const;
const { watch } = approvalWith();
const denied = approvalWith({ watch: { ...watch, stale: true, failure } });
const poll = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;

/** A replica whose service denies every read. */
async function openReplica() {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  let reads = 0;
  let isOpen = false;
  const clock = { monotonic: () => 0 };
  const dependencies = coreWith({
    ...NO_STEPS,
    store,
    config: { budgetPerMinute: 6_000 },
    timers: systemTimers,
    timing: TRUE_TIME,
    box: NO_BOX,
    lookup: fake<Lookup>({ isMember: async () => true }),
    serviceAnswers: createServiceAnswers({ clock, store, timing: TRUE_TIME }),
    service: {
      approvals: {
        async get() {
          reads += 1;
          if (!isOpen) throw new RemoteFailure('read', failure);
          return { status: 'PENDING', raw: null, resolvedAt: null, prompt: null };
        },
        respond: () => Promise.reject(new Error('nobody decides')),
      },
    },
  });
  return {
    read: async (approval: Approval, why: 'watch' | 'decide' = 'watch') =>
      (await executeStep(dependencies, '0-abc', approval, { ...poll, why })).kind,
    reads: () => reads,
    mend() {
      isOpen = true;
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

test('while every read is denied, one poll at a time tries; after the first success all polls run again', async () => {
  await using replica = await openReplica();
  expect(await replica.read(approvalWith()), 'the first one').toBe('failed');
  expect(await replica.read(denied), 'the one that tries').toBe('failed');
  expect(await replica.read(denied)).toBe('left-out');
  expect(await replica.read(denied)).toBe('left-out');
  expect(replica.reads()).toBe(2);
  replica.mend();
  // One that was not denied yet is polled as ever.
  expect(await replica.read(approvalWith())).toBe('status');
  expect([await replica.read(denied), await replica.read(denied)]).toEqual(['status', 'status']);
});

test('a person’s check, an automation’s check and a decision read at once even while polls are held back', async () => {
  await using replica = await openReplica();
  for (let times = 0; times < 2; times += 1) await replica.read(denied);
  expect(await replica.read(denied)).toBe('left-out');
  const asker = { user: 'U0ANA', channel: 'C0PROD', at: NOW, checks: true } as const;
  const asked = { ...denied, watch: { ...denied.watch, askers: [asker] } };
  const checked = { ...denied, watch: { ...denied.watch, slot: true as const } };
  expect(await replica.read(asked), 'Check now').toBe('failed');
  expect(await replica.read(checked), "an automation's check").toBe('failed');
  expect(await replica.read(denied, 'decide'), 'a press').toBe('failed');
});
