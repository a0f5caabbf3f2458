/**
 * `npm run mutate`: changes the rules one place at a time, and looks which changes no test notices.
 * `npm run mutate -- --mutate src/approvals/policy.ts` changes one file.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['src/approvals/**/*.ts', 'src/core/engine/**/*.ts'],
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'proof/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // What is evaluated when a file is loaded would need a process of its own for each mutant.
  ignoreStatic: true,
  // TypeScript 7 has no API to read it with: of a file that is not there nothing is loaded.
  tsconfigFile: 'none.json',
  ignorePatterns: ['/*', '!/package.json', '!/src', '!/test', '!/proof', '!/sandbox'],
  // A machine that is busy with others is no endless loop.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 60,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { reportTests: false, allowEmojis: false },
  htmlReporter: { fileName: 'test-results/mutation.html' },
  jsonReporter: { fileName: 'test-results/mutation.json' },
};
