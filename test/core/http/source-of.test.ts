import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Credentials, sourceFinder } from '../../../src/core/http/source-of.ts';

const BODY = Buffer.from('{"token":"t","title":"Grüße"}');
const NOW = Date.parse('2026-11-20T10:00:00Z');
const KEY = Buffer.alloc(24, 9);
const NEXT_KEY = Buffer.alloc(32, 10);
const asSecret = (key: Buffer) => `whsec_${key.toString('base64')}`;

const deploys = {
  auth: { kind: 'bearer' as const },
  secrets: ['deploys-old', 'deploys-new'],
};
const tests = { auth: { kind: 'bearer' as const }, secrets: ['tests-sécret'] };
const builds = {
  auth: { kind: 'header' as const, name: 'X-Build-Secret' },
  secrets: ['builds-old', 'builds-new'],
};
const hooks = {
  auth: { kind: 'standard-webhooks' as const },
  secrets: [asSecret(KEY), asSecret(NEXT_KEY)],
};
const sourceOf = sourceFinder([deploys, tests, builds, hooks]);

function from(headers: Credentials['headers'], body = BODY) {
  return sourceOf({ headers, body, now: NOW });
}

it('knows whether a source signs', () => {
  expect(sourceOf.areSigned).toBe(true);
  expect(sourceFinder([deploys, builds]).areSigned).toBe(false);
});

