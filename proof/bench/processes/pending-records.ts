import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { APPROVAL_KIND } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { createServiceAnswers } from '../../../src/approvals/decision/service-answers.ts';
import { work } from '../../../src/core/engine/lease-session.ts';
import { createReconciler } from '../../../src/core/engine/reconciler.ts';
import { system } from '../../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Held } from '../../../src/core/store/store.ts';
import { announce } from '../support/announce.ts';
import type { Env } from '../support/child.ts';
import type { PendingRequest } from '../support/pending-records.ts';
import { percentile } from '../support/percentile.ts';
import {
  atOnce,
  configOf,
  decidedApprovals,
  HOUR_MS,
  openQuietStore,
  waitingApprovals,
} from '../support/waiting-approvals.ts';

/** Fills a store with approvals, and reconciles those that are due and need nothing. */

// as: the environment of a child has the members of `Env`
const config = configOf(process.env as Env);
const store = await openQuietStore(config);
const make = waitingApprovals(config);
const decided = decidedApprovals(config);
const tasks: Record<PendingRequest['task'], (count: number) => Promise<unknown>> = {
  // Spread as the polling budget spreads that many.
  fill: (count) => fill(count, (count / config.budgetPerMinute) * 60_000),
  'fill-audited': (count) => fill(count, HOUR_MS, AUDIT),
  'fill-due': (count) => fill(count, 0),
  'fill-listed': (count) => fillDecided(count, 0),
  'fill-unlisted': (count) => fillDecided(count, config.retention.decidedMs),
  'run-loop': runLoop,
  'run-store': runStore,
  'claim-late': claimLate,
};

// as: `support/pending-records.ts` sends nothing else
process.on('message', async (message) => {
  const { task, count } = message as PendingRequest;
  const startedAt = performance.now();
  const found = await tasks[task](count);
  process.send?.(typeof found === 'number' ? found : performance.now() - startedAt);
});
const server = createServer().listen(0, '127.0.0.1', () => announce(server));

async function fill(count: number, withinMs: number, audit: typeof AUDIT = []): Promise<void> {
  await atOnce(count, 200, async () => {
    const dueInMs = Math.random() * withinMs;
    const { record } = make({ dueInMs, askInMs: Math.max(dueInMs, HOUR_MS) });
    await store.create({ ...record, audit }, { hold: false });
  });
}

/** Approvals with nothing left to do, in the state in which the product's own flow leaves them. */
async function fillDecided(count: number, agoMs: number): Promise<void> {
  await atOnce(count, 200, async () => {
    const created = await store.create(decided({ agoMs }), { hold: true });
    if (created.kind === 'created' && created.held !== undefined) await planAndSave(created.held);
  });
}

/** The audit entries that the intake and the post write for every approval. */
const AUDIT = [
  {
    action: 'approvals.asked',
    record: null,
    actor: 'default',
    facts: { route: 'default', channel: 'C0BENCH' },
  },
  {
    action: 'approvals.post',
    record: null,
    actor: 'gatepost',
    facts: { post: 'message', channel: 'C0BENCH', ts: '1750000000.000000' },
  },
];

/** Due records are claimed, planned and saved by the product's own loop. */
async function runLoop(count: number): Promise<void> {
  await loopUntil(count, () => {});
}

/** How late due records are claimed, in ms at the 99th percentile, while `count` become due one after the other. */
async function claimLate(count: number): Promise<number> {
  const dueAt = new Map<string, number>();
  await atOnce(count, 50, async () => {
    const dueInMs = 2_000 + Math.random() * FALL_DUE_MS;
    const { record } = make({ dueInMs, askInMs: HOUR_MS });
    const created = await store.create(record, { hold: false });
    if (created.kind === 'created') dueAt.set(created.id, created.now + dueInMs);
  });
  const late: number[] = [];
  await loopUntil(count, ({ record, now }) => late.push(now - (dueAt.get(record.id) ?? now)));
  return percentile(late, 0.99);
}

const FALL_DUE_MS = 10_000;

async function loopUntil(count: number, onClaimed: (held: Held) => void): Promise<void> {
  let done = 0;
  const reconciler = createReconciler({
    store,
    workers: {
      async [APPROVAL_KIND](held: Held) {
        onClaimed(held);
        const until = await planAndSave(held);
        done += 1;
        return until;
      },
    },
    logger: { info() {}, warn: console.error, error: console.error },
    ...system,
    giveWay: { turn: () => undefined },
    newReference: () => '',
    onSize() {},
    onStuck() {},
  });
  reconciler.start();
  while (done < count) await sleep(10);
  await reconciler.stop(1_000);
}

/** The same without the loop's limits: claims of 256 one after the other, three of which are being saved at a time. */
async function runStore(count: number): Promise<void> {
  let done = 0;
  let claims: Promise<unknown> = Promise.resolve();
  await atOnce(4, 4, async () => {
    while (done < count) {
      const claimed = claims.then(() => store.claim('background', 256));
      claims = claimed;
      const { held } = await claimed;
      await Promise.all(held.map(planAndSave));
      done += held.length;
    }
  });
}

const flow = createApprovalFlow({
  ...system,
  config,
  store,
  timing: TRUE_TIME,
  pending: () => 0,
  serviceAnswers: createServiceAnswers({ ...system, store, timing: TRUE_TIME }),
  callbacks: { isWanted: () => false },
  // as: the only step is to wait, so nothing else is used
} as unknown as ApprovalCore);

function planAndSave(held: Held) {
  return work(held, flow, {
    store,
    monotonic: () => system.clock.monotonic(),
    sleep: (ms) => system.timers.sleep(ms),
    newId: () => '',
    timing: TRUE_TIME,
    onVanished() {},
    onStep() {
      throw new Error('nothing was due but to wait');
    },
  });
}
