import { expect, vi } from 'vitest';
import type { WorkspaceFault } from '../../sandbox/workspace/workspace-handle.ts';
import type { Route } from '../../src/core/config/config.ts';
import { MODE } from '../support/bot-config.ts';
import { postsOf, untilAtRest } from './aftermath.ts';
import {
  ANA,
  BEN,
  CLEO,
  effectsOf,
  respondsOf,
  type Stage,
  type StageOptions,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** Every method that the bot calls fails once: the next try, or the next way, succeeds. */

const RETRY_AFTER_S = 1;
const FAULTS = [
  { name: 'limits', kind: '429', retryAfter: RETRY_AFTER_S },
  { name: 'fails at', kind: '500' },
  { name: 'carries out and does not answer', kind: 'dropAfter' },
] as const satisfies readonly (WorkspaceFault & { name: string })[];

/** From now on the next call fails. */
type Fail = (when?: WorkspaceFault['when']) => void;

interface Scene {
  readonly method: string;
  readonly options?: StageOptions;
  /** It fails at the start of the bot. */
  readonly atStart?: true;
  /** Several callers at once, and one of the calls fails. */
  readonly isAskedByMany?: true;
  /** Makes the bot call the method, and checks what people see in the end. */
  readonly live: (stage: Stage, fail: Fail) => Promise<void>;
}

const NOBODY = { users: [], groups: [], channel: false };
const reviewers = (given: Partial<Route['reviewers']>): StageOptions => ({
  route: { reviewers: { ...NOBODY, ...given } },
});

const SCENES: readonly Scene[] = [
  {
    method: 'auth.test',
    atStart: true,
    live: async (stage) => decided(stage, await stage.ask()),
  },
  {
    method: 'chat.postMessage',
    async live(stage, fail) {
      fail();
      await decided(stage, await stage.ask());
    },
  },
  { method: 'chat.update', live: failsAfterAsking },
  { method: 'users.info', live: failsAfterAsking },
  {
    method: 'usergroups.users.list',
    options: reviewers({ groups: ['S0REL'] }),
    live: failsAfterAsking,
  },
  {
    method: 'conversations.members',
    options: reviewers({ channel: true }),
    live: failsAfterAsking,
  },
  {
    method: 'users.lookupByEmail',
    async live(stage, fail) {
      fail();
      const asked = await stage.ask({ requestedBy: { email: 'dana@example.com' } });
      await decided(stage, asked);
      await stage.sandbox.until(() => postsOf(stage.sandbox, asked.id).includes(REQUESTER_TOLD));
    },
  },
  {
    method: 'conversations.open',
    async live(stage, fail) {
      const asked = await stage.ask({ requestedBy: { slackUser: CLEO } });
      fail();
      await decided(stage, asked);
      await stage.sandbox.until(() => postsOf(stage.sandbox, asked.id).includes(REQUESTER_TOLD));
    },
  },
  {
    method: 'conversations.history',
    async live(stage, fail) {
      const { workspace } = stage.sandbox;
      workspace.fault({ kind: 'dropAfter', method: 'chat.postMessage', times: 1 });
      fail();
      const asked = await stage.ask();
      await searched(stage, 'conversations.history');
      await decided(stage, asked);
    },
  },
  {
    method: 'conversations.replies',
    async live(stage, fail) {
      const asked = await stage.ask();
      const isReply: WorkspaceFault['when'] = ({ thread_ts }) => thread_ts === asked.ts;
      stage.sandbox.workspace.fault({
        kind: 'dropAfter',
        method: 'chat.postMessage',
        times: 1,
        when: isReply,
      });
      fail();
      await decided(stage, asked);
      await searched(stage, 'conversations.replies');
    },
  },
  { method: 'response_url', live: turnsCleoAway },
  {
    method: 'chat.postEphemeral',
    async live(stage, fail) {
      stage.sandbox.workspace.fault({ kind: '500', method: 'response_url' });
      await turnsCleoAway(stage, fail);
    },
  },
  {
    method: 'views.open',
    options: { route: { reason: { approve: 'none', reject: 'required' } } },
    async live(stage, fail) {
      const { workspace } = stage.sandbox;
      const { ts, token, id } = await stage.ask();
      fail();
      await stage.click(BEN, ts, 'Reject');
      await stage.sandbox.until(() => stage.told(BEN).length > 0);
      expect(stage.told(BEN)[0]).toMatch(/^Slack did not confirm that the form for/);
      const isOpen = async () => {
        if (workspace.modal(BEN) === undefined) await stage.click(BEN, ts, 'Reject');
        return workspace.modal(BEN) !== undefined;
      };
      await vi.waitUntil(isOpen, { timeout: 60_000, interval: 200 });
      expect(respondsOf(stage, token)).toEqual([]);
      await workspace.submit({ user: BEN, values: { 'approvals.reason.text': 'Not today' } });
      await stage.until(ts, /Rejected by <@U0BEN>/);
      await settled(stage, id);
      expect(effectsOf(stage, token)).toEqual(['reject']);
    },
  },
  ...(MODE === 'http'
    ? []
    : [
        {
          method: 'apps.connections.open',
          isAskedByMany: true as const,
          async live(stage: Stage, fail: Fail) {
            const { sockets } = stage.sandbox.workspace;
            await stage.sandbox.until(() => sockets.open() === 2);
            fail();
            sockets.drop();
            await stage.sandbox.until(() => sockets.open() === 0);
            await stage.sandbox.until(() => sockets.open() === 2);
            await decided(stage, await stage.ask());
          },
        },
      ]),
];

async function failsAfterAsking(stage: Stage, fail: Fail): Promise<void> {
  const asked = await stage.ask();
  fail();
  await decided(stage, asked);
}

/** Waits until Slack has answered a search for a lost post. */
function searched({ sandbox }: Stage, method: string): Promise<unknown> {
  const isAnswered = () => sandbox.workspace.calls(method).some(({ ok }) => ok);
  return sandbox.until(isAnswered, { what: 'the search' });
}

type AskedFor = Awaited<ReturnType<Stage['ask']>>;

/** Ana approves: it happens once, and everything is posted once. */
async function decided(stage: Stage, { ts, token, id }: AskedFor): Promise<void> {
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  await settled(stage, id);
  expect(stage.read(ts)).toContain('Approved by <@U0ANA>');
  expect(effectsOf(stage, token)).toEqual(['approve']);
  expect(respondsOf(stage, token)).toEqual([200]);
}

/** Cleo, who is no reviewer, is told so, in whatever way. */
async function turnsCleoAway(stage: Stage, fail: Fail): Promise<void> {
  const asked = await stage.ask();
  fail();
  await stage.click(CLEO, asked.ts, 'Approve');
  await stage.sandbox.until(() => stage.told(CLEO).length > 0);
  await decided(stage, asked);
  // A way that ended without an answer may have worked: the next way is tried anyway.
  expect(new Set(stage.told(CLEO))).toEqual(
    new Set([expect.stringMatching(/^You are not a reviewer/)]),
  );
}

const REQUESTER_TOLD = 'outcome-requester';
const ANNOUNCED = ['message', 'outcome-thread', 'outcome-channel'];

/** Nothing is left to do; every post of the record exists once. */
async function settled({ app, sandbox }: Stage, id: string): Promise<void> {
  const parts = () => postsOf(sandbox, id);
  await sandbox.until(() => ANNOUNCED.every((part) => parts().includes(part)), {
    what: 'the message and its announcements',
  });
  await untilAtRest(app, 'people', 'background');
  expect(parts()).toHaveLength(new Set(parts()).size);
}

/** After a 429 a method is not called again too early, in the channel that it limits. */
function expectPatience({ sandbox }: Stage, method: string): void {
  const calls = sandbox.workspace.calls(method);
  const at = calls.findIndex(({ status }) => status === 429);
  const limited = calls[at];
  expect(limited).toBeDefined();
  const next = calls.slice(at + 1).find(({ args }) => args.channel === limited?.args.channel);
  if (next === undefined || limited === undefined) return;
  // The loop's time may be behind by as long as the store's last answer was on its way.
  expect(next.at - limited.at).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1_000 - 200);
}

for (const { method, options = {}, atStart, isAskedByMany, live } of SCENES) {
  for (const { name, ...given } of FAULTS) {
    story(
      'slack-fails nothing-twice no-click-lost',
      `the request is decided and shown even if Slack ${name} ${method}`,
      async () => {
        const fault = { ...given, method, times: 1 };
        await using stage = await startStage({
          ...options,
          ...(atStart && { before: ({ workspace }) => workspace.fault(fault) }),
        });
        const { workspace } = stage.sandbox;
        await live(stage, (when) => workspace.fault({ ...fault, ...(when && { when }) }));
        expect(workspace.calls(method).some(({ status, ok }) => status !== 200 || !ok)).toBe(true);
        if (given.kind === '429' && !isAskedByMany) expectPatience(stage, method);
      },
    );
  }
}
