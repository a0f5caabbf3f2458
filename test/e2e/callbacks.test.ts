import { expect, vi } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import {
  CALLBACK_SECRET,
  type ReceivedCallback,
  startReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { DEPLOYS } from '../support/world.ts';
import { ANA, startStage } from './stage.ts';
import { story } from './story.ts';

const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'Shall we?' };

function calledBack({ url }: WebhookReceiver) {
  return (config: Config): Config => ({
    ...config,
    sources: config.sources.map((source) => ({
      ...source,
      callback: { url, secrets: [CALLBACK_SECRET] },
    })),
  });
}

/** Waits until the receiver was told of this, and gives all that it was told. */
async function until(
  receiver: WebhookReceiver,
  type: string,
): Promise<readonly ReceivedCallback[]> {
  const options = { timeout: 60_000, interval: 50 };
  await vi.waitUntil(() => receiver.received.some((each) => each.type === type), options);
  return receiver.received;
}

story('callback', 'a source gets signed callbacks for its request, each once', async () => {
  await using receiver = await startReceiver();
  await using stage = await startStage({
    config: calledBack(receiver),
    route: { reason: { approve: 'none', reject: 'none' } },
  });
  const { id, ts } = await stage.ask(DEPLOY);
  await stage.click(ANA, ts, 'Approve');
  const told = await until(receiver, 'approval.decided');
  expect(told.map(({ type }) => type)).toEqual(['approval.posted', 'approval.decided']);
  const permalink = expect.stringContaining(`/archives/${DEPLOYS}/`);
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const requester = { known: false };
  const same = { id, key: DEPLOY.key, reason: null, digest, permalink, requester };
  expect(told[0]?.data).toEqual({ ...same, status: 'PENDING', by: [] });
  expect(told[1]?.data).toEqual({ ...same, status: 'APPROVED', by: [ANA] });
  for (const { headers } of told) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers['content-type']).toBe('application/json');
  }
  expect(receiver.refused).toBe(0);
});

story('callback no-token-shown', 'a token of the service is in no callback', async () => {
  await using receiver = await startReceiver();
  await using stage = await startStage({ config: calledBack(receiver) });
  const { id, token, ts } = await stage.ask({ title: 'Deploy' });
  await stage.click(ANA, ts, 'Reject');
  const told = await until(receiver, 'approval.decided');
  expect(told.at(-1)?.data).toMatchObject({ id, status: 'REJECTED', by: [ANA] });
  expect(JSON.stringify(told)).not.toContain(token);
});

story('callback', 'blocked, timed-out and withdrawn requests are called back too', async () => {
  await using receiver = await startReceiver();
  await using stage = await startStage({ config: calledBack(receiver) });
  const soon = new Date(Date.now() + 2_000).toISOString();
  await stage.ask({ ...DEPLOY, expiresAt: soon });
  const { id } = await stage.ask({ ...DEPLOY, key: 'another' });
  await stage.sandbox.automation.withdraw(id);
  await until(receiver, 'approval.withdrawn');
  await until(receiver, 'approval.timed_out');
  stage.sandbox.workspace.fault({
    method: 'chat.postMessage',
    kind: 'refused',
    error: 'not_in_channel',
  });
  await stage.send({ ...DEPLOY, key: 'blocked' });
  const told = await until(receiver, 'approval.blocked');
  expect(told.find(({ type }) => type === 'approval.blocked')?.data).toMatchObject({
    key: 'blocked',
    status: 'BLOCKED',
    permalink: null,
  });
});

story(
  'callback nothing-twice',
  'a failed callback is sent again with the same id, and redirects are not followed',
  async () => {
    await using receiver = await startReceiver();
    await using stage = await startStage({ config: calledBack(receiver) });
    const answers = [500, 'redirect', 429] as const;
    receiver.answer(({ type }) => {
      if (type !== 'approval.decided') return 204;
      const seen = receiver.received.filter((each) => each.type === type).length;
      return answers[seen - 1] ?? 202;
    });
    const { ts } = await stage.ask(DEPLOY);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    const options = { timeout: 60_000, interval: 50 };
    const decided = () => receiver.received.filter(({ type }) => type === 'approval.decided');
    await vi.waitUntil(() => decided().length === 4, options);
    expect(new Set(decided().map(({ id }) => id)).size).toBe(1);
    const [first, second, third, last] = decided().map(({ at }) => at);
    // 1, 5 and 25 s, at a tenth of the time.
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(95);
    expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(490);
    expect(Number(last) - Number(third)).toBeGreaterThanOrEqual(2_450);
    expect(receiver.refused).toBe(0);
  },
);

story(
  'callback no-click-lost',
  'a receiver that hangs delays no message, click or other request',
  async () => {
    await using receiver = await startReceiver();
    await using stage = await startStage({ config: calledBack(receiver) });
    receiver.answer(() => 'hang');
    const keys = ['one', 'two', 'three'];
    const asked = await Promise.all(keys.map((key) => stage.ask({ ...DEPLOY, key })));
    await vi.waitUntil(() => receiver.hanging === 3, { timeout: 60_000, interval: 50 });
    const decided = asked.map(async ({ ts }) => {
      await stage.click(ANA, ts, 'Approve');
      await stage.until(ts, /Approved by/);
    });
    await Promise.race(decided);
    expect(receiver.hanging).toBe(3);
    await Promise.all(decided);
  },
);
