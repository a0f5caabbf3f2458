import { describe, expect, test } from 'vitest';
import { readCall } from '../../../../src/approvals/ways-in/gates/gate-call.ts';
import { indented } from '../../../../src/approvals/ways-in/gates/indented-json.ts';
import { parseWritten, scalarAt } from '../../../../src/approvals/ways-in/gates/json-pointer.ts';

const NOW = Date.parse('2030-01-01T10:00:00Z');

function read(query: string, body?: unknown, name = 'shop') {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return readCall(name, new URLSearchParams(query), Buffer.from(text), NOW);
}

function callOf(query: string, body?: unknown) {
  const found = read(query, body);
  if ('refused' in found) throw new Error(found.refused.body);
  return found.call;
}

/** Why it is refused. */
function detailOf(query: string, body?: unknown, name?: string): string {
  const found = read(query, body, name);
  if ('call' in found) throw new Error('it was not refused');
  expect(found.refused.status).toBe(422);
  return JSON.parse(found.refused.body).detail;
}

describe('a call of a gate', () => {
  test('has the title of its name, an hour, and no deadline of its own', () => {
    expect(callOf('attempt=1')).toEqual({
      attempt: '["1"]',
      request: { title: 'shop' },
      forMs: 3_600_000,
      waitMs: 0,
    });
  });

  test('says everything that the intake takes in its query', () => {
    const query =
      'attempt=1&title=Deploy&route=production&expires=4h&requested-by=ana@example.com&for=30m&wait=90';
    expect(callOf(query)).toEqual({
      attempt: '["1"]',
      request: {
        title: 'Deploy',
        route: 'production',
        expiresAt: '2030-01-01T14:00:00.000Z',
        requestedBy: { email: 'ana@example.com' },
      },
      forMs: 1_800_000,
      waitMs: 50_000,
    });
    expect(callOf('attempt=1&expires=2030-01-02T00:00:00Z').request.expiresAt).toBe(
      '2030-01-02T00:00:00.000Z',
    );
  });

  test('is another attempt for another value, or for the same value elsewhere', () => {
    const body = { a: '1', b: '2', n: 1, deep: { list: ['x'] } };
    const attempts = ['attempt=1', 'by=/a', 'by=/b', 'by=/n', 'by=/a,/b', 'by=/deep/list/0'];
    const names = attempts.map((query) => callOf(query, body).attempt);
    expect(new Set(names).size).toBe(attempts.length);
  });

  test('shows its body with every value as it was written, or what show points to', () => {
    const text = '{"id":12345678901234567890,"list":[],"deep":{"a":[1,"x:{"]},"e":{}}';
    expect(callOf('attempt=1', text).request.change).toBe(
      '{\n  "id": 12345678901234567890,\n  "list": [],\n  "deep": {\n    "a": [\n      1,\n      "x:{"\n    ]\n  },\n  "e": {}\n}',
    );
    const body = { name: 'shop', phase: 'x\n/name: "other"', n: 3, on: true };
    expect(callOf('attempt=1&show=/name,/n,/on,/phase', body).request.change).toBe(
      '/name: "shop"\n/n: 3\n/on: true\n/phase: "x\\n/name: \\"other\\""',
    );
  });

  test('takes numbers as they were written', () => {
    const of = (query: string, n: string) => callOf(query, `{"n": ${n} , "t":"\\u006e4.1"}`);
    const shown = (n: string) => of('attempt=1&show=/n', n).request.change;
    expect(['4.1', '4.10', '1e3', '12345678901234567890'].map(shown)).toEqual([
      '/n: 4.1',
      '/n: 4.10',
      '/n: 1e3',
      '/n: 12345678901234567890',
    ]);
    const attempts = ['1.1', '1.10', '"1.1"', '"n1.1"'].map((n) => of('by=/n', n).attempt);
    expect(attempts).toEqual([
      '[["/n",1.1]]',
      '[["/n",1.10]]',
      '[["/n","1.1"]]',
      '[["/n","n1.1"]]',
    ]);
    expect(of('by=/t', '1').attempt).toBe('[["/t","n4.1"]]');
  });

  test('finds its requester in the body', () => {
    const body = { by: { who: 'github:octocat' } };
    expect(callOf('attempt=1&requested-by=/by/who', body).request.requestedBy).toEqual({
      login: 'octocat',
      at: 'github',
    });
    expect(callOf('attempt=1&requested-by=none').request).toEqual({ title: 'shop' });
  });

  test.each([
    ['', undefined, /^attempt or by is missing/],
    ['attempt=', undefined, /^attempt is empty$/],
    ['attempt=%20', undefined, /^attempt is empty$/],
    ['attempt=1&attempt=2', undefined, /^attempt stands twice/],
    ['attempt=1&by=/a', { a: 1 }, /^attempt must not stand beside by/],
    ['atempt=1', undefined, /^atempt is not known: there are attempt, by/],
    ['attempt=1&xoxb-1%20=2', undefined, /^One member of the query is not known/],
    ['by=a', { a: 1 }, /^by must have JSON Pointers/],
    ['by=/a,', { a: 1 }, /^by must have JSON Pointers/],
    ['by=/a', undefined, /^by points into the body, and the body is empty$/],
    ['by=/b', { a: 1 }, /^by: a pointer finds nothing/],
    ['by=/constructor', {}, /^by: a pointer finds nothing/],
    ['by=/a', { a: null }, /^by: a pointer finds null/],
    ['by=/a', { a: { b: 1 } }, /^by: a pointer finds a list or an object/],
    ['by=/a', { a: [1] }, /^by: a pointer finds a list or an object/],
    ['by=/a', { a: '' }, /^by points to an empty text$/],
    ['attempt=1&show=/b', { a: 1 }, /^show: a pointer finds nothing/],
    ['attempt=1&show=/a', { a: null }, /^show: a pointer finds null/],
    ['attempt=1', '{"a":', /^The body must be JSON/],
    ['attempt=1', `"${'x'.repeat(40_000)}"`, /^The body is longer than 40000/],
    ['attempt=1', '['.repeat(30_000) + ']'.repeat(30_000), /^The body is longer than 40000/],
    ['attempt=1&for=25h', undefined, /^for must be a duration/],
    ['attempt=1&for=soon', undefined, /^for must be a duration/],
    ['attempt=1&wait=soon', undefined, /^wait must be a whole number/],
    ['attempt=1&expires=soon', undefined, /^expires must be a time/],
    ['attempt=1&expires=31d', undefined, /^expires is more than 30 days away$/],
    ['attempt=1&requested-by=/who', { who: ' ' }, /^requested-by points to an empty text$/],
    ['attempt=1&requested-by=a@@b', undefined, /^requested-by /],
    ['attempt=1&requested-by=/who', { who: 'github:a b' }, /^requested-by must have a login/],
  ])('is refused: %s', (query, body, sentence) => {
    expect(detailOf(query, body)).toMatch(sentence);
  });

  test('is refused with a name that is none', () => {
    for (const name of ['', 'a b', 'x'.repeat(101), 'a/b'])
      expect(detailOf('attempt=1', undefined, name)).toMatch(/^The name of a gate has 1 to 100/);
  });

  test('is refused if its bytes are not UTF-8', () => {
    const found = readCall('shop', new URLSearchParams('attempt=1'), Buffer.from([0xff]), NOW);
    expect(found).toMatchObject({ refused: { status: 422 } });
  });
});

describe('a JSON Pointer', () => {
  test('finds what RFC 6901 says', () => {
    const document = parseWritten(
      '{"a/b":1,"m~n":-2,"":true,"n:":"\\"","list":["x","y"],"__proto__x":5}',
    );
    const found = ['/a~1b', '/m~0n', '/', '/n:', '/list/1'].map((each) => scalarAt(document, each));
    const jsonOf = (each: (typeof found)[number]) => 'value' in each && each.value.json;
    expect(found.map(jsonOf)).toEqual(['1', '-2', 'true', '"\\""', '"y"']);
    for (const pointer of ['/list/01', '/list/-', '/list/2', '/list/length', '/a', '/list/0/0'])
      expect(scalarAt(document, pointer)).toEqual({ fault: 'finds nothing in the body' });
  });
});

test('a JSON text is indented as JSON.stringify does it', () => {
  const values = [1, 'a"b', [], {}, [[]], { a: { b: [1, { c: null }], d: '[{,:' } }, [true, false]];
  for (const value of values) {
    expect(indented(JSON.stringify(value), 1_000)).toBe(JSON.stringify(value, null, 2));
    expect(indented(JSON.stringify(value, null, 7), 1_000)).toBe(JSON.stringify(value, null, 2));
  }
});
