import { expect, it } from 'vitest';
import { BJENSEN } from '../../../sandbox/test/service/rfc-user.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { serviceUserOf } from '../../../src/core/service/service-user.ts';
import { accountChanges, accountName } from '../../../src/operations/accounts/account.ts';
import { troubleOf, troubleSentence } from '../../../src/operations/accounts/trouble.ts';

it.each([
  [401, /did not accept the token .* SCIM_TOKEN/],
  [403, /closed beta, needs an enterprise licence and has to be switched on/],
  [404, /no accounts \(SCIM\) at this address \(404 or 410\)\. Check SERVICE_URL/],
  [410, /no accounts \(SCIM\) at this address \(404 or 410\)\. Check SERVICE_URL/],
  [429, /too busy/],
  [400, /did not accept what was sent/],
  [418, /refused this/],
  [308, /answered with a redirect/],
])('a %i has its own sentence, with the text of the service', (status, sentence) => {
  const facts = {
    class: 'refused',
    code: `http_${status}`,
    status,
    detail: 'No <licence>',
  } as const;
  const trouble = troubleOf(new RemoteFailure('list users', facts));
  expect(troubleSentence(trouble)).toMatch(sentence);
  expect(troubleSentence(trouble, (text) => text.replace('<', '&lt;'))).toMatch(
    /“No &lt;licence>”$/,
  );
});

it.each([
  ['not-sent', /could not be reached/],
  ['ambiguous', /gave no clear answer/],
  ['unreadable', /could not be read/],
] as const)('a failure that is %s has its own sentence', (known, sentence) => {
  const trouble = troubleOf(new RemoteFailure('list users', { class: known, code: 'x' }));
  expect(troubleSentence(trouble)).toMatch(sentence);
});

it('an error that does not come from the service is thrown again', () => {
  expect(() => troubleOf(new TypeError('a mistake'))).toThrow(TypeError);
});

const barbara = serviceUserOf(BJENSEN) ?? expect.unreachable();

it('an account is shown by its name and address, on one line', () => {
  expect(accountName(barbara)).toBe('Babs Jensen (bjensen@example.com)');
  expect(accountName({ ...barbara, displayName: null })).toBe('bjensen@example.com');
  expect(accountName({ ...barbara, displayName: 'B\u001b[31m\nJ' })).toBe(
    'B J (bjensen@example.com)',
  );
});

it('only attributes that differ are changed', () => {
  const wanted = { title: 'Tour Guide', givenName: 'Babs', active: false, department: '' };
  expect(accountChanges(barbara, wanted)).toEqual({
    givenName: 'Babs',
    active: false,
    department: '',
  });
  expect(accountChanges({ ...barbara, department: null }, { department: '' })).toEqual({});
  expect(accountChanges({ ...barbara, active: null }, { active: true })).toEqual({ active: true });
});
