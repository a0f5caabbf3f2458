import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { startDemo } from '../../src/demo.ts';
import { createLogger } from '../../src/logger.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { oneBrowser } from './one-browser.ts';

export interface DemoStage {
  sandbox: Sandbox;
  /** A window in which somebody is that person; the first one unless named. */
  readonly open: (user?: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** What `npm run demo` starts, on free ports, anew for every test: the real bot in the sandbox, and browser windows. */
export function demoStage(): DemoStage {
  const ends: (() => Promise<unknown>)[] = [];
  const stage = {
    open: (user, options) =>
      browser.open(user ? `${stage.sandbox.url}/?as=${user}` : stage.sandbox.url, options),
    // The sandbox is filled in before each test.
  } as DemoStage;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-page-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    stage.sandbox = await startSandbox();
    ends.push(() => stage.sandbox.close());
    const bot = await startDemo(stage.sandbox, folder, createLogger('fatal', process.stderr));
    ends.push(() => bot.stop());
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  // Its windows are closed first: they would complain that the sandbox is gone.
  const browser = oneBrowser();
  return stage;
}
