import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Read by .ci/run. */
const report = { outputFile: 'test-results/report.json' };

/** Stories that are only lived in Socket Mode. */
const SOCKET_ONLY = ['test/e2e/**/socket-mode.test.ts'];
/**
 * Stories that are only lived over HTTP, because the way in has no part in them. Some end before it
 * begins: what a start and a folder refuse, how often the store is asked, the check of the list of
 * promises. Others begin behind it: what was stored is carried out, posted and told the same whichever
 * way it came; that clicks, commands, forms and shortcuts come is told by all the others.
 */
const HTTP_ONLY = [
  'test/e2e/{requirements,round-trips,slack-fails}.test.ts',
  'test/e2e/{case-lines,move-outcomes,move-who,people-active,people-create,people-edit}.test.ts',
  'test/e2e/crash/{administrators,delivered-again,folder,redis-away,starting}.test.ts',
  'test/e2e/crash/killed-while-{posting,updating}.test.ts',
  'test/e2e/crash/{account,case,identity,lines,move}-killed.test.ts',
];

/** Files that take half a minute and more, mostly waiting: what begins with them ends sooner. */
const LONG =
  /e2e\/crash\/(chaos|replicas|killed-while-\w+|lines-killed)|e2e\/(posting|in-doubt|slack-fails)/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    reporters: process.env.CI === 'true' ? ['default', ['json', report]] : ['default'],
    // More than the cores of a small machine: stories mostly wait for what the product waits for.
    maxWorkers: 5,
    sequence: { sequencer: LongFirst },
    projects: [
      project('http', { include: ['{test,sandbox/test}/**/*.test.ts'], exclude: SOCKET_ONLY }),
      project('socket', {
        include: ['test/e2e/**/*.test.ts'],
        exclude: HTTP_ONLY,
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
    test: {
      name,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      pool: 'forks' as const,
      // No test leaves anything global behind; loading all anew for each file took a third of the time.
      isolate: false,
      ...selection,
    },
  };
}
