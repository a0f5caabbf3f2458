import { describe } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { story } from '../story.ts';
import { startStage, storeOfRun } from './stage.ts';

/** An update that was on its way when the bot died reaches Slack when `comes` is called. */
function comingLate() {
  let comes = () => {};
  const coming = new Promise<void>((resolve) => {
    comes = resolve;
  });
  return { coming, comes };
}

/**
 * So much later nothing comes any more that the message would not be shown again after. A machine on
 * which the next process takes longer to show the outcome cannot live the story.
 */
const LATEST_MS = 30_000;

function isTooLate({ workspace }: Sandbox): boolean {
  const [first] = workspace.calls('chat.update');
  return Date.now() - (first?.at ?? 0) > LATEST_MS;
}

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
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
    async ({ skip }) => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask({ quorum: 2 });
      const late = comingLate();
      stage.killedAtSlack({ method: 'chat.update', kind: 'latency', until: late.coming });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.workspace.calls('chat.update').length > 0);

      await stage.restart();
      await stage.click('U0BEN', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
      skip(isTooLate(sandbox), 'the machine is too slow');
      late.comes();
      await landed(sandbox);
      await stage.until(ts, /1 of 2/);
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
    },
  );

  story(
    'no-message-lies message-sending',
    '“Sending” that arrives after the outcome does not stay',
    async ({ skip }) => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask();
      sandbox.service.fault({ operation: 'respond', kind: 'slowAnswer', ms: 10_000, times: 1 });
      const late = comingLate();
      stage.killedAtSlack({ method: 'chat.update', kind: 'latency', until: late.coming });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.workspace.calls('chat.update').length > 0);

      await stage.restart();
      await stage.until(ts, /Approved/);
      skip(isTooLate(sandbox), 'the machine is too slow');
      late.comes();
      await landed(sandbox);
      await stage.until(ts, /Sending/);
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
