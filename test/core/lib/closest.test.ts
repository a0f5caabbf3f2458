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
])('"%s" is near to %s', (word, expected) => {
  expect(closest(word, KEYS)).toBe(expected);
});

it('takes the nearest of several', () => {
  expect(closest('staging-eu', ['staging-us', 'staging-e', 'production'])).toBe('staging-e');
});

it('takes no beginning that several have', () => {
  expect(closest('stag', ['staging-us', 'staging-eu'])).toBeUndefined();
});

it('is near to nothing where there is nothing', () => {
  expect(closest('x', [])).toBeUndefined();
});
