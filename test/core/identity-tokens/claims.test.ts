import { describe, expect, it } from 'vitest';
import {
  canBothMatch,
  claimText,
  isPattern,
  unmetClaims,
} from '../../../src/core/identity-tokens/claims.ts';

describe('a claim', () => {
  it.each([
    ['acme/shop', 'acme/shop', true],
    ['acme/shop', 'acme/shop2', false],
    ['acme/shop', 'acme/*', true],
    ['acme/', 'acme/*', false],
    ['acme-evil/shop', 'acme/*', false],
    ['repo:acme/shop:ref:refs/heads/main', 'repo:acme/shop:*', true],
    ['repo:acme/shop-evil:ref:refs/heads/main', 'repo:acme/shop:*', false],
    ['ACME/shop', 'acme/*', false],
  ])('with the value %s meets %s: %s', (value, pattern, isMet) => {
    expect(unmetClaims({ claim: value }, { claim: [pattern] })).toEqual(isMet ? [] : ['claim']);
  });

  it('meets a list if it has one of its values', () => {
    const rules = { ref: ['refs/heads/main', 'refs/tags/*'] };
    expect(unmetClaims({ ref: 'refs/tags/v1' }, rules)).toEqual([]);
    expect(unmetClaims({ ref: 'refs/heads/x' }, rules)).toEqual(['ref']);
  });

  it('that is missing, a list or an object meets nothing', () => {
    const rules = { a: ['x'], b: ['y'] };
    expect(unmetClaims({ b: ['y'] }, rules)).toEqual(['a', 'b']);
    expect(unmetClaims({ a: { x: 'x' }, b: null }, rules)).toEqual(['a', 'b']);
  });

  it('is also a member of another one, by its path', () => {
    const claims = { 'kubernetes.io': { namespace: 'ci', pod: { name: 'p' } }, n: 7, yes: true };
    expect(claimText(claims, 'kubernetes.io/namespace')).toBe('ci');
    expect(claimText(claims, 'kubernetes.io/pod/name')).toBe('p');
    expect(claimText(claims, 'kubernetes.io/pod/name/length')).toBeUndefined();
    expect(claimText(claims, 'constructor/name')).toBeUndefined();
    expect([claimText(claims, 'n'), claimText(claims, 'yes')]).toEqual(['7', 'true']);
    expect(claimText({ 'a/b': 'own', a: { b: 'inner' } }, 'a/b')).toBe('own');
  });
});

it('a star stands only at the end, after a slash or a colon and something before it', () => {
  const good = ['a', 'acme/*', 'repo:acme/shop:*', 'x:*'];
  const bad = ['*', '/*', ':*', '//*', 'acme*', '*/shop', 'a/*/b', 'a/**', 'a/*:*'];
  expect(good.filter((each) => !isPattern(each))).toEqual([]);
  expect(bad.filter(isPattern)).toEqual([]);
});

describe('two sources', () => {
  it.each([
    [{ repository: ['acme/*'] }, { repository: ['acme/shop'] }, true],
    [{ repository: ['acme/*'] }, { repository: ['acme/shop/*'] }, true],
    [{ repository: ['acme/*'] }, { repository: ['other/*'] }, false],
    [{ repository: ['acme/a', 'acme/b'] }, { repository: ['acme/c'] }, false],
    [{ repository: ['acme/a'] }, { ref: ['main'] }, true],
    [{ repository: ['acme/a'], ref: ['main'] }, { repository: ['acme/a'], ref: ['dev'] }, false],
  ])('with %j and %j can match the same token: %s', (one, other, can) => {
    expect(canBothMatch(one, other)).toBe(can);
    expect(canBothMatch(other, one)).toBe(can);
  });
});
