import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseJsonBody } from '../../../src/core/http/json-body.ts';

const schema = z.strictObject({
  token: z.string().min(3).max(10),
  link: z.url().optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  quorum: z.int().min(1).max(5).optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  tags: z.array(z.string().max(4)).max(2).optional(),
  fields: z.record(z.string(), z.string().max(4)).optional(),
  even: z
    .number()
    .refine((value) => value % 2 === 0, 'must be even')
    .optional(),
  who: z.union([z.object({ email: z.email() }), z.object({ name: z.string() })]).optional(),
});

const JSON_TYPE = 'application/json';

function answer(text: string | Uint8Array, contentType: string | undefined = JSON_TYPE) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const parsed = parseJsonBody(contentType, bytes, schema);
  return parsed.ok
    ? parsed.value
    : { status: parsed.reply.status, ...JSON.parse(parsed.reply.body) };
}

describe('an object with a length that cannot be compared', () => {
  const odd = '{"length":{"toString":1,"valueOf":1}}';
  const fault = (pointer: string) => ({
    status: 422,
    errors: [{ pointer, detail: 'does not match the documentation' }],
  });

  it.each([
    ['in place of a text', `{"token":${odd}}`, '/token'],
    ['in place of a list', `{"token":"abc","tags":${odd}}`, '/tags'],
    ['in a list', `{"token":"abc","tags":["a",${odd}]}`, '/tags/1'],
  ])('%s is refused with a pointer to it', (_where, body, pointer) => {
    expect(answer(body)).toMatchObject(fault(pointer));
  });

  it('is refused beside what is nested deeper than the stack', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(answer(`{"token":${odd},"code":${deep}}`)).toMatchObject(fault('/token'));
    const within = `${'['.repeat(50_000)}{"length":{}}${']'.repeat(50_000)}`;
    expect(answer(`{"code":${within},"token":${odd}}`)).toMatchObject(fault('/token'));
  });
});

describe('the media type', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/vnd.example+json',
  ])('%s is accepted', (type) => {
    expect(answer('{"token":"abc"}', type)).toEqual({ token: 'abc' });
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'text/plain; application/json',
  ])('%s is refused', (type) => {
    const parsed = parseJsonBody(type, new TextEncoder().encode('{"token":"abc"}'), schema);
    expect(parsed).toMatchObject({ ok: false, reply: { status: 415 } });
  });
});

it('reads a body independently of the one before', () => {
  expect(answer(new Uint8Array([0x22, 0xe2, 0x82]))).toMatchObject({ status: 400 });
  expect(answer('\ufeff{"token":"abc"}')).toEqual({ token: 'abc' });
  expect(answer('{"token":"abc"}')).toEqual({ token: 'abc' });
});

it.each<[string, string | Uint8Array]>([
  ['nothing', ''],
  ['half an object', '{"token":'],
  ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ['something after it', '{"token":"abc"} x'],
])('%s is refused as not JSON', (_, text) => {
  expect(answer(text)).toMatchObject({ status: 400, title: 'Not JSON' });
});

