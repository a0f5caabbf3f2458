import { defineConfig } from 'vitest/config';

/** The tests of the rules, the loop, posts and operations: for each mutant, those that reach it run again. */
export default defineConfig({
  test: {
    include: ['test/{approvals,core/engine,core/posts,operations}/**/*.test.ts'],
    // Random in each run: what one run finds, the next may not.
    exclude: ['**/*.property.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    deps: { interopDefault: false },
    isolate: false,
  },
});
