import { describe, expect, test } from 'vitest';
import { linkedTo, loginKey, loginsOf, loginText } from '../../../src/core/lib/logins.ts';

const logins = {
  [loginKey({ at: 'github', login: 'OctoCat' })]: 'U0CLEO',
  [loginKey({ at: 'email', login: 'Ana+Deploy@Example.com' })]: 'U0ANA',
  [loginKey({ at: 'ci', login: 'a:b' })]: 'U0ANA',
};

describe('a login', () => {
  test.each([
    ['github', 'octocat', 'U0CLEO'],
    ['github', 'OCTOCAT', 'U0CLEO'],
    ['gitlab', 'octocat', undefined],
    ['github', 'octo', undefined],
    ['email', 'ana+deploy@example.com', 'U0ANA'],
    ['ci', 'A:B', 'U0ANA'],
    ['github', 'constructor', undefined],
  ])('at %s of %s belongs to %s', (at, login, user) => {
    expect(linkedTo(logins, { at, login })).toBe(user);
  });

  test.each([
    ['github', 'octocat', 'octocat (GitHub)'],
    ['jenkins', '[schedule]', 'a schedule (Jenkins)'],
    ['forge.example', 'ana', 'ana (forge.example)'],
    ['email', 'ana@example.com', 'ana@example.com'],
  ])('at %s of %s reads %s', (at, login, text) => {
    expect(loginText({ at, login })).toBe(text);
  });
});

test('all logins of a person are found, and nobody else’s', () => {
  expect(loginsOf(logins, 'U0ANA')).toEqual([
    { at: 'email', login: 'ana+deploy@example.com' },
    { at: 'ci', login: 'a:b' },
  ]);
  expect(loginsOf(logins, 'U0BEN')).toEqual([]);
});
