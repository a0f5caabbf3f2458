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

test('a server that can tell is asked for its file, and nothing is warned of', () => {
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
] as const)('what is asked for is done: %o', (asked, confirm) => {
  expect(judgeServers([good], asked)).toEqual({ confirm, dangers: [], unknowns: [], advice: [] });
});

test('one server that cannot tell is enough to confirm nothing', () => {
  expect(judgeServers([good, old], 'auto').confirm).toBeNull();
});

test('a server that flushes before it answers need not tell', () => {
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

test('a file of which nobody knows when it is flushed is unknown, unless that is waited for', () => {
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

test('what a managed server does not tell is unknown, and no danger', () => {
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
  'a Cluster that one lost shard may stop gets advice, and no refusal: %s',
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