/** As Node hands a header's UTF-8 bytes over. */
const asHeader = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('a bearer token', () => {
  it.each<[string | undefined, object | undefined]>([
    ['Bearer deploys-old', deploys],
    ['bearer   deploys-new ', deploys],
    [asHeader('Bearer tests-sécret'), tests],
    ['Bearer deploys-ol', undefined],
    ['Bearer deploys-old2', undefined],
    ['Bearer deploys-old deploys-new', undefined],
    ['Bearer ', undefined],
    ['Bearer', undefined],
    ['Basic deploys-old', undefined],
    ['deploys-old', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s belongs to %o', (authorization, source) => {
    expect(from(authorization === undefined ? {} : { authorization })).toBe(source);
  });
});

describe('a secret in a header of its own', () => {
  it.each([
    ['builds-old', builds],
    ['builds-new', builds],
    ['Bearer builds-old', undefined],
    ['builds-old, builds-old', undefined],
    ['deploys-old', undefined],
    ['', undefined],
  ])('%s belongs to %o', (value, source) => {
    expect(from({ 'x-build-secret': value })).toBe(source);
  });
});

/** Written for this test alone, from the text of the specification. */
function signed({ id = 'msg_1', at = NOW / 1000, key = KEY, body = BODY }) {
  const signature = createHmac('sha256', key)
    .update(`${id}.${at}.${body.toString('utf8')}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${signature}`,
  };
}

describe('a signature', () => {
  it('is accepted for the example in the specification', () => {
    const example = {
      auth: { kind: 'standard-webhooks' as const },
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    };
    const request = {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: Buffer.from('{"test": 2432232314}'),
      now: 1_614_265_330_000,
    };
    expect(sourceFinder([example])(request)).toBe(example);
    expect(sourceFinder([example])({ ...request, body: Buffer.from('{}') })).toBeUndefined();
  });

  it.each([
    ['of the old secret', signed({})],
    ['of the new secret', signed({ key: NEXT_KEY })],
    ['five minutes old', signed({ at: NOW / 1000 - 300 })],
    ['five minutes ahead', signed({ at: NOW / 1000 + 300 })],
    [
      'among others',
      { ...signed({}), 'webhook-signature': `v1a,x v1,AAAA ${signed({})['webhook-signature']}` },
    ],
  ])('%s is accepted', (_, headers) => {
    expect(from(headers)).toBe(hooks);
  });

  it('of an empty body is accepted only without a body', () => {
    const headers = signed({ body: Buffer.alloc(0) });
    expect(from(headers, Buffer.alloc(0))).toBe(hooks);
    expect(from(headers)).toBeUndefined();
  });

  const good = signed({});
  const [, value] = good['webhook-signature'].split(',');
  it.each<[string, Credentials['headers']]>([
    ['of another secret', signed({ key: Buffer.alloc(24, 1) })],
    ['of no secret', signed({ key: Buffer.alloc(0) })],
    ['of another body', signed({ body: Buffer.from('{}') })],
    ['of another id', { ...good, 'webhook-id': 'msg_2' }],
    ['of another time', { ...good, 'webhook-timestamp': String(NOW / 1000 + 1) }],
    ['more than five minutes old', signed({ at: NOW / 1000 - 301 })],
    ['more than five minutes ahead', signed({ at: NOW / 1000 + 301 })],
    ['with a time in milliseconds', signed({ at: NOW })],
    ['with a time that is no whole number', signed({ at: NOW / 1000 + 0.5 })],
    ['with an id that could hold a time', signed({ id: 'msg.1' })],
    ['without an id', { ...good, 'webhook-id': undefined }],
    ['without a time', { ...good, 'webhook-timestamp': undefined }],
    ['that is missing', { ...good, 'webhook-signature': undefined }],
    ['that is empty', { ...good, 'webhook-signature': '' }],
    ['without its version', { ...good, 'webhook-signature': value }],
    ['of another version', { ...good, 'webhook-signature': `v2,${value}` }],
    ['that was cut', { ...good, 'webhook-signature': `v1,${value?.slice(0, 20)}` }],
  ])('%s is refused', (_, headers) => {
    expect(from(headers)).toBeUndefined();
  });
});

describe('before the body is read', () => {
  const couldBe = (headers: Credentials['headers']) => sourceOf.couldBe({ headers, now: NOW });
  it.each<[string, Credentials['headers'], boolean]>([
    ['a right bearer', { authorization: 'Bearer deploys-old' }, true],
    ['a wrong bearer', { authorization: 'Bearer deploys' }, false],
    ['a right header', { 'x-build-secret': 'builds-new' }, true],
    ['a signature', signed({}), true],
    ['a signature over something else', signed({ body: Buffer.from('{}') }), true],
    ['a signature that is too old', signed({ at: NOW / 1000 - 301 }), false],
    ['a signature without an id', { ...signed({}), 'webhook-id': undefined }, false],
    ['a signature of another form', { ...signed({}), 'webhook-signature': 'v1,x' }, false],
    ['nothing', {}, false],
  ])('%s can belong to a source: %o', (_, headers, expected) => {
    expect(couldBe(headers)).toBe(expected);
  });
});

describe('a source with one way to authenticate', () => {
  const [secret = ''] = hooks.secrets;
  it.each<[string, Credentials['headers']]>([
    ['signs, and sends its secret as a bearer', { authorization: `Bearer ${secret}` }],
    [
      'signs, and sends its key as a bearer',
      { authorization: `Bearer ${secret.slice('whsec_'.length)}` },
    ],
    ['signs, and sends its secret as a header', { 'x-build-secret': secret }],
    ['has a header, and sends its secret as a bearer', { authorization: 'Bearer builds-old' }],
    ['has a header, and signs with its secret', signed({ key: Buffer.from('builds-old') })],
    ['is a bearer, and sends its secret as a header', { 'x-build-secret': 'deploys-old' }],
  ])('is refused when it %s', (_, headers) => {
    expect(from(headers)).toBeUndefined();
  });
});

it('a request with the credentials of two sources is refused', () => {
  const authorization = 'Bearer deploys-old';
  expect(from({ authorization, 'x-build-secret': 'builds-old' })).toBeUndefined();
  expect(from({ authorization, 'x-build-secret': 'wrong' })).toBe(deploys);
});

it('every request is refused when there are no sources', () => {
  const headers = { authorization: 'Bearer x' };
  expect(sourceFinder([])({ headers, body: BODY, now: NOW })).toBeUndefined();
});
