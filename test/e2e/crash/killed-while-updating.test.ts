import { describe } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { story } from '../story.ts';
import { startStage, storesForTests, TAKEN_OVER_MS } from './stage.ts';

/** An update that was on its way when the bot died reaches Slack so much later. */
const LATE_MS = 20_000;
/** What a late update has changed is set right by then. */
const SET_RIGHT_MS = 45_000;

describe.concurrent.each(await storesForTests())('on the %s store', (store) => {
  story(
    'no-message-lies update-ambiguous',
    'an outcome whose update was lost is shown',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask();
      stage.killedAtSlack({ method: 'chat.update', kind: 'dropBefore' });
      await stage.click('U0ANA', ts, 'Approve');
      await landed(sandbox);
      await stage.restart();
      await stage.until(ts, /Approved by <@U0ANA>/, TAKEN_OVER_MS);
    },
  );

  story(
    'no-message-lies update-ambiguous',
    'an old progress that arrives after the outcome does not stay',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask({ quorum: 2 });
      stage.killedAtSlack({ method: 'chat.update', kind: 'latency', ms: LATE_MS });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.workspace.calls('chat.update').length > 0);

      await stage.restart();
      await stage.click('U0BEN', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/, TAKEN_OVER_MS);
      await landed(sandbox);
      await stage.until(ts, /1 of 2/, 1_000);
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/, SET_RIGHT_MS);
    },
  );

  story(
    'no-message-lies message-deciding',
    '“Deciding” that arrives after the outcome does not stay',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask();
      sandbox.service.fault({ operation: 'respond', kind: 'slowAnswer', ms: 10_000, times: 1 });
      stage.killedAtSlack({ method: 'chat.update', kind: 'latency', ms: LATE_MS });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.workspace.calls('chat.update').length > 0);

      await stage.restart();
      await stage.until(ts, /Approved/, TAKEN_OVER_MS);
      await landed(sandbox);
      await stage.until(ts, /Deciding/, 1_000);
      await stage.until(ts, /Approved/, SET_RIGHT_MS);
    },
  );
});

/** Waits until the first update has been carried out or lost. */
async function landed(sandbox: Sandbox): Promise<void> {
  await sandbox.until(() => typeof sandbox.workspace.calls('chat.update')[0]?.status === 'number', {
    what: 'the first update',
    timeoutMs: LATE_MS + 5_000,
  });
}
