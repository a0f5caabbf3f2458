import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/terminal.ts';
import { startFakeGate } from '../support/fake-gate.ts';
import { hurried } from './hurried.ts';
import { type RunOptions, runHere } from './run-here.ts';

/** `gatepost withdraw`, by its exit codes. */

type Gate = Awaited<ReturnType<typeof startFakeGate>>;

const KEY = 'checkout/4711/deploy & more';
const READ = 'GET /v1/approvals/{id}';
const FIND = 'GET /v1/approvals';
const WITHDRAW = 'POST /v1/approvals/{id}/withdraw';

const run = ({ url }: Gate, words: readonly string[], options: RunOptions = {}) =>
  runHere(['withdraw', ...words], {
    env: { GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: 'secret' },
    ...options,
  });

/** A gate with a request, whose id is given. `status`: what people decide. */
async function asked(status = 'PENDING') {
  const gate = await startFakeGate(status);
  const body = JSON.stringify({ key: KEY, title: 'Deploy' });
  const answer = await fetch(`${gate.url}/v1/approvals`, { method: 'POST', body });
  const { id } = await answer.json();
  return { gate, id: String(id), [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}

describe('0', () => {
  test('it is withdrawn, by id or by key', async () => {
    for (const by of ['id', 'key']) {
      await using it = await asked();
      const words = by === 'id' ? [it.id] : ['--key', KEY];
      expect(await run(it.gate, words)).toEqual({
        code: 0,
        out: 'The request was withdrawn.\n',
        err: '',
      });
      expect(it.gate.requests.map(({ status }) => status)).toEqual(['WITHDRAWN']);
    }
  });

  test('it was withdrawn before: nothing is sent', async () => {
    await using it = await asked();
    await run(it.gate, [it.id]);
    const before = it.gate.calls.length;
    expect(await run(it.gate, ['--key', KEY])).toEqual({
      code: 0,
      out: 'The request was withdrawn 2 h ago.\n',
      err: '',
    });
    expect(it.gate.calls.slice(before)).toEqual([FIND]);
  });

  test('an answer that was lost is no second withdrawal', async () => {
    await using it = await asked();
    let isCut = true;
    it.gate.answer((call) => {
      if (call !== WITHDRAW || !isCut) return undefined;
      isCut = false;
      return { status: 0, body: null, isCut: true };
    });
    const ended = await run(it.gate, [it.id], { system: hurried() });
    expect(ended).toMatchObject({ code: 0, out: 'The request was withdrawn.\n' });
    expect(it.gate.calls.filter((call) => call === WITHDRAW)).toHaveLength(2);
  });

  test('--json has the key, the state, the code and the sentence', async () => {
    await using it = await asked();
    const { code, out } = await run(it.gate, ['--key', KEY, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ key: KEY, id: it.id, status: 'WITHDRAWN', final: true, exitCode: 0 },
      sentence: 'The request was withdrawn.',
    });
  });
});

describe('2', () => {
  test.each([
    ['APPROVED', 'it was approved by Ana (U0ANA) 2 h ago.'],
    ['REJECTED', 'it was rejected by Ana (U0ANA) 2 h ago.'],
    ['TIMED_OUT', 'it timed out earlier.'],
  ])('it is decided: %s', async (status, how) => {
    await using it = await asked(status);
    expect(await run(it.gate, [it.id])).toEqual({
      code: 2,
      out: '',
      err: `error: The request was not withdrawn: ${how}\n`,
    });
    expect(it.gate.calls).not.toContain(WITHDRAW);
  });

  test('people were faster', async () => {
    await using it = await asked();
    // Its request is decided between the two calls.
    it.gate.before((call) => {
      const [request] = it.gate.requests;
      if (call === WITHDRAW && request !== undefined) request.status = 'REJECTED';
    });
    const { code, err } = await run(it.gate, [it.id]);
    expect(code).toBe(2);
    expect(err).toBe(
      'error: The request was not withdrawn: it was rejected by Ana (U0ANA) just now.\n',
    );
  });

  test('there is no such request', async () => {
    await using it = await asked();
    const byId = await run(it.gate, ['7H2N-K4QM']);
    expect(byId.code).toBe(2);
    expect(byId.err).toContain('Your source has no request with this id.');
    const byKey = await run(it.gate, ['--key', 'other']);
    expect(byKey.code).toBe(2);
    expect(byKey.err).toContain('Your source has no request with this key.');
    expect(it.gate.calls).not.toContain(WITHDRAW);
  });

  test.each([
    [[], 'Give the id of a request, or --key and its key.'],
    [['0-a', '--key', 'k'], 'Give the id of a request, or --key and its key.'],
    [[''], 'It must not be empty.'],
    [['--key', ' '], 'It must not be empty.'],
    [['0-a', '0-b'], 'too many arguments'],
  ])('the command line is wrong: %j', async (words, why) => {
    await using it = await asked();
    const before = it.gate.calls.length;
    const { code, err } = await run(it.gate, words);
    expect(code).toBe(2);
    expect(err).toContain(why);
    expect(it.gate.calls.slice(before)).toEqual([]);
  });

  test('the address or the secret is missing', async () => {
    for (const env of [{}, { GATEPOST_URL: 'http://127.0.0.1:1' }]) {
      const { code, err } = await runHere(['withdraw', '0-a'], { env });
      expect(code).toBe(2);
      expect(err).toMatch(/GATEPOST_\w+ must be set/);
    }
  });
});

describe('5', () => {
  test('Gatepost is not reached', async () => {
    const env = { GATEPOST_URL: 'http://127.0.0.1:1', GATEPOST_INTAKE_SECRET: 'secret' };
    const system = hurried();
    const { code, out } = await runHere(['withdraw', '0-a'], { env, system });
    expect(code).toBe(5);
    expect(out).toMatch(
      /^Nothing was withdrawn\. Gatepost cannot be reached .* Run this again\.\n$/,
    );
  });

  test('it is reached no more once the request was read', async () => {
    await using it = await asked();
    it.gate.answer((call) => (call === WITHDRAW ? { status: 503, body: {} } : undefined));
    const { code, out } = await run(it.gate, [it.id], { system: hurried() });
    expect(code).toBe(5);
    expect(out).toContain('It is not known whether the request was withdrawn.');
  });

  test.each([
    ['PENDING', 'The request will be withdrawn unless a decision is being sent.'],
    ['UNKNOWN', 'A decision was sent, and the service has not confirmed it'],
  ])('a decision is being sent: %s', async (status, said) => {
    await using it = await asked();
    const [request] = it.gate.requests;
    it.gate.before((call) => {
      if (call === WITHDRAW && request !== undefined) request.status = 'UNKNOWN';
    });
    it.gate.answer((call) =>
      call === READ && it.gate.calls.includes(WITHDRAW)
        ? { status: 200, body: { ...DETAILS, id: it.id, status } }
        : undefined,
    );
    const { code, out } = await run(it.gate, [it.id]);
    expect(code).toBe(5);
    expect(out).toContain(said);
    expect(out).toContain('Run this again to find out.');
  });
});

const DETAILS = {
  url: '/v1/approvals/0-a',
  final: false,
  shortId: '7H2N-K4QM',
  digest: '0'.repeat(64),
  createdAt: '2030-01-01T00:00:00.000Z',
  posting: { state: 'posted' },
  approvals: 0,
  needs: [],
  ballots: [],
};

describe('130', () => {
  test.each([
    [READ, 'Interrupted. Nothing was withdrawn.\n'],
    [WITHDRAW, 'Interrupted. It is not known whether the request was withdrawn.\n'],
  ])('it is interrupted during %s', async (during, said) => {
    await using it = await asked();
    const controller = new AbortController();
    it.gate.before((call) => {
      if (call === during) controller.abort(new Interruption('SIGTERM'));
    });
    const ended = await run(it.gate, [it.id], { signal: controller.signal });
    expect(ended).toEqual({ code: 130, out: said, err: '' });
  });
});
