import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RemoteFailure } from '../../src/lib/failure.ts';
import { createDirectory, type PersonToFind } from '../../src/people/directory.ts';
import type { UserMatch } from '../../src/service/find-user.ts';
import type { CallLimits } from '../../src/service/transport.ts';

const ana: PersonToFind = {
  slackUserId: 'U0ANA',
  email: 'ana@example.com',
  emailConfirmed: true,
};
const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };
const freshly = { maxAgeMs: 60_000 };

function found(id: string, active: boolean | null = true): UserMatch {
  const user = { id, externalId: null, userName: 'ana@example.com', active, displayName: null };
  return { kind: 'found', user };
}

/** A directory over a service whose next answers are given, and a clock that stands still. */
function setUp(answers: (UserMatch | Promise<UserMatch>)[] = [], maxEntries = 100) {
  const asked: { email: string; limits: CallLimits | undefined }[] = [];
  let elapsedMs = 0;
  const directory = createDirectory({
    users: {
      findByEmail: async (email, limits) => {
        asked.push({ email, limits });
        return (await answers.shift()) ?? expect.unreachable('nobody should ask');
      },
    },
    overrides: { U0BOSS: 'u-boss' },
    clock: { now: () => 0, monotonic: () => elapsedMs },
    maxEntries,
  });
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { directory, asked, pass };
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

describe('what the service takes as userId', () => {
  const person = (externalId: string | null) => {
    const user = { id: 'u-1', userName: 'ana@example.com', active: true, displayName: null };
    return async (): Promise<UserMatch> => ({ kind: 'found', user: { ...user, externalId } });
  };
  const clock = { now: () => 0, monotonic: () => 0 };

  it.each([
    ['id', 'x-1', { kind: 'linked', userId: 'u-1', active: true }],
    ['externalId', 'x-1', { kind: 'linked', userId: 'x-1', active: true }],
    ['externalId', null, { kind: 'none' }],
    ['none', null, { kind: 'linked', userId: null, active: true }],
  ] as const)('is the %s', async (userId, externalId, identity) => {
    const users = { findByEmail: person(externalId) };
    const directory = createDirectory({ users, overrides: {}, clock, userId });
    expect(await directory.serviceUserFor(ana, anyAge)).toEqual(identity);
  });
});

describe('a Slack person', () => {
  it.each<[UserMatch, object]>([
    [found('u-1'), { kind: 'linked', userId: 'u-1', active: true }],
    [found('u-1', false), { kind: 'inactive' }],
    [found('u-1', null), { kind: 'unknown-activity' }],
    [{ kind: 'none' }, { kind: 'none' }],
    [{ kind: 'several' }, { kind: 'several' }],
  ])('is, after %j, %j', async (match, identity) => {
    const { directory, asked } = setUp([match]);
    expect(await directory.serviceUserFor(ana, anyAge)).toEqual(identity);
    expect(asked).toMatchObject([{ email: 'ana@example.com' }]);
  });

  it('is whom the override says, and nobody is asked', async () => {
    const { directory } = setUp();
    const boss = { slackUserId: 'U0BOSS', email: null, emailConfirmed: null };
    const identity = { kind: 'linked', userId: 'u-boss', active: true };
    expect(await directory.serviceUserFor(boss, freshly)).toEqual(identity);
  });

  it('is known by overrides alone where there is no list of users', async () => {
    const clock = { now: () => 0, monotonic: () => 0 };
    const directory = createDirectory({ users: null, overrides: { U0BOSS: 'u-boss' }, clock });
    const boss = { ...ana, slackUserId: 'U0BOSS' };
    expect(await directory.serviceUserFor(boss, freshly)).toMatchObject({ kind: 'linked' });
    expect(await directory.serviceUserFor(ana, freshly)).toEqual({ kind: 'no-directory' });
    const trick = { ...ana, slackUserId: 'constructor' };
    expect(await directory.serviceUserFor(trick, freshly)).toEqual({ kind: 'no-directory' });
  });

  it.each([{ email: null }, { email: ' ' }, { emailConfirmed: false }, { emailConfirmed: null }])(
    'with %j has no address to be found by',
    async (facts) => {
      const { directory } = setUp();
      expect(await directory.serviceUserFor({ ...ana, ...facts }, anyAge)).toEqual({
        kind: 'none',
      });
    },
  );
});

describe('an answer', () => {
  it('holds for 5 minutes when somebody was found', async () => {
    const { directory, pass } = setUp([found('u-1'), found('u-2')]);
    await directory.serviceUserFor(ana, anyAge);
    pass(299_999);
    const written = { ...ana, email: ' Ana@EXAMPLE.com' };
    expect(await directory.serviceUserFor(written, anyAge)).toMatchObject({ userId: 'u-1' });
    pass(1);
    expect(await directory.serviceUserFor(ana, anyAge)).toMatchObject({ userId: 'u-2' });
  });

  it.each<UserMatch>([{ kind: 'none' }, { kind: 'several' }])(
    'holds for 30 seconds when it is %j',
    async (match) => {
      const { directory, pass } = setUp([match, found('u-1')]);
      await directory.serviceUserFor(ana, anyAge);
      pass(29_999);
      expect(await directory.serviceUserFor(ana, anyAge)).toEqual(match);
      pass(1);
      expect(await directory.serviceUserFor(ana, anyAge)).toMatchObject({ userId: 'u-1' });
    },
  );

  it('holds no longer than the caller allows, so that a decision sees who was deactivated', async () => {
    const { directory, pass } = setUp([found('u-1'), found('u-1', false)]);
    await directory.serviceUserFor(ana, freshly);
    pass(59_999);
    expect(await directory.serviceUserFor(ana, freshly)).toMatchObject({ kind: 'linked' });
    pass(1);
    expect(await directory.serviceUserFor(ana, freshly)).toEqual({ kind: 'inactive' });
    expect(await directory.serviceUserFor(ana, anyAge)).toEqual({ kind: 'inactive' });
  });

  it('is as old as its question', async () => {
    const answer = pending<UserMatch>();
    const { directory, pass } = setUp([answer.promise, found('u-2')]);
    const first = directory.serviceUserFor(ana, freshly);
    pass(4000);
    answer.resolve(found('u-1'));
    await first;
    pass(56_000);
    expect(await directory.serviceUserFor(ana, freshly)).toMatchObject({ userId: 'u-2' });
  });

  it('is shared by all who wait for the same address', async () => {
    const answer = pending<UserMatch>();
    const { directory, asked } = setUp([answer.promise, found('u-bob')]);
    const calls = [ana, { ...ana, email: 'ANA@example.com' }, ana].map((person) =>
      directory.serviceUserFor(person, freshly),
    );
    const bob = { ...ana, email: 'bob@example.com' };
    expect(await directory.serviceUserFor(bob, freshly)).toMatchObject({ userId: 'u-bob' });
    answer.resolve(found('u-1'));
    expect(await Promise.all(calls)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'linked', userId: 'u-1', active: true })),
    );
    expect(asked.map(({ email }) => email)).toEqual(['ana@example.com', 'bob@example.com']);
  });

  it('makes room when there are too many', async () => {
    const { directory, asked } = setUp([found('a'), found('b'), found('c'), found('a')], 2);
    const lookUp = (name: string) =>
      directory.serviceUserFor({ ...ana, email: `${name}@example.com` }, anyAge);
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await lookUp(name);
    expect(asked.map(({ email }) => email[0])).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('a lookup that fails', () => {
  const failure = new RemoteFailure('list users', { class: 'ambiguous', code: 'timeout' });

  it('fails for all who wait, and is asked again by the next', async () => {
    const answer = pending<UserMatch>();
    const { directory } = setUp([answer.promise, found('u-1')]);
    const calls = [ana, ana].map((person) => directory.serviceUserFor(person, freshly));
    answer.reject(failure);
    for (const call of calls) await expect(call).rejects.toBe(failure);
    expect(await directory.serviceUserFor(ana, freshly)).toMatchObject({ userId: 'u-1' });
  });

  it('hands on the deadline, but not the signal of the one who asked first', async () => {
    const { directory, asked } = setUp([found('u-1')]);
    const { signal } = new AbortController();
    await directory.serviceUserFor(ana, freshly, { signal, deadlineMs: 700 });
    expect(asked).toEqual([{ email: 'ana@example.com', limits: { deadlineMs: 700 } }]);
  });

  it('leaves nothing behind on a signal that many share', async () => {
    const answer = pending<UserMatch>();
    const { directory } = setUp([answer.promise]);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 20 }, () =>
      directory.serviceUserFor(ana, freshly, { signal }),
    );
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
    const { directory } = setUp([answer.promise]);
    const abort = new AbortController();
    const hasty = directory.serviceUserFor(ana, freshly, { signal: abort.signal });
    const late = directory.serviceUserFor(ana, freshly, { signal: AbortSignal.abort() });
    const hurried = directory.serviceUserFor(ana, freshly, { deadlineMs: 5 });
    const patient = directory.serviceUserFor(ana, freshly);
    abort.abort();
    await expect(hasty).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(late).rejects.toMatchObject({ name: 'RemoteFailure', code: 'aborted' });
    await expect(hurried).rejects.toMatchObject({ name: 'RemoteFailure', code: 'timeout' });
    answer.resolve(found('u-1'));
    expect(await patient).toMatchObject({ userId: 'u-1' });
  });
});
