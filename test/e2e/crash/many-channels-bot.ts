import process from 'node:process';
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import { createLogger } from '../../../src/logger.ts';
import { CHAOS_CHANNELS } from './chaos-channels.ts';

/** The bot with many channels, which the environment cannot say: a channel takes one post a second. */
const read = readConfig(process.env, { command: 'start' });
if (!read.ok) throw new Error(JSON.stringify(read.problems));
const { config } = read;
await startApp({
  config: {
    ...config,
    sources: config.sources.map((source) => ({ ...source, channels: CHAOS_CHANNELS })),
    budgetPerMinute: 3_000,
  },
  logger: createLogger(config.logLevel, process.stdout),
});
