import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { type AccountKey, createFinder } from '../../../src/core/people/directory.ts';
import type { UserMatch } from '../../../src/core/service/find-user.ts';
import type { CallLimits } from '../../../src/core/service/transport.ts';

const byAddress = (email: string): AccountKey => ['userName', email];
const ANA = byAddress('ana@example.com');

function found(id: string, active: boolean | null = true): UserMatch {
  const user = { id, externalId: null, userName: 'ana@example.com', active, displayName: null };
  return { kind: 'found', user };
}

const isFound = (id: string) => ({ kind: 'found', user: { id } });

/** Finds accounts in a service with given answers, by a stopped clock. */
function setUp(answers: (UserMatch | Promise<UserMatch>)[] = [], maxEntries = 100) {
  const asked: { key: AccountKey; limits: CallLimits | undefined }[] = [];
  let elapsedMs = 0;
  const finder = createFinder({
    users: {
      find: async (attribute, value, limits) => {
        asked.push({ key: [attribute, value], limits });
        return (await answers.shift()) ?? expect.unreachable('nobody should ask');
      },
    },
    clock: { monotonic: () => elapsedMs },
    timers: systemTimers,
    maxEntries,
  });
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { ...finder, asked, pass };
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

describe('an account', () => {
  it('is read again for each press, so that nobody is authorized or denied from the cache', async () => {
    const { find, recent, pass } = setUp([found('u-1'), found('u-1', false), found('u-1')]);
    expect(await recent(ANA)).toMatchObject({ user: { active: true } });
    expect(await find(ANA)).toMatchObject({ user: { active: false } });
    pass(1);
    expect(await find(ANA)).toMatchObject({ user: { active: true } });
  });

  it('is not taken from a lookup that started before the press', async () => {
    const answer = pending<UserMatch>();
    const { find, pass } = setUp([answer.promise, found('u-1', false)]);
    const early = find(ANA);
    pass(1);
    expect(await find(ANA)).toMatchObject({ user: { active: false } });
    answer.resolve(found('u-1'));
    expect(await early).toMatchObject({ user: { active: true } });
  });

  it('is shared by lookups for the same press', async () => {
    const { find, pass, asked } = setUp([found('u-1')]);
    pass(1);
    const calls = [find(ANA, { since: 0 }), find(ANA, { since: 0 })];
    for (const call of calls) expect(await call).toMatchObject(isFound('u-1'));
    expect(asked).toHaveLength(1);
  });
});

describe('an account for a list', () => {
  it('is cached for 5 seconds from the start of its lookup', async () => {
    const answer = pending<UserMatch>();
    const { recent, pass } = setUp([answer.promise, found('u-2')]);
    const first = recent(ANA);
    pass(4_000);
    answer.resolve(found('u-1'));
    await first;
    pass(999);
    expect(await recent(ANA)).toMatchObject(isFound('u-1'));
    pass(1);
    expect(await recent(ANA)).toMatchObject(isFound('u-2'));
  });

  it('is shared by all who wait for the same address', async () => {
    const answer = pending<UserMatch>();
    const { recent, asked } = setUp([answer.promise, found('u-bob')]);
    const calls = [ANA, ANA, ANA].map((person) => recent(person));
    expect(await recent(byAddress('bob@example.com'))).toMatchObject(isFound('u-bob'));
    answer.resolve(found('u-1'));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 3 }, () => found('u-1')));
    expect(asked.map(({ key }) => key)).toEqual([ANA, byAddress('bob@example.com')]);
  });

  it('is dropped from a full cache, the oldest first', async () => {
    const { recent, asked } = setUp([found('a'), found('b'), found('c'), found('a')], 2);
    const lookUp = (name: string) => recent(byAddress(`${name}@example.com`));
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await lookUp(name);
    expect(asked.map(({ key }) => key[1][0])).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('a lookup that fails', () => {
  const failure = new RemoteFailure('list users', { class: 'ambiguous', code: 'timeout' });

  it('fails for all callers that wait, and the next caller asks again', async () => {
    const answer = pending<UserMatch>();
    const { recent } = setUp([answer.promise, found('u-1')]);
    const calls = [ANA, ANA].map((person) => recent(person));
    answer.reject(failure);
    for (const call of calls) await expect(call).rejects.toBe(failure);
    expect(await recent(ANA)).toMatchObject(isFound('u-1'));
  });

  it('gets the deadline of its caller, but not its signal', async () => {
    const { recent, asked } = setUp([found('u-1')]);
    const { signal } = new AbortController();
    await recent(ANA, { signal, deadlineMs: 700 });
    expect(asked).toEqual([{ key: ANA, limits: { deadlineMs: 700 } }]);
  });

  it('leaves no listeners on a shared signal', async () => {
    const answer = pending<UserMatch>();
    const { recent } = setUp([answer.promise]);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 20 }, () => recent(ANA, { signal }));
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
    const { recent } = setUp([answer.promise]);
    const abort = new AbortController();
    const hasty = recent(ANA, { signal: abort.signal });
    const late = recent(ANA, { signal: AbortSignal.abort() });
    const hurried = recent(ANA, { deadlineMs: 5 });
    const patient = recent(ANA);
    abort.abort();
    await expect(hasty).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(late).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(hurried).rejects.toMatchObject({ name: 'RemoteFailure', code: 'timeout' });
    answer.resolve(found('u-1'));
    expect(await patient).toMatchObject(isFound('u-1'));
  });
});
