import { describe, expect } from 'vitest';
import { remakeAnasAccount } from '../remake-account.ts';
import { ANA } from '../stage.ts';
import { story } from '../story.ts';
import { startStage, storeOfRun } from './stage.ts';

describe.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'people-pinned',
    'a killed bot still knows which person an account belonged to',
    async () => {
      await using stage = await startStage(store);
      const { service } = stage.sandbox;
      const first = await stage.ask();
      await stage.click(ANA, first.ts, 'Approve');
      await stage.until(first.ts, /Approved by <@U0ANA>/);
      stage.kill();
      await stage.bot.ended;
      remakeAnasAccount(stage);
      await stage.restart();
      const second = await stage.ask();
      await stage.click(ANA, second.ts, 'Approve');
      await stage.sandbox.until(() => stage.told(ANA).length > 0, { what: 'a sentence' });
      expect(stage.told(ANA)).toEqual([expect.stringMatching(/belongs to a different account/)]);
      expect(service.approval(second.token).effects).toEqual([]);
    },
  );
});
