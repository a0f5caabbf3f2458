import { expect, test } from 'vitest';
import { judgeServers } from '../../../src/store/redis/judge-server.ts';
import type { ServerFacts } from '../../../src/store/redis/server-facts.ts';

const good: ServerFacts = {
  knowsWaitAof: true,
  evictionPolicy: 'noeviction',
  appendOnly: true,
  appendFsync: 'everysec',
  snapshots: '3600 1',
  replicas: 1,
};
const old = { ...good, knowsWaitAof: false };
const managed = { ...good, appendOnly: false, appendFsync: null, snapshots: null };

test('a server that can tell is asked for its file, and nothing is warned of', () => {
  expect(judgeServers([good, good], 'auto')).toEqual({
    confirm: 'aof',
    dangers: [],
    unknowns: [],
  });
});

test.each([
  ['aof', 'aof'],
  ['off', null],
  [{ replicas: 1 }, { replicas: 1 }],
] as const)('what is asked for is done: %o', (asked, confirm) => {
  expect(judgeServers([good], asked)).toEqual({ confirm, dangers: [], unknowns: [] });
});

test('one server that cannot tell is enough to confirm nothing', () => {
  expect(judgeServers([good, old], 'auto').confirm).toBeNull();
});

test('a server that flushes before it answers need not tell', () => {
  expect(judgeServers([{ ...old, appendFsync: 'always' }], 'auto')).toEqual({
    confirm: null,
    dangers: [],
    unknowns: [],
  });
});

test.each([
  [{ ...good, evictionPolicy: 'allkeys-lru' }, 'auto', 'set maxmemory-policy noeviction'],
  [{ ...good, appendOnly: false, snapshots: '' }, 'auto', 'Redis keeps nothing on disk'],
  [{ ...good, appendOnly: false }, 'off', 'Redis only takes a snapshot now and then'],
  [old, 'auto', 'the last second can be lost when the machine crashes'],
  [old, 'aof', 'REDIS_CONFIRM=aof needs Redis 7.2'],
  [{ ...managed, snapshots: null }, 'aof', 'REDIS_CONFIRM=aof needs the append-only file'],
  [good, { replicas: 2 }, 'REDIS_CONFIRM asks for 2 replicas and 1 are connected'],
] as const)('%o with %o is warned of', (facts, asked, sentence) => {
  const { dangers } = judgeServers([facts, good, facts], asked);
  expect(dangers).toEqual([expect.stringContaining(sentence)]);
});

test('what a managed server does not tell is unknown, and no danger', () => {
  expect(judgeServers([{ ...managed, evictionPolicy: null }], 'auto')).toEqual({
    confirm: null,
    dangers: [],
    unknowns: [
      expect.stringContaining('maxmemory-policy'),
      expect.stringContaining('forbids CONFIG'),
    ],
  });
});
