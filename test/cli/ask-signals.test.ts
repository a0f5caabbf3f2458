import { describe, expect, test } from 'vitest';
import { ignoredSignals, isAsk, isRun, namedSignals, signalNamed } from '../../ask/signals.ts';

describe('the command line, before it is read whole', () => {
  test.each([
    [['ask', '--title', 'x'], true, false],
    [['ask', '--run', '--', 'x'], true, true],
    [['ask', '--', 'x', '--run'], true, false],
    [['people', '--run'], false, false],
    [[], false, false],
  ])('%j', (words, ask, run) => {
    expect([isAsk(words), isRun(words)]).toEqual([ask, run]);
  });

  test.each([
    [['ask', '--ignore', 'INT'], ['SIGINT']],
    [
      ['ask', '--ignore=int, SIGQUIT', '--ignore', 'usr1'],
      ['SIGINT', 'SIGQUIT', 'SIGUSR1'],
    ],
    [['ask', '--run', '--', 'x', '--ignore', 'INT'], []],
    [['ask', '--ignore', 'KILL'], []],
    [['ask', '--ignore'], []],
  ])('%j names %j', (words, names) => {
    expect(namedSignals(words)).toEqual(names);
  });
});

test.each(['KILL', 'STOP', 'SEGV', 'INTX', '', '2'])(
  '%j is not a signal that can be ignored',
  (name) => {
    expect(signalNamed(name)).toBeUndefined();
  },
);

test('SIGHUP is ignored only without a terminal', () => {
  const named = ['SIGINT'] as const;
  expect(ignoredSignals(named, { hasTerminal: true })).toEqual(['SIGINT']);
  expect(ignoredSignals(named, { hasTerminal: false })).toEqual(['SIGHUP', 'SIGINT']);
});
