import process from 'node:process';
import { defineConfig } from 'vitest/config';

/** Read by .ci/run. */
const report = { outputFile: 'test-results/report.json' };

/** Stories that are only lived in Socket Mode. */
const SOCKET_ONLY = ['test/e2e/**/socket-mode.test.ts'];
/** Stories in which people press buttons, and what happens to presses when the bot goes: lived in both modes. */
const BOTH = [
  'test/e2e/{deciding,intake,looking,message,people,races,reasons,responding,telling,tokens}.test.ts',
  'test/e2e/crash/{killed-while-deciding,stopping}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    reporters: process.env.CI === 'true' ? ['default', ['json', report]] : ['default'],
    // More than the cores of a small machine: stories mostly wait for what the product waits for.
    maxWorkers: 3,
    projects: [
      project('http', { include: ['test/**/*.test.ts'], exclude: SOCKET_ONLY }),
      project('socket', {
        include: [...BOTH, ...SOCKET_ONLY],
        env: { GATEPOST_TEST_MODE: 'socket' },
      }),
    ],
  },
});

interface Selection {
  readonly include: string[];
  readonly exclude?: string[];
  readonly env?: Record<string, string>;
}

function project(name: string, selection: Selection) {
  return {
    test: { name, testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' as const, ...selection },
  };
}
