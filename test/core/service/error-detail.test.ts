import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalStatusOf } from '../../../src/core/service/approval-status.ts';
import { errorDetail } from '../../../src/core/service/json-of-exchange.ts';
import { ENCODERS, isRecoverable, secretToken } from '../../support/spellings.ts';

const said = (body: unknown, secrets: string[] = []) =>
  errorDetail(Buffer.from(JSON.stringify(body)), secrets);

describe('the words of an error', () => {
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
  ])('are all the reasons of %j', (body) => {
    expect(said(body)).toBe('one\ntwo');
  });

  it('name what a reason is about, and are ten reasons at most', () => {
    const issues = Array.from({ length: 12 }, (_, at) => ({ path: ['items', at], message: 'No' }));
    const lines = said({ error: { issues } })?.split('\n');
    expect(lines).toHaveLength(10);
    expect(lines?.at(-1)).toBe('items.9: No');
  });

  it.each([[{}], [[]], [null], ['words'], [{ error: 5 }], [{ errors: [] }], [{ errors: 'x' }]])(
    'are not found in %j',
    (body) => {
      expect(said(body)).toBeUndefined();
    },
  );

  it('are not found in HTML, in nothing, and in what was not read whole', () => {
    expect(errorDetail(Buffer.from('<h1>Bad gateway</h1>'), [])).toBeUndefined();
    expect(errorDetail(Buffer.alloc(0), [])).toBeUndefined();
    expect(errorDetail(null, [])).toBeUndefined();
  });

  it('hold no secret, in whatever spelling', () => {
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

  it('are cut at 300 characters, after the secrets are out', () => {
    expect(said({ error: '😀'.repeat(301) })).toBe('😀'.repeat(300));
    expect(said({ error: `${'x'.repeat(295)}tok-123456` }, ['tok-123456'])).toBe(
      `${'x'.repeat(295)}[toke`,
    );
  });

  it('are not escaped, because who shows them does that', () => {
    expect(said({ error: '<b> & <!channel>' })).toBe('<b> & <!channel>');
  });
});
