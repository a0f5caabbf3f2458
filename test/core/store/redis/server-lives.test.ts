import { expect, test } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import { ServerLives } from '../../../../src/core/store/redis/server-lives.ts';

test('a shard whose server was not noted, or is another one, counts as restarted', () => {
  const lives = new ServerLives(system.random);
  const [first, second] = ['a', 'b'].map((id) => ({ id, isTold: true }));
  if (!first || !second) throw new Error('two lives');
  lives.note('{0}', first);
  lives.begin(1);
  expect(lives.notice('{0}', first, () => 2)).toBe(false);
  expect([lives.servingSince, lives.wentBackAt]).toEqual([1, 0]);
  // It is not known what was there before.
  expect(lives.notice('{1}', first, () => 3)).toBe(false);
  expect([lives.servingSince, lives.wentBackAt]).toEqual([3, 3]);
  expect(lives.notice('{0}', second, () => 4)).toBe(true);
  lives.notice('{0}', second, () => 5);
  expect([lives.servingSince, lives.wentBackAt]).toEqual([4, 4]);
  expect(lives.notice('{0}', { id: 'c', isTold: false }, () => 6)).toBe(false);
  expect([lives.servingSince, lives.wentBackAt]).toEqual([6, 4]);
});
