import { describe, expect } from 'vitest';
import { postsOf, untilAtRest } from '../aftermath.ts';
import { story } from '../story.ts';
import { QUIET_MS, startStage, storeOfRun } from './stage.ts';

/** The message itself, whatever it is called when it is posted again. */
const isMessage = (part: string) => part.startsWith('message');

/** Moments of death around an announcement: its post is lost, or only the answer to it. */
const DEATHS = [
  { when: 'before the thread is told', part: 'outcome-thread', kind: 'dropBefore' },
  { when: 'after the thread was told', part: 'outcome-thread', kind: 'dropAfter' },
  { when: 'after the channel was told', part: 'outcome-channel', kind: 'dropAfter' },
  { when: 'after the requester was told', part: 'outcome-requester', kind: 'dropAfter' },
] as const;

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'nothing-twice post-ambiguous',
    'a message posted by a bot that died is found again, and its buttons work',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropAfter' });
      const { id, ts } = await stage.ask();

      await stage.restart();
      await sandbox.until(() => sandbox.workspace.calls('chat.update').length > 0, {
        what: 'the message is adopted',
      });
      await stage.click('U0ANA', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(postsOf(sandbox, id).filter(isMessage)).toEqual(['message']);
    },
  );

  story(
    'nothing-twice post-ambiguous',
    'a message that never reached Slack is posted once after a search for it',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropBefore' });
      const { id } = await sandbox.automation.ask();
      await sandbox.until(() => sandbox.workspace.calls('chat.postMessage')[0]?.status === 0);
      await stage.restart();
      await sandbox.until(() => postsOf(sandbox, id).includes('message'), {
        what: 'the message',
      });
      const [lost, posted] = sandbox.workspace.calls('chat.postMessage');
      expect(Number(posted?.at) - Number(lost?.at)).toBeGreaterThan(QUIET_MS);
      await untilAtRest(stage.bot, 'people');
      expect(postsOf(sandbox, id).filter(isMessage)).toEqual(['message']);
    },
  );

  story(
    'no-click-lost nothing-twice',
    'after a crash, a click on a message makes the bot use that message',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropAfter' });
      sandbox.workspace.fault({ method: 'conversations.history', kind: '500' });
      const { id, ts } = await stage.ask();
      const inVain = await stage.click('U0ANA', ts, 'Approve');
      expect(inVain.shown).toContain('Operation failed');

      await stage.restart();
      const click = await stage.click('U0ANA', ts, 'Approve');
      expect(click.acknowledged).toBe(true);
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(postsOf(sandbox, id).filter(isMessage)).toEqual(['message']);
    },
  );

  story(
    'no-click-lost nothing-twice',
    'a click on a message that the bot cannot find makes the bot use that message',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      sandbox.workspace.fault({ method: 'chat.postMessage', kind: 'dropAfter', times: 1 });
      sandbox.workspace.fault({ method: 'conversations.history', kind: '500' });
      const { id, ts } = await stage.ask();
      await sandbox.until(() => sandbox.workspace.calls('conversations.history').length > 0);
      await stage.click('U0BEN', ts, 'Reject');
      await stage.until(ts, /Rejected by <@U0BEN>/);
      expect(postsOf(sandbox, id).filter(isMessage)).toEqual(['message']);
    },
  );

  for (const { when, part, kind } of DEATHS) {
    story(
      'nothing-twice post-ambiguous',
      `each announcement is posted once even if the bot dies ${when}`,
      async () => {
        await using stage = await startStage(store);
        const { sandbox } = stage;
        const { id, ts } = await stage.ask({ requestedBy: { slackUser: 'U0CLEO' } });
        stage.killedAtSlack({
          method: 'chat.postMessage',
          kind,
          when: ({ metadata }) => JSON.stringify(metadata).includes(part),
        });
        await stage.click('U0ANA', ts, 'Approve');
        await sandbox.until(() => sandbox.workspace.calls('chat.postMessage').at(-1)?.status === 0);

        await stage.restart();
        await sandbox.until(() => postsOf(sandbox, id).length >= 4, {
          what: 'the message and three announcements',
        });
        await untilAtRest(stage.bot, 'people', 'background');
        expect(postsOf(sandbox, id).sort()).toEqual([
          'message',
          'outcome-channel',
          'outcome-requester',
          'outcome-thread',
        ]);
        expect(stage.read(ts)).toContain('Approved by <@U0ANA>');
      },
    );
  }
});
