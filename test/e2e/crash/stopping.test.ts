import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { story } from '../story.ts';
import { effectsOf, startStage, storeOfRun } from './stage.ts';

story('no-click-lost', 'an incomplete request does not delay the shutdown', async () => {
  await using stage = await startStage('embedded');
  const { port } = new URL(stage.bot.url);
  const secret = stage.sandbox.credentials.intakeSecret;
  const head = `POST /v1/approvals HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n`;
  const halves = [head, `${head}content-length: 100\r\n\r\nhalf`].map((text) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    return socket.resume();
  });
  await Promise.all(halves.map((socket) => once(socket, 'connect')));
  expect((await fetch(`${stage.bot.url}/healthz`)).status).toBe(200);
  expect(await stage.bot.stop()).toBe(0);
});

story('no-click-lost', 'the bot keeps running when nobody reads its log', async () => {
  await using stage = await startStage('embedded');
  const { ts } = await stage.ask();
  stage.bot.closeLog();
  // So that there is something to log.
  stage.sandbox.service.fault({ operation: 'respond', kind: '429', times: 2 });
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  expect(stage.bot.output).toContain('The log can no longer be written. Gatepost keeps running.');
  expect((await fetch(`${stage.bot.url}/readyz`)).status).toBe(200);
  expect(await stage.bot.stop()).toBe(0);
});

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story('no-click-lost', 'a click that is being carried out at SIGTERM is finished', async () => {
    await using stage = await startStage(store);
    const { sandbox } = stage;
    const { ts, token } = await stage.ask();
    sandbox.service.fault({ operation: 'respond', kind: 'slowAnswer', ms: 2_500, times: 1 });
    await stage.click('U0ANA', ts, 'Approve');
    await sandbox.until(() => sandbox.service.requests('respond').length > 0);

    expect(await stage.bot.stop()).toBe(0);
    expect(stage.read(ts)).toContain('Approved by <@U0ANA>');
    expect(effectsOf(sandbox, token)).toBe(1);
  });

  story(
    'no-click-lost nobody-without-answer',
    'a click around SIGTERM is carried out, or the person sees that it failed',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const asked = await Promise.all(Array.from({ length: 8 }, () => stage.ask()));
      let stopped: Promise<number | null> | undefined;
      const clicks = [];
      for (const [at, approval] of asked.entries()) {
        if (at === 4) stopped = stage.bot.stop();
        const click = stage.click('U0ANA', approval.ts, 'Approve');
        clicks.push(click.then((delivery) => ({ ...approval, delivery })));
        // One after the other, so that some come before the signal and some after it.
        if (at !== 4) await click;
      }
      expect(await stopped).toBe(0);

      await stage.restart();
      const done = await Promise.all(clicks);
      for (const { ts, token, delivery } of done) {
        if (delivery.acknowledged) {
          await stage.until(ts, /Approved by <@U0ANA>/);
          expect(effectsOf(sandbox, token)).toBe(1);
        } else {
          expect(delivery.shown).toContain('Operation failed');
          expect(effectsOf(sandbox, token)).toBe(0);
        }
      }
      expect(done[0]?.delivery.acknowledged).toBe(true);
      expect(done.at(-1)?.delivery.acknowledged).toBe(false);
    },
  );
});
