import { expect, it } from 'vitest';
import { problem } from '../../../src/core/http/problem.ts';

it('an error is answered as problem details', () => {
  const errors = [{ pointer: '/token', detail: 'must be string' }];
  expect(problem({ status: 422, title: 'Invalid request body', errors })).toEqual({
    status: 422,
    headers: { 'content-type': 'application/problem+json' },
    body: '{"type":"about:blank","status":422,"title":"Invalid request body","errors":[{"pointer":"/token","detail":"must be string"}]}',
  });
});

it.each([
  [0, '1'],
  [0.2, '1'],
  [1.2, '2'],
  [30, '30'],
])('a wait of %d s is rounded up to %s in retry-after', (retryAfterS, expected) => {
  const { headers, body } = problem({ status: 503, title: 'Unavailable', retryAfterS });
  expect(headers['retry-after']).toBe(expected);
  expect(body).not.toContain('retryAfterS');
});
