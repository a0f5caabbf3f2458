import { expect, it } from 'vitest';
import { LASTING_CODES, LASTING_MS, watchService } from '../../../src/core/alerts/unreachable.ts';
import type { SeenCall } from '../../../src/core/lib/seen-call.ts';

/** What was raised, at a time controlled by the test. */
function watching() {
  let now = 0;
  const raised: string[] = [];
  const watch = watchService({
    clock: { monotonic: () => now },
    raise: ({ about }) => raised.push(about),
  });
  const end = (facts: Pick<SeenCall, 'result' | 'status' | 'code'>) =>
    watch({ method: 'get approval', tookMs: 1, ...facts });
  return {
    raised,
    pass: (ms: number) => {
      now += ms;
    },
    fails: (code: string) => end({ result: 'not-sent', status: null, code }),
    answers: (status: number) => end({ result: 'ok', status, code: null }),
  };
}

it.each([
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_not_trusted',
  'certificate_of_another_host',
])('a certificate error raises an alert at once: %s', (code) => {
  const { raised, fails } = watching();
  fails(code);
  expect(raised).toEqual([`service.unreachable.${code}`]);
});

it.each(['unknown_host', 'tls_failed'])('%s raises an alert once it has lasted a while', (code) => {
  const { raised, fails, pass } = watching();
  fails(code);
  pass(LASTING_MS - 1);
  fails(code);
  expect(raised).toEqual([]);
  pass(1);
  fails(code);
  expect(raised).toEqual([`service.unreachable.${code}`]);
});

it('any answer of the service, even an error, resets the wait for an alert', () => {
  const { raised, fails, answers, pass } = watching();
  fails('unknown_host');
  answers(500);
  pass(LASTING_MS);
  fails('unknown_host');
  expect(raised).toEqual([]);
});

it('the same alert is raised at most once a minute, even if every other call succeeds', () => {
  const { raised, fails, answers, pass } = watching();
  for (let seconds = 0; seconds < 90; seconds++) {
    fails('certificate_expired');
    answers(200);
    pass(1_000);
  }
  expect(raised).toHaveLength(2);
});

it('connection errors that can pass by themselves raise no alert', () => {
  const { raised, fails, pass } = watching();
  for (const code of ['connection_refused', 'connect_timeout', 'closed']) {
    fails(code);
    pass(LASTING_MS * 10);
    fails(code);
  }
  expect(raised).toEqual([]);
});

it('every cause has an alert text that names the setting and no address', () => {
  let now = 0;
  const texts: string[] = [];
  const watch = watchService({
    clock: { monotonic: () => now },
    raise: ({ text }) => texts.push(text),
  });
  for (const code of LASTING_CODES)
    for (let tries = 0; tries < 2; tries++) {
      watch({ method: 'move task', result: 'not-sent', status: null, code, tookMs: 1 });
      now += LASTING_MS;
    }
  expect(texts).toHaveLength(LASTING_CODES.size);
  for (const text of texts)
    expect(text).toMatch(/^(Gatepost cannot connect|Approvals of a service wait) .*SERVICE_URL/);
});
