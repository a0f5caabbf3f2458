import { describe, expect, it } from 'vitest';
import type { UserFinder } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import { findAccount } from '../../../src/operations/accounts/account.ts';
import { readWords } from '../../../src/operations/accounts/command.ts';

describe('the text after /people', () => {
  it.each([
    ...[
      'help',
      '--help',
      '-h',
      '?',
      '—help',
      '`--help`',
      'help!',
      'Help?',
      'create --help',
      'find -h',
    ],
  ])('“%s” shows the help', (typed) => {
    expect(readWords(typed)).toEqual({ kind: 'help' });
  });

  it.each([
    ['re\u2011activate ana@example.com', { kind: 'card', text: 'ana@example.com' }],
    ['`me`', { kind: 'me' }],
    ['find help', { kind: 'find', text: 'help' }],
    ['forget `U012AB3CD`', { kind: 'forget', person: 'U012AB3CD' }],
    ['forget <@U012AB3CD|ana>', { kind: 'forget', person: '<@U012AB3CD|ana>' }],
    // What becomes part of an account stays as it was typed.
    ['create o’brien@example.com', { kind: 'create', userName: 'o’brien@example.com' }],
  ])('reads “%s”', (typed, words) => {
    expect(readWords(typed)).toEqual(words);
  });
});

describe('an account is found by the text as typed, or by its plain spelling', () => {
  const named = (userName: string): UserProfile => ({
    ...{ id: 'a1', userName, externalId: null, active: true, displayName: null },
    ...{ formattedName: null, givenName: null, familyName: null, title: null, department: null },
  });
  const finderOf = (user: UserProfile): UserFinder => ({
    find: async (by, value) =>
      user[by as 'id' | 'userName'] === value ? { kind: 'found', user } : { kind: 'none' },
  });
  it.each([
    ['ana\u2011b@example.com', 'ana-b@example.com'],
    ['“ana@example.com”,', 'ana@example.com'],
    ['o’brien@example.com', "o'brien@example.com"],
    ['o’brien@example.com', 'o’brien@example.com'],
  ])('%s finds %s', async (typed, userName) => {
    const match = await findAccount(finderOf(named(userName)), typed);
    expect(match).toMatchObject({ kind: 'found', user: { userName } });
  });

  it('a text that matches nobody finds nobody', async () => {
    const match = await findAccount(finderOf(named('ana@example.com')), 'ben@example.com');
    expect(match).toEqual({ kind: 'none' });
  });
});
