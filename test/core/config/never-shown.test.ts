import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { formatProblems } from '../../../src/core/config/read-config.ts';
import { VARIABLES } from '../../../src/core/config/variables.ts';
import { cases } from '../../support/cases.ts';
import { BASE, type Env, readWith } from './environment-of-tests.ts';

/** Without a file. */
const good: Env = {
  ...BASE,
  GATEPOST_CONFIG: undefined,
  GATEPOST_INTAKE_SECRET: 'a-long-enough-secret',
  GATEPOST_CHANNEL: 'C0PROD',
  GATEPOST_REVIEWERS: 'U0ANA',
};

it('a wrong value of a variable is never printed', () => {
  const names = fc.constantFrom(...VARIABLES.map(({ name }) => name));
  const marked = fc
    .tuple(fc.string(), fc.string())
    .map(([before, after]) => `${before}Zq9#xw ${after}`);
  fc.assert(
    fc.property(fc.dictionary(names, marked), (env) => {
      const answer = readConfig({ ...good, ...env }, { command: 'start' });
      const shown = answer.ok
        ? answer.warnings.join('\n')
        : formatProblems(answer.problems) + JSON.stringify(answer);
      expect(shown).not.toContain('Zq9');
    }),
    { numRuns: cases(60, 500) },
  );
});

it('a wrong value of a file is never printed', () => {
  const mark = 'zq9Xw';
  const marked = fc.constantFrom(mark, `${mark} x`, `"${mark}\\n"`, `[${mark}]`, `{ a: ${mark} }`);
  const keys = fc.constantFrom(
    'sources',
    'sources: [{ id',
    'sources: [{ secret',
    'sources: [{ auth',
    'sources: [{ header',
    'sources: [{ routes',
    'routes: { a: { channel',
    'routes: { a: { quorum',
    'routes: { a: { reviewers: { users',
    'identity: { userId',
    'identity: { overrides: { U0ANA',
    'teams',
    'budget',
    'watch: { maxAge',
    'dialect: { approval: { auth',
    '@',
    '*x',
    '!x',
  );
  const close = { '[': ']', '{': '}' } as const;
  fc.assert(
    fc.property(keys, marked, fc.boolean(), (key, value, isClosed) => {
      const open = [...key].filter((each) => each === '[' || each === '{').reverse();
      const end = open.map((each) => close[each]).join('');
      const read = readWith(`${key}: ${value}${isClosed ? end : ''}`, { [mark]: 'x' });
      const shown = read.ok ? read.warnings.join('\n') : formatProblems(read.problems);
      expect(shown).not.toContain(mark);
    }),
    { numRuns: cases(60, 300) },
  );
});
