import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { startDemo } from '../../sandbox/demo.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { oneBrowser } from '../../sandbox/test/page/one-browser.ts';

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
    // A busy machine takes longer to acknowledge than Slack waits.
    const started = await startDemo({ patienceMs: 60_000 });
    ends.push(() => started.stop());
    stage.sandbox = started.sandbox;
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  // Its windows are closed first: they would complain that the sandbox is gone.
  const browser = oneBrowser();
  return stage;
}
