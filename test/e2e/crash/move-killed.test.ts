import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import type { AuditEntry } from '../../../src/core/store/store.ts';
import { botAddress } from '../../support/bot-config.ts';
import { startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { DEPLOYS, readable } from '../../support/world.ts';
import { CATALOGUE, moving, reviewed, WEBSITE } from '../move-stage.ts';
import { story } from '../story.ts';
import { type StoreName, startStage, storeOfRun } from './stage.ts';

const ANA = 'U0ANA';

/** A bot that may move what the sandbox's service has, and may be killed. */
async function startMoves(store: StoreName) {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-moves-'));
  const file = join(folder, 'gatepost.yaml');
  // JSON is YAML.
  const settings = {
    move: { source: 'http', who: { users: [ANA] } },
    catalogue: CATALOGUE,
    dialect: { task: { path: '/sandbox/v1/tasks' } },
  };
  await writeFile(file, JSON.stringify(settings));
  const stage = await startStage(store, { GATEPOST_CONFIG: file });
  const { sandbox, env, kill, restart, killedAt, killedAtSlack } = stage;
  return {
    ...moving(stage),
    sandbox,
    env,
    kill,
    restart,
    killedAt,
    killedAtSlack,
    get bot() {
      return stage.bot;
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Moves = Awaited<ReturnType<typeof startMoves>>;

const announced = ({ sandbox }: Pick<Moves, 'sandbox'>) =>
  sandbox.workspace.messages(DEPLOYS).map((message) => readable(message));

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'no-click-lost move-done',
    'a move is carried out even if the bot dies before it sends anything',
    async () => {
      await using stage = await startMoves(store);
      await reviewed(stage);
      const { workspace, service } = stage.sandbox;
      const asked = workspace.calls('users.info').length;
      workspace.fault({ method: 'users.info', kind: 'latency', ms: 20_000 });
      await stage.restart();
      await stage.submit();
      await stage.sandbox.until(() => workspace.calls('users.info').length > asked);
      void stage.kill();
      workspace.clearFaults();
      expect(service.requests('moveTask')).toEqual([]);
      await stage.restart();
      await stage.modalOf(/1 item moved/);
      expect(stage.moves()).toHaveLength(1);
    },
  );

  for (const [kind, end] of [
    ['dropAfter', /All 3 work items moved/],
    ['dropBefore', /1 of 3 failed\*.* · 2 moved/],
  ] as const) {
    story(
      'move-several move-lost nothing-twice no-click-lost no-message-lies',
      `a bot killed while it moves several (${kind}) reads that one back, and goes on with the next`,
      async () => {
        await using stage = await startMoves(store);
        await stage.type('OPS-12 OPS-18 PLAT-4 Website');
        await stage.modalOf(/Open:/);
        const choices = { Open: 'To do', 'In progress': 'Doing', Waiting: 'To do' };
        await stage.submit({ ...choices, 'In review': 'Doing' });
        const { workspace } = stage.sandbox;
        const second = stage.item('OPS-18').id;
        stage.killedAt({
          operation: 'moveTask',
          kind,
          when: ({ body }) => JSON.stringify(body).includes(second),
        });
        await stage.submit();
        await stage.sandbox.until(() => stage.moves().length === 2, { what: 'the death' });
        await stage.restart();
        const read = () => readable(workspace.directMessages(ANA).at(-1));
        await stage.sandbox.until(() => end.test(read()), { what: `${end} in a direct message` });
        expect(stage.moves()).toHaveLength(3);
        expect(stage.item('PLAT-4').projectId).toBe(WEBSITE);
        await stage.sandbox.until(() => announced(stage).length === 1);
        expect(workspace.directMessages(ANA)).toHaveLength(1);
      },
    );
  }

  for (const [kind, end] of [
    ['dropAfter', /Moved[\s\S]*was found there/],
    ['dropBefore', /Not moved[\s\S]*is still where it was/],
  ] as const) {
    story(
      'move-lost nothing-twice no-message-lies',
      `a bot killed between sending and response (${kind}) reads back the move, and sends nothing`,
      async () => {
        await using stage = await startMoves(store);
        await reviewed(stage);
        stage.killedAt({ operation: 'moveTask', kind });
        await stage.submit();
        await stage.sandbox.until(() => stage.moves().length === 1);
        await stage.restart();
        await stage.modalOf(end);
        expect(stage.moves()).toHaveLength(1);
        const isMoved = kind === 'dropAfter';
        expect(stage.item('OPS-18').formerKeys).toEqual(isMoved ? ['OPS-18'] : []);
        if (isMoved) await stage.sandbox.until(() => announced(stage).length === 1);
      },
    );
  }

  story(
    'nothing-twice move-told',
    'an announcement posted before the bot died is not posted again',
    async () => {
      await using stage = await startMoves(store);
      await reviewed(stage);
      stage.killedAtSlack({ method: 'chat.postMessage', kind: 'dropAfter' });
      await stage.submit();
      await stage.sandbox.until(() => announced(stage).length === 1);
      await stage.restart();
      await stage.modalOf(/1 item moved/);
      await stage.sandbox.until(
        () => stage.sandbox.workspace.calls('conversations.history').length > 0,
      );
      expect(announced(stage)).toHaveLength(1);
      expect(stage.moves()).toHaveLength(1);
    },
  );
});

describe.skipIf(!(await canStartRedis()))('two replicas', () => {
  story('move-once nothing-twice', 'carry out one press that reaches both once', async () => {
    await using stage = await startMoves('redis');
    await using other = await startBotProcess(stage.sandbox, stage.env);
    const { workspace } = stage.sandbox;
    // The form goes from one replica to the other at every step.
    stage.sandbox.connectBot(botAddress(stage.bot.url));
    await stage.type('OPS-18 Website');
    await stage.modalOf(/Open:/);
    stage.sandbox.connectBot(botAddress(other.url));
    expect(await stage.submit({ Open: 'To do' })).toContain('[Move 1 item]');
    stage.sandbox.connectBot(botAddress(stage.bot.url));
    const one = workspace.submit({ user: ANA });
    stage.sandbox.connectBot(botAddress(other.url));
    const two = workspace.submit({ user: ANA });
    expect(await Promise.all([one, two])).toMatchObject([
      { acknowledged: true },
      { acknowledged: true },
    ]);
    await stage.modalOf(/1 item moved/);
    expect(stage.moves()).toHaveLength(1);
    await stage.sandbox.until(() => announced(stage).length === 1);
  });
});

story('move-recorded', 'the audit log has every move, and everybody who was refused', async () => {
  await using stage = await startMoves('embedded');
  await stage.type('OPS-18', 'U0BEN');
  await stage.modalOf(/not on the list/, 'U0BEN');
  await reviewed(stage);
  stage.sandbox.service.fault({ kind: '500', operation: 'moveTask', times: 1 });
  await stage.submit();
  await stage.modalOf(/Not moved/);
  await stage.press('Send the same move again');
  await stage.modalOf(/1 item moved/);
  await stage.sandbox.until(() => announced(stage).length > 0);
  const all = await auditOf(stage);
  const entries = all.filter(({ action }) => action.startsWith('tasks.'));
  expect(entries.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
    'tasks.move.refused U0BEN',
    'tasks.move.asked U0ANA',
    'tasks.move.send U0ANA',
    'tasks.move.outcome U0ANA',
    'tasks.move.again U0ANA',
    'tasks.move.send U0ANA',
    'tasks.move.outcome U0ANA',
    'tasks.move.post gatepost',
  ]);
  expect(entries[1]?.facts).toMatchObject({ project: WEBSITE, type: null, items: 1 });
  expect(entries[3]?.facts).toMatchObject({ outcome: 'not-moved' });
  expect(entries[6]?.facts).toMatchObject({ outcome: 'moved', key: 'WEB-3', items: 1 });
  expect(new Set(entries.slice(1).map(({ record }) => record)).size).toBe(1);
});

/** But for its start and end. Read in the folder when the bot has ended in order, so that all of it is written. */
async function auditOf({ bot, env }: Pick<Moves, 'bot' | 'env'>): Promise<AuditEntry[]> {
  await bot.stop();
  const folder = env.DATA_DIR ?? '';
  await using store = await createEmbeddedStore({ ...system, folder });
  const entries: AuditEntry[] = [];
  for await (const entry of store.readAudit({})) {
    if (!entry.action.startsWith('gatepost.')) entries.push(entry);
  }
  return entries;
}
