/**
 * `npm run mutate`: changes the rules in one place at a time, and shows which changes no test notices. `npm run mutate
 * -- --mutate src/approvals/electorate/eligible.ts` changes one file. @type
 * {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    'src/approvals/**/*.ts',
    'src/core/{engine,posts}/**/*.ts',
    'src/operations/flow/**/*.ts',
  ],
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'proof/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // Code that runs when a file is loaded would need a process for each mutant.
  ignoreStatic: true,
  // Nobody checks types there, and a test compares an example with its page.
  disableTypeChecks: false,
  // TypeScript 7 has no API to read it with; a file that does not exist is not loaded.
  tsconfigFile: 'none.json',
  ignorePatterns: [
    '/*',
    '!/package.json',
    '!/tsconfig.json',
    '!/ask',
    '!/src',
    '!/test',
    '!/proof',
    '!/sandbox',
  ],
  // A busy machine is not an endless loop.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 60,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { reportTests: false, allowEmojis: false },
  htmlReporter: { fileName: 'test-results/mutation.html' },
  jsonReporter: { fileName: 'test-results/mutation.json' },
};
