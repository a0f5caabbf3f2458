import { describe, expect } from 'vitest';
import { DEPLOYS, readable } from '../../support/world.ts';
import { story } from '../story.ts';
import { type Stage, startStage, storeOfRun } from './stage.ts';

/** A bot that dies while it tells others that somebody is away. */

const SETTINGS = { GATEPOST_CONFIG: 'test/support/substitutes.yaml' };
const [ANA, CLEO] = ['U0ANA', 'U0CLEO'];

const type = ({ sandbox }: Stage, text: string) =>
  sandbox.workspace.command({ user: ANA, channel: DEPLOYS, text });

const direct = ({ sandbox }: Stage) => sandbox.workspace.directMessages(CLEO).map(readable);

async function untilTold(stage: Stage, pattern: RegExp): Promise<void> {
  await stage.sandbox.until(() => direct(stage).some((text) => pattern.test(text)), {
    what: `${pattern}: ${direct(stage).join('|')}`,
    timeoutMs: 120_000,
  });
}

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'away-told away-set nothing-twice',
    "a substitute is told once, even if the bot dies before it reads Slack's answer",
    async () => {
      await using stage = await startStage(store, SETTINGS);
      const { ts } = await stage.ask({ title: 'Deploy 4.2' });
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropAfter' });
      await type(stage, '/approvals away until tomorrow @cleo');
      await untilTold(stage, /named you as substitute/);
      await stage.restart();
      await stage.until(ts, /Waiting for\* <@U0CLEO> or <@U0BEN>/);
      await type(stage, '/approvals back');
      await untilTold(stage, /They are back/);
      await stage.until(ts, /Waiting for\* <@U0ANA> or <@U0BEN>/);
      expect(direct(stage)).toHaveLength(2);
    },
  );

  story(
    'away-set no-message-lies',
    'requests that the dead bot had not updated after an absence are updated by the next one',
    async () => {
      await using stage = await startStage(store, SETTINGS);
      const asked = await Promise.all(['1', '2', '3'].map((title) => stage.ask({ title })));
      stage.killedAtSlack({ method: 'chat.update', kind: 'dropBefore' });
      await type(stage, '/approvals away until tomorrow @cleo');
      const { workspace, until } = stage.sandbox;
      await until(() => workspace.calls('chat.update').length > 0, { what: 'its death' });
      await stage.restart();
      for (const { ts } of asked) await stage.until(ts, /Waiting for\* <@U0CLEO> or <@U0BEN>/);
      await untilTold(stage, /named you as substitute/);
      expect(direct(stage)).toHaveLength(1);
    },
  );
});
