import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { DEPLOYS } from '../../support/world.ts';
import { story } from '../story.ts';
import { type Stage, startStage, storeOfRun } from './stage.ts';

const DANA = 'U0DANA';
let folder = '';
/** A file that makes Dana the administrator. */
const env = () => ({ GATEPOST_CONFIG: join(folder, 'gatepost.yaml') });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-administrators-'));
  await writeFile(env().GATEPOST_CONFIG, `administrators: { users: [${DANA}] }\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function danaHears({ sandbox, told }: Stage): Promise<unknown> {
  return sandbox.until(() => told(DANA).length > 0, { what: 'a notice' });
}

async function allBlocked({ sandbox }: Stage, ids: readonly string[]): Promise<void> {
  const blocked = { body: { posting: { state: 'blocked', reason: 'not_in_channel' } } };
  const stand = () => Promise.all(ids.map((id) => sandbox.automation.status(id)));
  await vi.waitFor(async () => expect(await stand()).toMatchObject(ids.map(() => blocked)), {
    timeout: 60_000,
  });
}

describe.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'administrators-told administrators-once',
    'administrators are alerted even if the bot was killed before it could',
    async () => {
      await using stage = await startStage(store, env());
      const toDana = (args: Readonly<Record<string, unknown>>) => args.channel === DANA;
      stage.killedAtSlack({ kind: 'dropBefore', method: 'chat.postMessage', when: toDana });
      stage.sandbox.workspace.kickBot(DEPLOYS);
      await stage.sandbox.automation.ask({ title: 'Outside' });
      await stage.bot.ended;
      expect(stage.told(DANA)).toEqual([]);
      await stage.restart();
      await danaHears(stage);
      expect(stage.told(DANA)).toEqual([expect.stringMatching(/it is not in the channel/)]);
    },
  );
});

describe.skipIf(!(await canStartRedis()))('two replicas with the same problem', () => {
  story('administrators-once', 'alert administrators once', async () => {
    await using stage = await startStage('redis', env());
    const first = stage.bot.url;
    await using other = await startBotProcess(stage.sandbox, stage.env);
    const { automation, workspace } = stage.sandbox;
    workspace.kickBot(DEPLOYS);
    const ids: string[] = [];
    for (const url of [first, other.url, first, other.url, first, other.url]) {
      stage.sandbox.connectBot({
        eventsUrl: `${url}/slack/events`,
        intakeUrl: `${url}/v1/approvals`,
      });
      ids.push((await automation.ask({ title: 'Outside' })).id);
    }
    await danaHears(stage);
    await allBlocked(stage, ids);
    expect(stage.told(DANA)).toHaveLength(1);
  });
});
