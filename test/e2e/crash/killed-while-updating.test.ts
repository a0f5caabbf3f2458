import { describe } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { story } from '../story.ts';
import { startStage, storesForTests } from './stage.ts';

/** An update that was on its way when the bot died reaches Slack so much later. */
const LATE_MS = 20_000;
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
      await stage.until(ts, /Approved by <@U0ANA>/);
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
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
      await landed(sandbox);
      await stage.until(ts, /1 of 2/);
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
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
      await stage.until(ts, /Approved/);
      await landed(sandbox);
      await stage.until(ts, /Deciding/);
      await stage.until(ts, /Approved/);
    },
  );
});

/** Waits until the first update has been carried out or lost. */
async function landed(sandbox: Sandbox): Promise<void> {
  await sandbox.until(() => typeof sandbox.workspace.calls('chat.update')[0]?.status === 'number', {
    what: 'the first update',
  });
}
