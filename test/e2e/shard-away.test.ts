import { Command } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { redisKeys } from '../../src/core/store/redis/keys.ts';
import { type ClusterServers, startCluster } from '../core/store/redis/cluster-servers.ts';
import { canStartRedis, type RedisServer } from '../support/redis.ts';
import { OUTCOMES } from '../support/world.ts';
import { ANA, BEN, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

const DANA = 'U0DANA';

/**
 * The lost node has a third of the records, Ben's identity link, the slots of the channels and of polls, and one of the
 * alerts: it is fixed which node has each name.
 */
const LOST = 1;

/** Its data are there again when it is back. */
const SETTINGS = { 'cluster-require-full-coverage': 'no', appendonly: 'yes' };

describe.skipIf(!(await canStartRedis()))('while a shard of a Cluster is away', () => {
  story(
    'shard-away nobody-without-answer store-readiness administrators-told',
    'requests on other shards are decided and announced, and all continue when it is back',
    () =>
      lived(async (lost) => {
        await lost.kill();
        return lost.restart;
      }),
  );

  story(
    'shard-away nobody-without-answer store-readiness administrators-told',
    'the same applies if the shard is reachable but does not answer',
    () =>
      lived(async (lost) => {
        lost.pause();
        return async () => lost.resume();
      }),
  );
});

/** `lose` returns what brings it back. */
async function lived(lose: (node: RedisServer) => Promise<() => Promise<void>>): Promise<void> {
  await using servers = await startCluster(SETTINGS);
  await using stage = await startClusterStage(servers);
  const { sandbox, app } = stage;
  const asked = [];
  while (!isEnough(asked)) asked.push(await stage.ask({ title: `Request ${asked.length}` }));
  const [gone] = asked.filter(isLost);
  const [first, second, third, bens] = asked.filter((each) => !isLost(each));
  const lost = servers.nodes[LOST];
  if (lost === undefined) throw new Error('there are three nodes');

  const bringBack = await lose(lost);
  // Ana's account and link can be read.
  for (const { ts, token } of [first, second].filter((each) => each !== undefined)) {
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  }
  await sandbox.until(() => sandbox.workspace.messages(OUTCOMES).length === 2, {
    what: 'both are announced',
  });
  // Ben's link cannot be read: he is answered, and can come back.
  await stage.click(BEN, bens?.ts ?? '', 'Approve');
  await sandbox.until(() => stage.told(BEN).length > 0, { what: 'an answer' });
  expect(stage.told(BEN)).toEqual([
    expect.stringContaining(
      'Gatepost could not check whether you can decide. Your decision does not count.',
    ),
  ]);
  // Only what is kept there is refused.
  await stage.click(ANA, gone?.ts ?? '', 'Approve');
  await sandbox.until(() => stage.told(ANA).length > 0, { what: 'an answer' });
  expect(stage.told(ANA)).toEqual([
    expect.stringMatching(/was not recorded|not known whether your click/),
  ]);

  const where = `127.0.0.1:${lost.port}`;
  await sandbox.until(() => stage.told(DANA).length > 0, { what: 'the alert' });
  expect(stage.told(DANA)).toEqual([
    expect.stringContaining(`does not accept writes: 6 of 16 shards (${where}).`),
  ]);
  // Also of an alert that would be kept there.
  stage.door.answer((call) => (call === 'respond' ? { status: 401 } : undefined));
  await stage.click(ANA, third?.ts ?? '', 'Approve');
  await sandbox.until(() => stage.told(DANA).length > 1, { what: 'another alert' });
  expect(stage.told(DANA)[1]).toMatch(
    /^The service does not accept decisions from Gatepost \(401\)/,
  );
  stage.door.answer(null);

  expect(await readinessOf(app.url)).toBe(200);
  expect(await upOf(app.url)).toBe(10 / 16);

  await bringBack();
  await vi.waitUntil(async () => (await upOf(app.url)) === 1, {
    timeout: 60_000,
    interval: 100,
  });
  await stage.click(BEN, bens?.ts ?? '', 'Approve');
  await stage.until(bens?.ts ?? '', /Approved by <@U0BEN>/);
  await stage.click(ANA, gone?.ts ?? '', 'Approve');
  await stage.until(gone?.ts ?? '', /Approved by <@U0ANA>/);
  await stage.click(ANA, third?.ts ?? '', 'Reject');
  await stage.until(third?.ts ?? '', /Rejected by <@U0ANA>/);
  expect(linesOf(stage, 'a record was claimed repeatedly without progress')).toEqual([]);
  expect(linesOf(stage, 'the store takes no writes')).toEqual([]);
}

async function startClusterStage({ url }: ClusterServers): Promise<Stage> {
  return startStage({
    hasDoor: true,
    env: { DATA_DIR: undefined, REDIS_URL: url, REDIS_CONFIRM: 'off' },
    config: (config) => ({ ...config, administrators: { users: [DANA], groups: [] } }),
  });
}

/** Some that are lost with the node, and some that are not. */
function isEnough(asked: readonly { readonly id: string }[]): boolean {
  const lost = asked.filter(isLost).length;
  return lost >= 1 && asked.length - lost >= 4;
}

function isLost({ id }: { readonly id: string }): boolean {
  const slot = new Command('get', [
    redisKeys('gatepost').marker(Number.parseInt(id, 10)),
  ]).getSlot();
  return Math.floor((slot * 3) / 16_384) === LOST;
}

async function readinessOf(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** The share of the store that accepts writes. */
async function upOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^gatepost_store_up (\S+)$/m.exec(text)?.[1]);
}

function linesOf({ log }: Stage, message: string): readonly unknown[] {
  return log.filter((line) => JSON.parse(line).msg === message);
}
