import { defineConfig } from 'vitest/config';

/** The tests of the rules and of the loop: each is run again for every mutant that it reaches. */
export default defineConfig({
  test: {
    include: ['test/{approvals,core/engine}/**/*.test.ts'],
    // They draw anew in each run: what one of them finds, the next run may not.
    exclude: ['**/*.property.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    deps: { interopDefault: false },
    isolate: false,
  },
});
