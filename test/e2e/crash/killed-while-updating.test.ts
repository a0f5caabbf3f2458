import { describe } from 'vitest';
import type { Call } from '../../../sandbox/workspace/workspace-handle.ts';
import { story } from '../story.ts';
import { type Stage, startStage, storeOfRun } from './stage.ts';

/**
 * So much later nothing comes any more that the message would not be shown again after. A machine on
 * which the next process takes longer to show the outcome cannot live the story.
 */
const LATEST_MS = 30_000;

/** The bot dies while the first update that shows `shown` is on its way. Others before it arrive. */
function killedAtUpdate({ sandbox, killedAtSlack }: Stage, shown: RegExp) {
  let comes = () => {};
  const coming = new Promise<void>((resolve) => {
    comes = resolve;
  });
  const shows = (args: Readonly<Record<string, unknown>>) => shown.test(JSON.stringify(args));
  const update = () => sandbox.workspace.calls('chat.update').find(({ args }) => shows(args));
  killedAtSlack({ method: 'chat.update', kind: 'latency', until: coming, when: shows });
  return {
    /** Waits until it is on its way. */
    sent: () => sandbox.until(update, { what: `an update that shows ${shown}` }),
    isTooLate: () => Date.now() - (update()?.at ?? 0) > LATEST_MS,
    /** It reaches Slack now. */
    comes,
    landed: () => sandbox.until(() => isAnswered(update()), { what: 'the late update' }),
  };
}

function isAnswered(call: Call | undefined): boolean {
  return typeof call?.status === 'number';
}

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'no-message-lies update-ambiguous',
    'an outcome whose update was lost is shown after the restart',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask();
      stage.killedAtSlack({ method: 'chat.update', kind: 'dropBefore' });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => isAnswered(sandbox.workspace.calls('chat.update')[0]), {
        what: 'the first update',
      });
      await stage.restart();
      await stage.until(ts, /Approved by <@U0ANA>/);
    },
  );

  story(
    'no-message-lies update-ambiguous',
    'an earlier update with the progress that arrives after the outcome is corrected',
    async ({ skip }) => {
      await using stage = await startStage(store);
      const { ts } = await stage.ask({ quorum: 2 });
      const late = killedAtUpdate(stage, /1 of 2/);
      await stage.click('U0ANA', ts, 'Approve');
      await late.sent();

      await stage.restart();
      await stage.click('U0BEN', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
      skip(late.isTooLate(), 'the machine is too slow');
      late.comes();
      await late.landed();
      await stage.until(ts, /1 of 2/);
      await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
    },
  );

  story(
    'no-message-lies message-sending',
    'an update with “Sending” that arrives after the outcome is corrected',
    async ({ skip }) => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { ts } = await stage.ask();
      sandbox.service.fault({ operation: 'respond', kind: 'slowAnswer', ms: 10_000, times: 1 });
      const late = killedAtUpdate(stage, /Sending/);
      await stage.click('U0ANA', ts, 'Approve');
      await late.sent();

      await stage.restart();
      await stage.until(ts, /Approved/);
      skip(late.isTooLate(), 'the machine is too slow');
      late.comes();
      await late.landed();
      await stage.until(ts, /Sending/);
      await stage.until(ts, /Approved/);
    },
  );
});
