import { defineConfig } from 'vitest/config';

/** The tests of the rules and of the loop: for each mutant, those that reach it run again. */
export default defineConfig({
  test: {
    include: ['test/{approvals,core/engine}/**/*.test.ts'],
    // Random in each run: what one run finds, the next may not.
    exclude: ['**/*.property.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    deps: { interopDefault: false },
    isolate: false,
  },
});
