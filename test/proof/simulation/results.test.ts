import { describe, expect, test } from 'vitest';
import type { ReportSeen } from '../../../proof/simulation/evidence.ts';
import { approval, evidence, found, message } from './evidence-of.ts';

/** Ana approved at 40 s; a report each second from then on. */
const report = (at: number, more: Partial<ReportSeen> = {}): ReportSeen => ({
  ...{ at, answeredAt: at + 200, status: 200, detail: null },
  ...{ state: 'running', claim: null },
  ...more,
});
const reported = (reports: readonly ReportSeen[], said: readonly string[] = []) => {
  const [main, ...others] = evidence().messages;
  const shown = message(said.map((words, place) => [50_000 + place, words] as const));
  if (main === undefined) throw new Error('there is no message');
  return {
    approvals: [approval({ reports })],
    messages: [{ ...main, versions: [...main.versions, ...shown.versions] }, ...others],
  };
};
const APPROVED = ':white_check_mark: *Approved by <@U0ANA>* · just now';
const saying = (words: string) => `${APPROVED}\n${words}`;
const BEGUN = 'This approval was started before, and runs once: ask for a new one';
const reply = message([[51_000, ':white_check_mark: *Succeeded* just now']], {
  post: 'result-44000',
  ts: '51.000000',
});

describe('the checker of results', () => {
  test('reports one that was taken before the approval', () => {
    const early = report(39_000);
    expect(found(reported([early]))).toBe('false a result was taken, and it was not approved');
    expect(found(reported([{ ...early, status: 409, detail: 'It is not approved yet: …' }]))).toBe(
      '',
    );
  });

  test('reports one that is refused as too early when the message says that it is approved', () => {
    const refused = report(43_000, { status: 409, detail: 'It is not approved yet: …' });
    expect(found(reported([refused]))).toContain('false a result was refused as too early');
    expect(found(reported([{ ...refused, at: 40_500 }]))).toBe('');
  });

  test('reports two runs of one approval', () => {
    const first = report(42_000, { claim: 'run-1' });
    const second = report(43_000, { claim: 'run-2' });
    expect(found(reported([first, second]))).toBe('double run-2 may run, after run-1');
    expect(found(reported([first, { ...second, status: 409, detail: BEGUN }]))).toBe('');
    expect(found(reported([report(42_000), second]))).toBe(
      'double run-2 may run, after a run that reported running',
    );
    // Its own claim again, and what it reports in between.
    const again = report(43_000, { claim: 'run-1' });
    expect(found(reported([first, report(42_500), again]))).toBe('');
    // One that was on its way when it claimed.
    expect(found(reported([first, report(41_900), again]))).toBe('');
    expect(found(reported([first, report(41_500), again]))).toContain('run-1 may run');
  });

  test('reports a claim that is refused although nobody had begun', () => {
    const refused = report(42_000, { claim: 'run-1', status: 409, detail: BEGUN });
    expect(found(reported([refused]))).toBe('lost run-1 was refused, and nobody had begun');
    // The answer to the other one was lost.
    const other = report(41_500, { claim: 'run-2', status: null, answeredAt: null });
    expect(found(reported([other, refused]))).toBe('');
  });

  test('reports what the message says of the work, and nobody reported', () => {
    const running = report(42_000);
    const { messages, approvals } = reported([running], [saying(':x: *Failed* just now')]);
    expect(found({ messages, approvals })).toBe(
      'false message said that the work failed, which nobody had reported',
    );
    expect(found(reported([running], [saying(':gear: *Running* since just now')]))).toBe('');
  });

  test('reports an end that is neither shown nor announced', () => {
    const end = report(44_000, { state: 'succeeded' });
    expect(found(reported([end]))).toBe(
      [
        'lost its work succeeded, and its message says nothing of it',
        'lost its work succeeded, and its thread says nothing of it',
      ].join('\n'),
    );
    const shown = reported([end], [saying(':white_check_mark: *Succeeded* just now')]);
    expect(found({ ...shown, messages: [...shown.messages, reply] })).toBe('');
  });
});
