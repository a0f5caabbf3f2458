import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalStatusOf } from '../../../src/core/service/approval-status.ts';
import { errorDetail } from '../../../src/core/service/json-of-exchange.ts';
import { ENCODERS, isRecoverable, secretToken } from '../../support/spellings.ts';

const said = (body: unknown, secrets: string[] = []) =>
  errorDetail(Buffer.from(JSON.stringify(body)), secrets);

describe('the message of an error', () => {
  it.each([
    [{ error: 'words' }],
    [{ error: { message: 'words' } }],
    [{ detail: 'words', status: '400', scimType: 'invalidValue' }],
    [{ message: 'words' }],
    [{ title: 'words', type: 'about:blank' }],
    [{ errors: [{ message: 'words' }] }],
    [{ error: { code: 7 }, detail: ['no'], message: 'words' }],
    [{ error: ' \n', detail: 'words' }],
    [{ message: 'no', detail: 'words' }],
    [{ error: ' wo\u0000\r\nrds ' }],
  ])('are found in %j', (body) => {
    expect(said(body)?.replace(' ', '')).toBe('words');
  });

  it.each([
    [{ errors: [{ message: 'one' }, { message: 'two' }], message: 'Invalid' }],
    [{ errors: ['one', 'two', 'one', 5, ''] }],
    [{ error: { message: 'Invalid', issues: [{ message: 'one' }, { message: 'two' }] } }],
    [{ errors: [{ detail: 'one' }, { detail: 'two' }], title: 'Bad Request' }],
  ])('has all the reasons in %j', (body) => {
    expect(said(body)).toBe('one\ntwo');
  });

  it('names the item of each reason, for at most ten reasons', () => {
    const issues = Array.from({ length: 12 }, (_, at) => ({ path: ['items', at], message: 'No' }));
    const lines = said({ error: { issues } })?.split('\n');
    expect(lines).toHaveLength(10);
    expect(lines?.at(-1)).toBe('items.9: No');
  });

  it.each([[{}], [[]], [null], ['words'], [{ error: 5 }], [{ errors: [] }], [{ errors: 'x' }]])(
    'is not found in %j',
    (body) => {
      expect(said(body)).toBeUndefined();
    },
  );

  it('is not found in HTML, an empty body or an incomplete one', () => {
    expect(errorDetail(Buffer.from('<h1>Bad gateway</h1>'), [])).toBeUndefined();
    expect(errorDetail(Buffer.alloc(0), [])).toBeUndefined();
    expect(errorDetail(null, [])).toBeUndefined();
  });

  it('contains no secret, in any encoding', () => {
    const chain = fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 });
    fc.assert(
      fc.property(secretToken, chain, (token, encoders) => {
        const written = encoders.reduce((inner, [, encode]) => encode(inner), `No ${token}.`);
        expect(isRecoverable(said({ error: written }, [token]) ?? '', token)).toBe(false);
        const answer = { status: 'PENDING', prompt: written };
        expect(
          isRecoverable(
            approvalStatusOf(answer, { auth: 'none' }, token, { withPrompt: true })?.prompt ?? '',
            token,
          ),
        ).toBe(false);
      }),
    );
  });

  it('is cut at 300 characters, after secrets are redacted', () => {
    expect(said({ error: '😀'.repeat(301) })).toBe('😀'.repeat(300));
    expect(said({ error: `${'x'.repeat(295)}tok-123456` }, ['tok-123456'])).toBe(
      `${'x'.repeat(295)}[toke`,
    );
  });

  it('is not escaped here, since it is escaped when shown', () => {
    expect(said({ error: '<b> & <!channel>' })).toBe('<b> & <!channel>');
  });
});
