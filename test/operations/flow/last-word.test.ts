import { expect, it } from 'vitest';
import { attemptAt } from '../../../src/core/engine/attempt.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { SlackLinks } from '../../../src/core/slack/links.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { NewPost, Outbox, Update } from '../../../src/core/slack/outbox.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { createBatchFlow } from '../../../src/operations/batch/batch-flow.ts';
import { queueOf } from '../../../src/operations/batch/queue.ts';
import { createOperationFlow } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import type { CaseRecord } from '../../../src/operations/test-cases/case.ts';
import { caseOperation } from '../../../src/operations/test-cases/case-operation.ts';
import {
  caseBatchOperation,
  caseBatchViews,
} from '../../../src/operations/test-cases/several/case-batch-views.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { batchWith, places } from '../test-cases/several/batches.ts';

const NOW = 1_000_000;
const asked: CaseRecord = {
  v: 1,
  by: 'U0ANA',
  channel: 'C0',
  wish: { testCase: { spaceSlug: 'eng', projectId: 'tp1', title: 'Pay' }, round: 0 },
  announce: false,
  run: 0,
  createdAt: NOW,
  modal: 'V1',
  phase: firstPhase(0),
  posts: [],
};
const attempt = attemptAt({ plannedAt: NOW }, TRUE_TIME, NOW);
const sending = { name: 'sending', attempt, sends: { notSent: 0, limited: 0 } } as const;

/** A Slack that notes what people read; a modal that was closed is not there. */
function slackWith({ isClosed = false } = {}) {
  const read: string[] = [];
  const note = (where: string, content: unknown) =>
    void read.push(`${where} ${JSON.stringify(content)}`);
  const needs = coreWith({
    service: { testCases: null },
    config: { ...places, retention: { doneMs: 1 }, budgetPerMinute: 1 },
    store: fake<Store>({}),
    links: fake<SlackLinks>({}),
    raise: async () => {},
    timing: TRUE_TIME,
    modals: fake<Modals>({
      async update(modal, view) {
        if (isClosed)
          throw new RemoteFailure('views.update', { class: 'refused', code: 'not_found' });
        note('modal', view);
        return modal;
      },
    }),
    outbox: fake<Outbox>({
      openDirectMessage: async () => 'D0ANA',
      async post(post: NewPost) {
        note(post.channel, post);
        return { channel: post.channel, ts: '1.1' };
      },
      update: async (update: Update) => note(update.ts, update),
    }),
  });
  return { read, needs };
}

async function lastReadOf(record: CaseRecord, options: { readonly isClosed?: boolean } = {}) {
  const { read, needs } = slackWith(options);
  const flow = createOperationFlow(caseOperation(needs), TRUE_TIME);
  await flow.lastWord?.(record, record, '0-a', NOW).show();
  return read;
}

it.each<[string, Partial<CaseRecord>, RegExp]>([
  [
    'what the service said',
    { phase: { name: 'done' }, outcome: { code: 'created', id: 'tc1', status: 'DRAFT' } },
    /^modal .*\*Created\*/,
  ],
  [
    'that nothing was sent',
    {},
    /\*Not created\*.* lost its record of this\. Nothing was created\. Start over with \/new-case\./,
  ],
  [
    'that nobody knows, where it was sent',
    { phase: sending },
    /\*Unknown\*.* an earlier attempt may have created it/,
  ],
])('if the record was deleted, the person is told %s', async (_, change, words) => {
  const [read = '', ...more] = await lastReadOf({ ...asked, ...change });
  expect(read).toMatch(words);
  expect(more).toEqual([]);
});

it('if the record was deleted and the modal is gone, the person gets a direct message', async () => {
  expect(await lastReadOf(asked, { isClosed: true })).toEqual([
    expect.stringMatching(/^D0ANA .*lost its record of this/),
  ]);
});

it('nobody is told if the operation was silent', async () => {
  expect(await lastReadOf({ ...asked, silent: true })).toEqual([]);
});

it('for several test cases, the person is told what was created and what was not sent', async () => {
  const { read, needs } = slackWith();
  const flow = createBatchFlow(caseBatchOperation(needs), caseBatchViews(needs));
  const created = { code: 'created', id: '1', status: 'DRAFT' } as const;
  const lines = [{ title: 'One', end: created }, { title: 'Two' }, { title: 'Three' }];
  const posts = [{ name: 'result', channel: 'D0ANA', ts: '1.1' }];
  const batch = batchWith(lines, { ...queueOf([1, 2], 0), phase: sending, posts });
  const last = flow.lastWord?.(batch, batch, '0-a', NOW);
  expect(last?.facts).toEqual({ succeeded: '1', queued: '2' });
  await last?.show();
  expect(read).toEqual([
    expect.stringMatching(/^1\.1 .*\*Stopped: 1 of 3 created\*.* · 1 unknown · 1 not sent/),
  ]);
  expect(read[0]).toContain('Gatepost lost its record of this. Start over with /new-case.');
});
