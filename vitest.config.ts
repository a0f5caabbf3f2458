import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { RunSummary } from './test/support/run-summary.ts';

/**
 * `npm run test:slow`: killed processes, floods, chaos, the shell recipes, the page in a browser, and the long simulation
 * and exploration.
 * Everything else is `npm test`.
 */
const SLOW = [
  '{test,sandbox/test}/browser/**/*.test.ts',
  'test/cli/{mcp,mcp-tasks}.test.ts',
  'test/cli/process/**/*.test.ts',
  'test/e2e/crash/**/*.test.ts',
  'test/e2e/{abuse,callback-storm,flood,shard-away,slack-fails}.test.ts',
  'test/proof/fuzz/fuzz.test.ts',
  'test/proof/removable/removable.test.ts',
  'test/integrations/{agent-hook,ends,gates,identity-token,recipes,shells,starters,surroundings}.test.ts',
  'test/proof/simulation/{counted-world,protocol,simulate}.test.ts',
  'test/core/slack/broken-tunnels.test.ts',
  'test/core/store/{embedded,redis}-failures.test.ts',
  'test/core/store/redis/**/*.test.ts',
  'sandbox/test/{cli,workspace/silence}.test.ts',
  'test/{ask-package,checkout,container,documented-commands,doors-of-programs,linear-patterns,package,sandbox-package,three-ways}.test.ts',
];

/** In both: the slow run takes their long stories (`story.long`), and the quick run the others. */
const WITH_LONG_STORIES = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => readFileSync(path, 'utf8').includes('story.long('));

/** In both: with few cases in the quick tests, with many in the slow ones. */
const AT_LENGTH = [
  'test/approvals/**/*.property.test.ts',
  'test/core/store/{embedded,memory,redis}.test.ts',
  'test/core/{config/never-shown,lib/assign,lib/clean-line,lib/redact}.test.ts',
  'test/core/{service/{token,user-pages}.property,slack/rich-text}.test.ts',
  'test/operations/{store-loss.property,accounts/{change.property,modal-limits,provisioning.property},tasks/*.property}.test.ts',
];

/** Only in Socket Mode. */
const SOCKET_ONLY = 'test/e2e/**/socket-mode.test.ts';
/**
 * Run over HTTP and again in Socket Mode: tests of clicks, forms and commands as they arrive, and of bots killed during
 * a click. The code behind does not know which one it was.
 */
const IN_SOCKET_MODE = {
  quick: 'test/e2e/socket-mode.test.ts',
  slow: 'test/e2e/{reasons,races,crash/{socket-mode,killed-while-deciding,proxied}}.test.ts',
};

/** Files that take half a minute or more. They start first, so that the run ends sooner. */
const LONG =
  /e2e\/crash\/(chaos|replicas|killed-while-\w+|lines-killed)|e2e\/(posting|in-doubt|slack-fails)|simulate|fuzz\/|browser\/|cli\/(program|audit)|store\/(embedded|redis)\.test/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * The seed of all random choices: properties, chaos, the store under a killed bot. It is the same in each run, so that a
 * red run is about the change. To search with another one: `TEST_SEED=$RANDOM npm run test:slow`.
 */
const TEST_SEED = process.env.TEST_SEED ?? '1';

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    reporters: [
      'default',
      new RunSummary({
        drawn: `TEST_SEED=${TEST_SEED}`,
        budget: { seconds: 300, loopMs: 6.6, isQuick: (name) => name.startsWith('quick') },
        page: { path: 'CONTRIBUTING.md', isWritten: process.env.WRITE_DEAREST === 'true' },
      }),
      // Read by .ci/run.
      ...(process.env.CI === 'true' ? ['json'] : []),
    ],
    outputFile: { json: 'test-results/quick.json' },
    // More than a small machine has cores: end-to-end tests mostly wait.
    maxWorkers: 5,
    sequence: { sequencer: LongFirst },
    projects: [
      project('quick', {
        include: ['{test,sandbox/test}/**/*.test.ts'],
        exclude: [...SLOW, SOCKET_ONLY],
        env: { STORIES: 'quick' },
      }),
      project('quick-socket', {
        include: [IN_SOCKET_MODE.quick],
        env: { GATEPOST_TEST_MODE: 'socket', STORIES: 'quick' },
      }),
      project('slow', {
        include: [...SLOW, ...AT_LENGTH],
        exclude: [SOCKET_ONLY],
        env: { AT_LENGTH: 'true' },
      }),
      project('slow-stories', { include: WITH_LONG_STORIES, env: { STORIES: 'long' } }),
      project('slow-socket', {
        include: [IN_SOCKET_MODE.slow],
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
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      pool: 'forks' as const,
      // CommonJS packages are imported as Node imports them.
      deps: { interopDefault: false },
      // No test leaves global state behind. Loading every module again for each file took a third of the time.
      isolate: false,
      ...selection,
      setupFiles: ['test/support/note-processor-time.ts', 'test/support/seed-properties.ts'],
      env: { TEST_SEED, ...selection.env },
    },
  };
}
