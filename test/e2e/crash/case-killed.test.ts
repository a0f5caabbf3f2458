import { describe, expect } from 'vitest';
import { story } from '../story.ts';
import { startCases } from './case-stage.ts';
import { storeOfRun } from './stage.ts';

const WORDS = 'Survives --project Checkout --priority low';

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'no-click-lost case-form',
    'a test case is created even if the bot dies before it sends anything',
    async () => {
      await using stage = await startCases(store);
      const { workspace } = stage.sandbox;
      await stage.type('Survives');
      await stage.modalOf(/Test project/);
      await stage.choose('Test project', 'tp-checkout');
      await stage.modalOf(/Suite/);
      await stage.restart();
      const asked = workspace.calls('users.info').length;
      workspace.fault({ method: 'users.info', kind: 'latency', ms: 20_000 });
      await stage.submit();
      await stage.sandbox.until(() => workspace.calls('users.info').length > asked);
      stage.kill();
      workspace.clearFaults();
      expect(stage.sent()).toEqual([]);
      await stage.restart();
      await stage.modalOf(/Created/);
      expect(stage.cases()).toMatchObject([{ title: 'Survives' }]);
    },
  );

  for (const [kind, count] of [
    ['dropBefore', 0],
    ['dropAfter', 1],
  ] as const) {
    story(
      'case-lost nothing-twice no-message-lies',
      `a bot killed between sending and response (${kind}) reports the test case as unknown, and sends nothing`,
      async () => {
        await using stage = await startCases(store);
        stage.killedAt({ operation: 'createTestCase', kind });
        await stage.type(WORDS);
        await stage.sandbox.until(() => stage.sent().length === 1);
        await stage.restart();
        expect(await stage.directOf(/Unknown/)).toContain('It may exist.');
        expect(stage.sent()).toHaveLength(1);
        expect(stage.cases()).toHaveLength(count);
        expect(stage.announced()).toEqual([]);
      },
    );
  }

  story(
    'nothing-twice case-draft',
    'a bot killed during the announcement announces once, and creates once',
    async () => {
      await using stage = await startCases(store);
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropAfter' });
      await stage.type(WORDS);
      await stage.sandbox.until(() => stage.announced().length === 1);
      await stage.restart();
      const { workspace } = stage.sandbox;
      await stage.sandbox.until(() => workspace.calls('conversations.history').length > 0);
      // Whatever came twice would be there before what is asked for later.
      await stage.type('Later --project Checkout --priority low');
      await stage.answerOf(/Later/);
      expect(stage.announced().filter((text) => text.includes('Survives'))).toHaveLength(1);
      expect(stage.directs('U0ANA')).toEqual([]);
      expect(stage.cases()).toHaveLength(2);
    },
  );
});
