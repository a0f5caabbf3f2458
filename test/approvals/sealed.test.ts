import { expect, test } from 'vitest';
import type { Approval, Reply } from '../../src/approvals/approval.ts';
import { executeStep, type Step } from '../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import { systemRandom } from '../../src/core/lib/random.ts';
import { createSecretBox } from '../../src/core/lib/secret-box.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Directory } from '../../src/core/people/directory.ts';
import type { PostingQueue } from '../../src/core/posts/posting-queue.ts';
import type { Lookup } from '../../src/core/slack/lookup.ts';
import type { Store } from '../../src/core/store/store.ts';
import { coreWith } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import {
  applied,
  approvalWith,
  attempted,
  closedSentence,
  LINKS,
  NOW,
  plan,
  routeWith,
  termsWith,
} from './approvals.ts';

const boxOf = (id: string, byte: number) =>
  createSecretBox([{ id, key: Buffer.alloc(32, byte) }], systemRandom);
const sealed = boxOf('old', 1).seal('the-token', 'approval.token');
const asker = { user: 'U0ANA', channel: 'C0PROD', at: NOW };
const sends = { notSent: 0, limited: 0, ambiguous: 0 };
const reading = { kind: 'read-status', why: 'decide', deadlineMs: 5_000, plannedAt: NOW } as const;
const never = () => {
  throw new Error('nothing is to be called');
};

/** The key that sealed the texts is gone; no other system is reachable. */
const needs = coreWith({
  box: boxOf('new', 2),
  service: { approvals: { get: never, respond: never } },
  outbox: {
    post: never,
    update: never,
    openDirectMessage: never,
    findByMetadata: never,
    readMessage: never,
  },
  links: LINKS,
  replies: { respondUrl: never, ephemeral: never, direct: never },
  lookup: fake<Lookup>({
    person: never,
    userByEmail: never,
    isMember: never,
    groupMembers: never,
    lastSeen: never,
  }),
  directory: fake<Directory>({ serviceUserFor: never, readAhead: never }),
  workspace: { team: 'T0', enterprise: null, teams: [] },
  store: fake<Store>({ pace: never, pause: never }),
  raise: never,
  pending: never,
  callbacks: { isWanted: () => false, send: never, close: never },
  deliverResult: never,
  serviceAnswers: {
    heard: async () => {},
    isDenying: () => false,
    isProbe: never,
    shown: async () => {},
    isThirdNotKnown: never,
  },
  config: { routes: [routeWith()], budgetPerMinute: 240 },
  queue: fake<PostingQueue>({ taken: never }),
  ages: { monotonic: () => 0 },
  timers: systemTimers,
  timing: TRUE_TIME,
});

async function after(approval: Approval, step: Step): Promise<Approval> {
  const result = await executeStep(needs, '0-abc', approval, step);
  return applied(approval, step, result);
}

function decidingWith(phase: NonNullable<Approval['decision']>['phase']): Approval {
  const decision = { action: 'approve', by: 'U0ANA', at: NOW, asker, phase } as const;
  const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW }] as const;
  return approvalWith({ token: sealed, decision, ballots });
}

const UNREADABLE = 'Gatepost can no longer read the token of <request>.';

test('a token that no key opens ends the watch, is shown, and the person who clicked is told', async () => {
  const checking = { name: 'check', tries: 0, notBefore: NOW, sends } as const;
  const ended = await after(decidingWith(checking), reading);
  expect(ended.decision).toBeUndefined();
  const text = `${UNREADABLE} Your approval was not sent. Request the approval again.`;
  expect(ended.replies).toMatchObject([{ user: 'U0ANA', text }]);
  expect(ended.alerts).toEqual([{ cause: 'sealed' }]);
  expect(messageStateOf(ended, termsWith(), NOW)).toEqual({ name: 'unknown', why: 'sealed' });
  const shown = stateKey(messageStateOf(ended, termsWith(), NOW));
  expect(plan({ ...ended, shown, replies: [], alerts: [] }, termsWith(), NOW)).toMatchObject({
    kind: 'finish',
  });
});

test('a token that no key opens leaves a sent decision unconfirmed', async () => {
  const attempt = { plannedAt: NOW, mustEndBy: NOW + 5_000 };
  const ended = await after(decidingWith({ name: 'sending', attempt, sends }), reading);
  expect(ended.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
  expect(ended.replies.map(({ text }) => text)).toEqual([
    `${UNREADABLE} It is not known whether your approval was accepted. Request the approval again.`,
  ]);
});

test('a decision whose token no key opens was not sent, and is closed', async () => {
  const step = { kind: 'respond', plannedAt: NOW } as const;
  const begun = attempted(decidingWith({ name: 'send', sends, askedAt: NOW }), step, NOW);
  const closed = await after(begun, step);
  expect(closed.decision).toBeUndefined();
  expect(closed.unconfirmed).toBeUndefined();
  expect(closed.replies).toMatchObject([{ user: 'U0ANA', text: closedSentence('sealed') }]);
});

test('a reply whose response URL no key opens is sent another way', async () => {
  const owed: Reply = {
    ...asker,
    id: '1',
    about: 'trouble',
    text: 'Hello.',
    via: 'url',
    responseUrl: sealed,
  };
  const { replies } = await after(approvalWith({ replies: [owed] }), {
    kind: 'reply',
    reply: '1',
    via: 'url',
  });
  expect(replies).toEqual([{ ...owed, via: 'ephemeral' }]);
});
