import { describe, expect } from 'vitest';
import { isObject } from '../../../sandbox/exchange.ts';
import { startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { lining } from '../lines-stage.ts';
import { story } from '../story.ts';
import { startCases } from './case-stage.ts';
import { storeOfRun } from './stage.ts';

const LINES = Array.from({ length: 500 }, (_, index) => `Pay invoice number ${index + 1} by card`);
const [REFUSED, LOST, FAILED, BUSY, KILLED] = [[99, 199, 200], 120, 210, 230, 299];

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'case-several nothing-twice no-click-lost no-message-lies',
    'each of 500 lines ends as created once, refused or unknown, even if the service fails and the bot dies',
    async () => {
      await using stage = await startCases(store, { budget: { perMinute: 100_000 } });
      const { openLines, enterMany, rows, trouble, titles } = lining(stage);
      const titleAt = (index: number) => LINES[index] ?? '';
      for (const index of REFUSED) trouble(titleAt(index), { kind: 'refused' });
      trouble(titleAt(LOST), { kind: 'dropAfter' });
      trouble(titleAt(FAILED), { kind: '500' });
      trouble(titleAt(BUSY), { kind: '429' });
      stage.killedAt({
        operation: 'createTestCase',
        kind: 'dropAfter',
        when: ({ body }) => isObject(body) && body.title === titleAt(KILLED),
      });
      await openLines('Checkout');
      expect(await enterMany(LINES)).toContain('[Create 500]');
      await stage.submit();
      await stage.sandbox.until(() => titles().includes(titleAt(KILLED)), { what: 'the death' });
      await stage.restart();
      expect(await stage.directOf(/failed\*/)).toContain(
        '*3 of 500 failed* in *Checkout* · 494 created · 3 unknown',
      );

      const shown = await rows();
      const stateOf = (index: number) => {
        const of = shown.filter((row) => row.includes(` ${index + 1}. ${titleAt(index)}`));
        return of.map((row) => row.split(' ')[0]);
      };
      const created = new Map<string, number>();
      for (const { title } of stage.cases()) created.set(title, (created.get(title) ?? 0) + 1);
      for (const [index, title] of LINES.entries()) {
        const isRefused = REFUSED.includes(index);
        const isUnknown = [LOST, FAILED, KILLED].includes(index);
        const mark = isRefused ? ':no_entry_sign:' : ':white_check_mark:';
        expect(stateOf(index), title).toEqual([isUnknown ? ':grey_question:' : mark]);
        expect(created.get(title) ?? 0, title).toBe(isRefused || index === FAILED ? 0 : 1);
      }
      const sent = titles();
      expect(sent).toHaveLength(LINES.length + 1);
      expect(new Set(sent).size).toBe(LINES.length);

      await stage.pressDirect('Try those 3 again');
      await stage.directOf(/3 of 500 unknown\*.* · 497 created/);
      expect(titles().slice(sent.length)).toEqual(REFUSED.map(titleAt));
      expect(stage.announced()).toHaveLength(1);
    },
  );
});

story(
  'case-several nothing-twice',
  'a stopping bot leaves the remaining lines to the next one, and none unknown',
  async () => {
    await using stage = await startCases('embedded', { budget: { perMinute: 100_000 } });
    const { openLines, titles } = lining(stage);
    const lines = Array.from({ length: 50 }, (_, index) => `Line ${index + 1}`);
    stage.sandbox.service.fault({ operation: 'createTestCase', kind: 'slowAnswer', ms: 250 });
    await openLines('Search');
    await stage.submit({ Lines: lines.join('\n') });
    await stage.submit();
    await stage.sandbox.until(() => titles().length > 2);
    expect(await stage.stop()).toBe(0);
    expect(titles().length).toBeLessThan(lines.length);
    stage.sandbox.service.clearFaults();
    await stage.restart();
    await stage.directOf(/All 50/);
    expect(titles()).toEqual(lines);
  },
);

describe.skipIf(!(await canStartRedis()))('two replicas', () => {
  story(
    'case-several nothing-twice',
    'create each line once, even if one of them dies',
    async () => {
      // 15 lines at once, then one a second: the first to ask gets the next.
      await using stage = await startCases('redis', { budget: { perMinute: 60 } });
      const { openLines, titles } = lining(stage);
      const lines = Array.from({ length: 22 }, (_, index) => `Line ${index + 1}`);
      await openLines('Search');
      await stage.submit({ Lines: lines.join('\n') });
      await using _other = await startBotProcess(stage.sandbox, stage.env);
      stage.killedAt({
        operation: 'createTestCase',
        kind: 'dropAfter',
        when: ({ body }) => isObject(body) && body.title === 'Line 19',
      });
      await stage.submit();
      await stage.directOf(/1 of 22 unknown\*.* · 21 created/);
      expect(titles()).toEqual(lines);
      expect(stage.cases().map(({ title }) => title)).toEqual(lines);
      await stage.sandbox.until(() => stage.announced().length === 1);
    },
  );
});
