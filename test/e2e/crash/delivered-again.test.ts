import { describe, expect } from 'vitest';
import { sendSigned, signedPress } from '../../support/signed-press.ts';
import { story } from '../story.ts';
import { effectsOf, startStage, storeOfRun } from './stage.ts';

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'click-once nothing-twice',
    'a click whose decision was refused does nothing when it is delivered again',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts, token } = await stage.ask();
      sandbox.service.fault({ operation: 'respond', kind: 'refused', words: 'No.', times: 1 });
      const press = signedPress(sandbox, { user: 'U0ANA', ts, label: 'Approve' });
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      await sandbox.until(() => stage.told('U0ANA').length === 1);
      await stage.until(ts, /Waiting.*\nApprove\nReject$/s);

      // Neither the process that took it nor another one carries it out.
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      await stage.restart();
      expect(await sendSigned(stage.bot.url, press)).toBe(200);
      await stage.click('U0BEN', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0BEN>/);
      expect(sandbox.service.requests('respond')).toHaveLength(2);
      expect(effectsOf(sandbox, token)).toBe(1);
      // A process that dies may not have noted what it told.
      expect(new Set(stage.told('U0ANA')).size).toBe(1);
    },
  );
});

story('click-spent', 'two clicks of one person on the same button count as two', async () => {
  await using stage = await startStage('embedded');
  const { sandbox } = stage;
  const { ts } = await stage.ask();
  sandbox.service.fault({ operation: 'respond', kind: 'refused', words: 'No.', times: 1 });
  const press = () => signedPress(sandbox, { user: 'U0ANA', ts, label: 'Approve' });
  expect(await sendSigned(stage.bot.url, press())).toBe(200);
  await stage.sandbox.until(() => stage.told('U0ANA').length === 1);
  await stage.until(ts, /Waiting.*\nApprove\nReject$/s);
  expect(await sendSigned(stage.bot.url, press())).toBe(200);
  await stage.until(ts, /Approved by <@U0ANA>/);
});
