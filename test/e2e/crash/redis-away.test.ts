import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { canStartRedis } from '../../support/redis.ts';
import { sendSigned, signedPress } from '../../support/signed-press.ts';
import { story } from '../story.ts';
import { effectsOf, startStage } from './stage.ts';

const NOT_RECORDED = 'was not recorded: Gatepost could not store it.';
const NOT_KNOWN = 'It is not known whether your click on';

/** They press one button each, so that it is known which press a sentence is about. */
const PEOPLE = 'U0ANA,U0BEN,U0CLEO,U0DANA';

describe.skipIf(!(await canStartRedis()))('when Redis', () => {
  story(
    'no-click-lost nobody-without-answer',
    'is killed between clicks, each acknowledged click is carried out or its person is told',
    async () => {
      await using stage = await startStage('redis', { GATEPOST_REVIEWERS: PEOPLE });
      const { sandbox, redis } = stage;
      const ask = async (user: string) => {
        const { ts, token } = await stage.ask();
        const press = () => stage.click(user, ts, 'Approve');
        return { ts, token, press, told: () => stage.told(user), mark: `Approved by <@${user}>` };
      };
      const [before, meanwhile, then, after] = await Promise.all([
        ask('U0ANA'),
        ask('U0BEN'),
        ask('U0CLEO'),
        ask('U0DANA'),
      ]);
      expect(await before.press()).toMatchObject({ acknowledged: true });
      const first = meanwhile.press();
      const killed = redis.kill();
      const pressed = await Promise.all([first, then.press()]);
      await killed;
      const isNoticed = () =>
        stage.bot.output.some((line) => line.includes('lost the connection to Redis'));
      await vi.waitUntil(isNoticed, { timeout: 60_000 });
      // On a busy machine a person may not be told in time: then Slack gets no acknowledgement, and shows an error.
      await vi.waitFor(
        async () => expect(await after.press()).toMatchObject({ acknowledged: true }),
        60_000,
      );
      await sandbox.until(() => after.told().length > 0);
      for (const sentence of after.told()) expect(sentence).toContain(NOT_RECORDED);

      await redis.restart();
      await stage.until(before.ts, /Approved by <@U0ANA>/);
      for (const [at, { ts, token, told, mark }] of [meanwhile, then].entries()) {
        if (pressed[at]?.acknowledged !== true) continue;
        await sandbox.until(() => stage.read(ts).includes(mark) || told().length > 0, {
          what: 'a decision or a sentence',
        });
        if (told()[0]?.includes(NOT_RECORDED)) expect(effectsOf(sandbox, token)).toBe(0);
      }
      expect(effectsOf(sandbox, after.token)).toBe(0);
      await after.press();
      await stage.until(after.ts, /Approved by <@U0DANA>/);
    },
  );

  story(
    'nobody-without-answer no-message-lies',
    'is away and Slack accepts no reply either, a click visibly fails, and works when delivered again',
    async () => {
      await using stage = await startStage('redis');
      const { sandbox, redis } = stage;
      const { id, ts, token } = await stage.ask();
      const press = signedPress(sandbox, { user: 'U0ANA', ts, label: 'Approve' });
      const click = () => stage.click('U0BEN', ts, 'Approve');
      await redis.kill();
      sandbox.workspace.fault({ kind: '500' });
      sandbox.workspace.fault({ kind: '500', method: 'response_url' });
      expect(await sendSigned(stage.bot.url, press)).toBe(503);
      expect(await click()).toMatchObject({
        acknowledged: false,
        shown: 'Operation failed: the app responded with status code 503.',
      });
      expect(stage.told('U0ANA')).toEqual([]);

      sandbox.workspace.clearFaults();
      expect(await click()).toMatchObject({ acknowledged: true });
      expect(stage.told('U0BEN')).toEqual([expect.stringContaining(NOT_RECORDED)]);
      // Nobody here knows what became of an earlier delivery.
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      expect(stage.told('U0ANA')).toEqual([expect.stringContaining(NOT_KNOWN)]);
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      expect(stage.told('U0ANA')).toHaveLength(1);

      await redis.restart();
      await vi.waitUntil(async () => (await sandbox.automation.status(id)).status === 200, {
        timeout: 60_000,
        interval: 100,
      });
      await click();
      await stage.until(ts, /Approved by <@U0BEN>/);
      expect(effectsOf(sandbox, token)).toBe(1);
    },
  );

  story(
    'no-message-lies click-once',
    'is away when a stored click is delivered again, nobody is told that it was not recorded',
    async () => {
      await using stage = await startStage('redis');
      const { sandbox, redis } = stage;
      const { ts, token } = await stage.ask();
      let lookOn = () => {};
      const until = new Promise<void>((resolve) => {
        lookOn = resolve;
      });
      sandbox.service.fault({ operation: 'getApproval', kind: 'latency', until });
      const press = signedPress(sandbox, { user: 'U0ANA', ts, label: 'Approve' });
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      await redis.kill();
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      await redis.restart();
      sandbox.service.clearFaults();
      lookOn();
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(stage.told('U0ANA')).toEqual([]);
    },
  );

  story(
    'no-message-lies',
    "is emptied while a decision is sent, the service's response is shown and logged",
    async () => {
      await using stage = await startStage('redis');
      const { sandbox, redis } = stage;
      const { ts, token, id } = await stage.ask();
      const client = new Redis(redis.url);
      sandbox.service.fault({ operation: 'respond', kind: 'latency', ms: 2_000, times: 1 });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.service.requests('respond').length === 1);
      await client.flushall();
      client.disconnect();
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(effectsOf(sandbox, token)).toBe(1);
      const facts = `"record":"${id}","step":"respond","action":"approve","status":"APPROVED"`;
      expect(
        stage.bot.output.find((line) => line.includes('before its result was saved')),
      ).toContain(facts);
    },
  );

  story('nobody-without-answer', 'is away, automations are told to retry, and can', async () => {
    await using stage = await startStage('redis');
    const { sandbox } = stage;
    await stage.redis.kill();
    const { token } = sandbox.service.createApproval();
    const intake = () =>
      fetch(`${stage.bot.url}/v1/approvals`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ token }),
      });
    const refused = await intake();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');

    await stage.redis.restart();
    await vi.waitUntil(async () => (await intake()).ok, { timeout: 60_000, interval: 100 });
    await sandbox.until(() => sandbox.workspace.calls('chat.postMessage').length === 1);
  });

  story('store-readiness', 'accepts no writes, the bot is not ready until it does', async () => {
    await using stage = await startStage('redis');
    const admin = new Redis(stage.redis.url);
    const slots = (status: number) =>
      vi.waitUntil(async () => (await fetch(`${stage.bot.url}/readyz`)).status === status, {
        timeout: 60_000,
        interval: 100,
      });
    await slots(200);
    await admin.config('SET', 'maxmemory', '1');
    await slots(503);
    expect((await fetch(`${stage.bot.url}/healthz`)).status).toBe(200);
    await admin.config('SET', 'maxmemory', '0');
    await slots(200);
    admin.disconnect();
  });

  story(
    'nothing-twice no-message-lies',
    'dies while the service responds, the response is kept until it is back',
    async () => {
      await using stage = await startStage('redis');
      const { sandbox, redis } = stage;
      const { ts } = await stage.ask();
      let killed: Promise<void> | undefined;
      sandbox.service.fault({
        operation: 'respond',
        kind: 'slowAnswer',
        ms: 500,
        times: 1,
        when() {
          killed = redis.kill();
          return true;
        },
      });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.service.requests('respond')[0]?.answered === 200);
      await killed;
      await redis.restart();
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(sandbox.service.requests('respond')).toHaveLength(1);
    },
  );

  story(
    'nobody-without-answer no-message-lies',
    'stops answering for a while, the person is told that the result is uncertain',
    async () => {
      await using stage = await startStage('redis');
      const { sandbox } = stage;
      const { id, ts, token } = await stage.ask();
      stage.redis.pause();
      const click = await stage.click('U0ANA', ts, 'Approve');
      // Where the sentence takes too long, Slack says as well that it did not work.
      expect(click.acknowledged || click.shown?.startsWith('Operation failed')).toBe(true);
      await sandbox.until(() => stage.told('U0ANA').length > 0);
      expect(stage.told('U0ANA')).toEqual([expect.stringContaining(NOT_KNOWN)]);
      stage.redis.resume();

      await vi.waitUntil(async () => (await sandbox.automation.status(id)).status === 200, {
        timeout: 60_000,
        interval: 100,
      });
      if (stage.read(ts).includes('Waiting')) await stage.click('U0ANA', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(effectsOf(sandbox, token)).toBe(1);
    },
  );
});
