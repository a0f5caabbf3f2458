import { expect, it } from 'vitest';
import { closest } from '../../../src/core/lib/closest.ts';

const KEYS = ['channel', 'outcomes', 'reviewers', 'quorum', 'guests', 'to'];

it.each([
  ['quorm', 'quorum'],
  ['qourum', 'quorum'],
  ['Quorum', 'quorum'],
  ['chanel', 'channel'],
  ['reviewer', 'reviewers'],
  ['revewier', 'reviewers'],
  ['ot', 'to'],
  ['quorum', 'quorum'],
  ['iden', undefined],
  ['review', 'reviewers'],
  ['out', 'outcomes'],
  ['qu', undefined],
  ['x', undefined],
  ['', undefined],
])('the closest key to "%s" is %s', (word, expected) => {
  expect(closest(word, KEYS)).toBe(expected);
});

it('takes the nearest of several', () => {
  expect(closest('staging-eu', ['staging-us', 'staging-e', 'production'])).toBe('staging-e');
});

it('a prefix shared by several candidates matches none', () => {
  expect(closest('stag', ['staging-us', 'staging-eu'])).toBeUndefined();
});

it('there is no match without candidates', () => {
  expect(closest('x', [])).toBeUndefined();
});
