import process from 'node:process';
import { startApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/app/configuration.ts';
import { createLogger } from '../../../src/app/logger.ts';

/** The product with a route that shows outcomes only in the message itself. */
const read = readConfig(process.env, { command: 'start' });
if (!read.ok) throw new Error(JSON.stringify(read.problems));
const outcomes = { thread: false, channel: null, requester: false };
const routes = read.config.routes.map((route) => ({ ...route, outcomes }));
const app = await startApp({
  config: { ...read.config, routes },
  logger: createLogger(read.config.logLevel, process.stdout),
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