describe('a validation error', () => {
  it.each<[string, object, { pointer: string; detail: string }]>([
    ['a missing member', {}, { pointer: '/token', detail: 'must be string' }],
    [
      'a long text',
      { token: 'x'.repeat(11) },
      { pointer: '/token', detail: 'must be at most 10 characters long' },
    ],
    [
      'a short text',
      { token: 'x' },
      { pointer: '/token', detail: 'must be at least 3 characters long' },
    ],
    [
      'a number out of range',
      { token: 'abc', quorum: 9 },
      { pointer: '/quorum', detail: 'must be at most 5' },
    ],
    ['a fraction', { token: 'abc', quorum: 1.5 }, { pointer: '/quorum', detail: 'must be int' }],
    [
      'another word',
      { token: 'abc', mode: 'odd' },
      { pointer: '/mode', detail: 'must be one of: fast, slow' },
    ],
    [
      'too many entries',
      { token: 'abc', tags: ['a', 'b', 'c'] },
      { pointer: '/tags', detail: 'must be at most 2 entries long' },
    ],
    [
      'an entry',
      { token: 'abc', tags: ['a', 'too long'] },
      { pointer: '/tags/1', detail: 'must be at most 4 characters long' },
    ],
    [
      'a member with slashes',
      { token: 'abc', fields: { 'a/b~c': 'too long' } },
      { pointer: '/fields/a~1b~0c', detail: 'must be at most 4 characters long' },
    ],
    [
      'no address',
      { token: 'abc', link: 'nowhere' },
      { pointer: '/link', detail: 'does not have the documented form' },
    ],
    [
      'another form',
      { token: 'abc', code: 'A1' },
      { pointer: '/code', detail: 'does not have the documented form' },
    ],
    ['a rule of our own', { token: 'abc', even: 3 }, { pointer: '/even', detail: 'must be even' }],
    [
      'none of several forms',
      { token: 'abc', who: {} },
      { pointer: '/who', detail: 'does not match the documentation' },
    ],
    [
      'an unknown member',
      { token: 'abc', extra: 1 },
      { pointer: '/extra', detail: 'is not a known field' },
    ],
  ])('for %s points at its place', (_, body, error) => {
    expect(answer(JSON.stringify(body))).toEqual({
      status: 422,
      type: 'about:blank',
      title: 'Invalid request body',
      errors: [error],
    });
  });

  it('for the whole body has an empty pointer', () => {
    expect(answer('[]')).toMatchObject({ errors: [{ pointer: '', detail: 'must be object' }] });
  });

  it('is shown for at most twenty members', () => {
    const extra = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
    expect(answer(JSON.stringify({ token: 'abc', ...extra })).errors).toHaveLength(20);
  });

  it.each([
    ['a member', { token: 't0ken-4711', 't0ken-4711': 7 }, '/[token]'],
    ['a short member', { token: 't0ken', t0ken: 7 }, '/[token]'],
    [
      'behind more of them than are looked for',
      {
        token1: 'a1',
        token2: 'a2',
        token3: 'a3',
        token4: 'a4',
        token: 't0ken-4711',
        't0ken-4711': 7,
      },
      '/[token]',
    ],
    [
      'a part of a name',
      { token: 't0ken-4711', fields: { 'v_t0ken-4711': 7 } },
      '/fields/v_[token]',
    ],
    [
      'a name in another spelling',
      { token: 't0ken-4711', fields: { 't0ken%2D4711': 7 } },
      '/fields/[token]',
    ],
    [
      'a token that stands elsewhere',
      { approvalToken: `${'x'.repeat(60)}t0ken`, [`${'x'.repeat(60)}t0ken`]: 7 },
      '/[token]',
    ],
  ])('does not repeat a token that is %s', (_what, body, pointer) => {
    const { errors } = answer(JSON.stringify(body));
    expect(errors).toContainEqual(expect.objectContaining({ pointer }));
    expect(JSON.stringify(errors)).not.toMatch(/t0ken|xxx/);
  });

  it('does not repeat a name that is more likely a value', () => {
    const secret = 's'.repeat(200);
    expect(JSON.stringify(answer(JSON.stringify({ token: 'abc', [secret]: 1 })))).not.toContain(
      secret,
    );
  });

  it('never repeats a value', () => {
    const members = fc.constantFrom(
      'token',
      'link',
      'code',
      'quorum',
      'mode',
      'tags',
      'even',
      'who',
    );
    const secret = fc.stringMatching(/^Zq[A-Z0-9]{9,20}$/);
    const shapes = [
      (it: string): unknown => it,
      (it: string): unknown => [it],
      (it: string): unknown => ({ email: it }),
    ];
    fc.assert(
      fc.property(members, secret, fc.constantFrom(...shapes), (name, value, shape) => {
        const told = answer(JSON.stringify({ token: 'abc', [name]: shape(value) }));
        expect(told).toMatchObject({ status: 422 });
        expect(JSON.stringify(told)).not.toContain(value);
      }),
    );
  });
});
