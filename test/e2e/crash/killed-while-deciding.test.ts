import { describe, expect } from 'vitest';
import { story } from '../story.ts';
import { effectsOf, everyStore, QUIET_MS, startStage } from './stage.ts';

describe.concurrent.each(await everyStore())('on the %s store', (store) => {
  story(
    'no-click-lost',
    'a click is carried out even if the bot dies right after acknowledging it',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts, token } = await stage.ask();
      sandbox.service.fault({ operation: 'getApproval', kind: 'latency', ms: 20_000, times: 1 });
      const click = await stage.click('U0ANA', ts, 'Approve');
      stage.kill();
      expect(click.acknowledged).toBe(true);
      expect(sandbox.service.requests('respond')).toEqual([]);

      await stage.restart();
      const shown = await stage.until(ts, /Approved by <@U0ANA>/);
      expect(shown).not.toContain('did not say');
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(sandbox.service.requests('respond')).toHaveLength(1);
    },
  );

  story(
    'no-click-lost nothing-twice respond-ambiguous',
    'a decision that never left is sent again after a quiet time',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts, token } = await stage.ask();
      stage.killedAt({ operation: 'respond', kind: 'dropBefore' });
      await stage.click('U0ANA', ts, 'Reject');
      await sandbox.until(() => sandbox.service.requests('respond')[0]?.answered === 0);
      expect(effectsOf(sandbox, token)).toBe(0);

      await stage.restart();
      await stage.until(ts, /Rejected by <@U0ANA>/);
      const [first, ...again] = sandbox.service.requests('respond');
      expect(again).toHaveLength(1);
      expect(Number(again[0]?.at) - Number(first?.at)).toBeGreaterThan(QUIET_MS);
      expect(again[0]?.body).toEqual(first?.body);
      expect(effectsOf(sandbox, token)).toBe(1);
    },
  );

  story(
    'nothing-twice no-message-lies respond-ambiguous',
    'a decision that the service accepted is shown as sent, and not sent again',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts, token } = await stage.ask();
      stage.killedAt({ operation: 'respond', kind: 'dropAfter' });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => effectsOf(sandbox, token) === 1);

      await stage.restart();
      const shown = await stage.until(ts, /Approved/);
      expect(shown).toContain(
        'The decision of <@U0ANA> was sent. The service did not say whose decision it accepted.',
      );
      expect(sandbox.service.requests('respond')).toHaveLength(1);
    },
  );

  story(
    'nothing-twice no-message-lies',
    'a decision that arrives after its sender died is noticed',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts, token } = await stage.ask();
      stage.killedAt({ operation: 'respond', kind: 'latency', ms: 4_000 });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.service.requests('respond').length === 1);

      await stage.restart();
      await stage.until(ts, /Approved[\s\S]*did not say whose decision it accepted/);
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(sandbox.service.requests('respond')).toHaveLength(1);
    },
  );
});
