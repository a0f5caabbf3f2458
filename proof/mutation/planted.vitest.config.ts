import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config';
import { planted, RULE_PLANTS } from '../simulation/rule-plants.ts';
import config from './vitest.config.ts';

/** Runs tests on the program with one planted bug: `noticed.ts` names it in `PLANT`. */
const plant = RULE_PLANTS[process.env.PLANT ?? ''];
if (plant === undefined) throw new Error('PLANT names no bug of a rule');
const path = fileURLToPath(new URL(`../../src/${plant.file}`, import.meta.url));
const planting: Plugin = {
  name: 'rule-plant',
  enforce: 'pre',
  transform: (code, id) => (id === path ? planted(code, plant) : undefined),
};

export default mergeConfig(
  config,
  defineConfig({
    plugins: [planting],
    test: {
      include: ['test/**/*.test.ts'],
      env: { STORIES: 'quick', TEST_SEED: '1' },
      setupFiles: ['test/support/seed-properties.ts'],
      expect: { poll: { timeout: 10_000 } },
      testTimeout: 60_000,
    },
  }),
);
