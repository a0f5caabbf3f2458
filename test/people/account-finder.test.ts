import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RemoteFailure } from '../../src/lib/failure.ts';
import { createFinder } from '../../src/people/account-finder.ts';
import type { UserMatch } from '../../src/service/find-user.ts';
import type { CallLimits } from '../../src/service/transport.ts';

const ANA = 'ana@example.com';
const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };
const freshly = { maxAgeMs: 60_000 };

function found(id: string, active: boolean | null = true): UserMatch {
  const user = { id, externalId: null, userName: ANA, active, displayName: null };
  return { kind: 'found', user };
}

const isFound = (id: string) => ({ kind: 'found', user: { id } });

/** Finds accounts in a service whose next answers are given, by a clock that stands still. */
function setUp(answers: (UserMatch | Promise<UserMatch>)[] = [], maxEntries = 100) {
  const asked: { email: string; limits: CallLimits | undefined }[] = [];
  let elapsedMs = 0;
  const finder = createFinder({
    users: {
      findByEmail: async (email, limits) => {
        asked.push({ email, limits });
        return (await answers.shift()) ?? expect.unreachable('nobody should ask');
      },
    },
    clock: { monotonic: () => elapsedMs },
    maxEntries,
  });
  const find = (address: string, freshness: { maxAgeMs: number }, limits: CallLimits = {}) =>
    finder(address, freshness, limits);
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { find, asked, pass };
}

function pending<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('an answer', () => {
  it('holds for 5 minutes when somebody was found', async () => {
    const { find, pass } = setUp([found('u-1'), found('u-2')]);
    await find(ANA, anyAge);
    pass(299_999);
    expect(await find(ANA, anyAge)).toMatchObject(isFound('u-1'));
    pass(1);
    expect(await find(ANA, anyAge)).toMatchObject(isFound('u-2'));
  });

  it.each<UserMatch>([{ kind: 'none' }, { kind: 'several' }])(
    'holds for 30 seconds when it is %j',
    async (match) => {
      const { find, pass } = setUp([match, found('u-1')]);
      await find(ANA, anyAge);
      pass(29_999);
      expect(await find(ANA, anyAge)).toEqual(match);
      pass(1);
      expect(await find(ANA, anyAge)).toMatchObject(isFound('u-1'));
    },
  );

  it('holds no longer than the caller allows, so that a decision sees who was deactivated', async () => {
    const { find, pass } = setUp([found('u-1'), found('u-1', false)]);
    await find(ANA, freshly);
    pass(59_999);
    expect(await find(ANA, freshly)).toMatchObject({ user: { active: true } });
    pass(1);
    expect(await find(ANA, freshly)).toMatchObject({ user: { active: false } });
    expect(await find(ANA, anyAge)).toMatchObject({ user: { active: false } });
  });

  it('is as old as its question', async () => {
    const answer = pending<UserMatch>();
    const { find, pass } = setUp([answer.promise, found('u-2')]);
    const first = find(ANA, freshly);
    pass(4000);
    answer.resolve(found('u-1'));
    await first;
    pass(56_000);
    expect(await find(ANA, freshly)).toMatchObject(isFound('u-2'));
  });

  it('is shared by all who wait for the same address', async () => {
    const answer = pending<UserMatch>();
    const { find, asked } = setUp([answer.promise, found('u-bob')]);
    const calls = [ANA, ANA, ANA].map((person) => find(person, freshly));
    expect(await find('bob@example.com', freshly)).toMatchObject(isFound('u-bob'));
    answer.resolve(found('u-1'));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 3 }, () => found('u-1')));
    expect(asked.map(({ email }) => email)).toEqual(['ana@example.com', 'bob@example.com']);
  });

  it('makes room when there are too many', async () => {
    const { find, asked } = setUp([found('a'), found('b'), found('c'), found('a')], 2);
    const lookUp = (name: string) => find(`${name}@example.com`, anyAge);
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await lookUp(name);
    expect(asked.map(({ email }) => email[0])).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('a lookup that fails', () => {
  const failure = new RemoteFailure('list users', { class: 'ambiguous', code: 'timeout' });

  it('fails for all who wait, and is asked again by the next', async () => {
    const answer = pending<UserMatch>();
    const { find } = setUp([answer.promise, found('u-1')]);
    const calls = [ANA, ANA].map((person) => find(person, freshly));
    answer.reject(failure);
    for (const call of calls) await expect(call).rejects.toBe(failure);
    expect(await find(ANA, freshly)).toMatchObject(isFound('u-1'));
  });

  it('hands on the deadline, but not the signal of the one who asked first', async () => {
    const { find, asked } = setUp([found('u-1')]);
    const { signal } = new AbortController();
    await find(ANA, freshly, { signal, deadlineMs: 700 });
    expect(asked).toEqual([{ email: 'ana@example.com', limits: { deadlineMs: 700 } }]);
  });

  it('leaves nothing behind on a signal that many share', async () => {
    const answer = pending<UserMatch>();
    const { find } = setUp([answer.promise]);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 20 }, () => find(ANA, freshly, { signal }));
    // A warning is given in the next turn.
    await new Promise(setImmediate);
    answer.resolve(found('u-1'));
    await Promise.all(calls);
    process.off('warning', onWarning);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(warnings).toEqual([]);
  });

  it('does not take the others with it when one gives up', async () => {
    const answer = pending<UserMatch>();
    const { find } = setUp([answer.promise]);
    const abort = new AbortController();
    const hasty = find(ANA, freshly, { signal: abort.signal });
    const late = find(ANA, freshly, { signal: AbortSignal.abort() });
    const hurried = find(ANA, freshly, { deadlineMs: 5 });
    const patient = find(ANA, freshly);
    abort.abort();
    await expect(hasty).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(late).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(hurried).rejects.toMatchObject({ name: 'RemoteFailure', code: 'timeout' });
    answer.resolve(found('u-1'));
    expect(await patient).toMatchObject(isFound('u-1'));
  });
});
