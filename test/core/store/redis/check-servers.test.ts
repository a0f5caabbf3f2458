import { expect, test } from 'vitest';
import { judgeServers, type ServerFacts } from '../../../../src/core/store/redis/check-servers.ts';

const good: ServerFacts = {
  knowsWaitAof: true,
  evictionPolicy: 'noeviction',
  appendOnly: true,
  appendFsync: 'always',
  alwaysFlushes: true,
  snapshots: '3600 1',
  replicas: 1,
  requiresFullCoverage: false,
};
const everysec: ServerFacts = { ...good, appendFsync: 'everysec' };
const old = { ...everysec, knowsWaitAof: false };
const managed = { ...good, appendOnly: false, appendFsync: null, snapshots: null };

test('confirmation by AOF is chosen, without warnings, when all servers support it', () => {
  expect(judgeServers([everysec, good], 'auto')).toEqual({
    confirm: 'aof',
    dangers: [],
    unknowns: [],
    advice: [],
  });
});

test.each([
  ['aof', 'aof'],
  ['off', null],
  [{ replicas: 1 }, { replicas: 1 }],
] as const)('the requested confirmation is used: %o', (asked, confirm) => {
  expect(judgeServers([good], asked)).toEqual({ confirm, dangers: [], unknowns: [], advice: [] });
});

test('no confirmation is used when one server does not support it', () => {
  expect(judgeServers([good, old], 'auto').confirm).toBeNull();
});

test('a server with appendfsync always does not need confirmation', () => {
  expect(judgeServers([{ ...old, appendFsync: 'always' }], 'auto')).toEqual({
    confirm: null,
    dangers: [],
    unknowns: [],
    advice: [],
  });
});

test.each([
  [{ ...good, evictionPolicy: 'allkeys-lru' }, 'auto', 'set maxmemory-policy noeviction'],
  [{ ...good, appendOnly: false, snapshots: '' }, 'auto', 'Redis keeps nothing on disk'],
  [{ ...good, appendOnly: false }, 'off', 'Redis only takes a snapshot now and then'],
  [old, 'auto', 'killed while its disk is slow; set appendfsync always, or upgrade to Redis 7.2'],
  [old, 'off', 'Redis answers before its file is on the disk (appendfsync everysec)'],
  [everysec, 'off', 'set appendfsync always, or REDIS_CONFIRM=aof'],
  [{ ...good, appendFsync: 'no' }, 'off', '(appendfsync no)'],
  [{ ...good, alwaysFlushes: false }, 'off', 'set no-appendfsync-on-rewrite no'],
  [everysec, { replicas: 1 }, 'before a replica takes over; set appendfsync always'],
  [old, 'aof', 'REDIS_CONFIRM=aof needs Redis 7.2'],
  [{ ...managed, snapshots: null }, 'aof', 'REDIS_CONFIRM=aof needs the append-only file'],
  [good, { replicas: 2 }, 'REDIS_CONFIRM asks for 2 replicas and 1 are connected'],
] as const)('%o with %o is warned of', (facts, asked, sentence) => {
  const { dangers } = judgeServers([facts, good, facts], asked);
  expect(dangers).toEqual([expect.stringContaining(sentence)]);
});

test('an unknown appendfsync is reported, unless writes are confirmed on disk', () => {
  const silent = { ...old, appendFsync: null };
  const sentence = expect.stringContaining('does not tell its appendfsync');
  expect(judgeServers([silent], 'auto')).toEqual({
    confirm: null,
    dangers: [],
    unknowns: [sentence],
    advice: [],
  });
  expect(judgeServers([{ ...silent, knowsWaitAof: true }], 'auto').unknowns).toEqual([]);
});

test('settings that a managed server hides are unknown, not dangers', () => {
  expect(judgeServers([{ ...managed, evictionPolicy: null }], 'auto')).toEqual({
    confirm: null,
    dangers: [],
    unknowns: [
      expect.stringContaining('maxmemory-policy'),
      expect.stringContaining('forbids CONFIG'),
    ],
    advice: [],
  });
});

test.each([
  [true, 'set cluster-require-full-coverage no'],
  [null, 'does not tell its cluster-require-full-coverage'],
] as const)(
  'a Cluster that would stop with one lost shard causes advice, not a refusal: %s',
  (asked, says) => {
    const node = { ...good, requiresFullCoverage: asked };
    expect(judgeServers([good, node, node], 'auto')).toMatchObject({
      dangers: [],
      unknowns: [],
      advice: [expect.stringContaining(says)],
    });
    // Where there is one server, nothing is left without it.
    expect(judgeServers([node], 'auto').advice).toEqual([]);
  },
);
